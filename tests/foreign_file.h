/* HDF5 files as other people's programs write them: old headers, text of variable length, numbers
 * of every type, chunks, links. On plain HDF5, so that nothing of ours has a say in what is
 * written. A failure throws. Ready-made demonstrations are in foreign_layouts.h. */
#ifndef TESTS_FOREIGN_FILE_H
#define TESTS_FOREIGN_FILE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "../src/h5.h"
}

namespace foreign {

enum Number { F64, F32, F16, I8, I16, I32, I64, U8, U16, U32, U64, BOOL };

/* How the numbers of an array are laid down. */
struct Store {
  hsize_t chunk_rows = 0; /* 0: contiguous */
  unsigned gzip = 0;      /* level */
  bool shuffle = false;
  bool big_endian = false;
  bool sparse = false; /* room for the numbers in a file with a hole in it; none is written */
};

inline hid_t good(hid_t id, const std::string &what) {
  if (id < 0)
    throw std::runtime_error("foreign file: " + what);
  return id;
}

/* An id that closes itself. */
class Id {
  hid_t id;

public:
  Id(hid_t i, const std::string &what) : id(good(i, what)) {}
  Id(const Id &) = delete;
  Id &operator=(const Id &) = delete;
  ~Id() { H5Idec_ref(id); }
  operator hid_t() const { return id; }
};

/* h5py's bool, and half precision; the caller closes it. */
inline hid_t bool_type() {
  hid_t type = good(H5Tenum_create(H5T_STD_I8LE), "bool");
  for (int8_t i = 0; i < 2; i++)
    good(H5Tenum_insert(type, i ? "TRUE" : "FALSE", &i), "bool");
  return type;
}

inline hid_t half_type() {
  hid_t type = good(H5Tcopy(H5T_IEEE_F32LE), "float16");
  good(H5Tset_fields(type, 15, 10, 5, 0, 10), "float16");
  good(H5Tset_size(type, 2), "float16");
  good(H5Tset_ebias(type, 15), "float16");
  return type;
}

inline hid_t number_type(Number number, bool big = false) {
  hid_t little[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, -1,
                    H5T_STD_I8LE,   H5T_STD_I16LE,  H5T_STD_I32LE,
                    H5T_STD_I64LE,  H5T_STD_U8LE,   H5T_STD_U16LE,
                    H5T_STD_U32LE,  H5T_STD_U64LE,  -1};
  hid_t type = number == BOOL  ? bool_type()
               : number == F16 ? half_type()
                               : good(H5Tcopy(little[number]), "type");
  if (big && number != BOOL)
    good(H5Tset_order(type, H5T_ORDER_BE), "order");
  return type;
}

/* size 0: of variable length. */
inline hid_t text_type(size_t size = 0, bool utf8 = true) {
  hid_t type = good(H5Tcopy(H5T_C_S1), "text");
  good(H5Tset_size(type, size ? size : H5T_VARIABLE), "text");
  good(H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII), "text");
  if (size)
    good(H5Tset_strpad(type, H5T_STR_NULLPAD), "text");
  return type;
}

/* One file; it is whole when this is gone. */
class File {
  hid_t file = -1, parents = -1;

  hid_t space_of(const std::vector<hsize_t> &dim) const {
    return dim.empty() ? H5Screate(H5S_SCALAR)
                       : H5Screate_simple((int)dim.size(), dim.data(), nullptr);
  }
  void put_attr(const std::string &at, const std::string &name, hid_t type, const void *value,
                const std::vector<hsize_t> &dim = {}) {
    Id owner(H5Oopen(file, at.c_str(), H5P_DEFAULT), at);
    Id space(space_of(dim), name);
    Id attr(H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name);
    good(H5Awrite(attr, type, value), name);
  }
  void properties(hid_t list, const std::vector<hsize_t> &dim, const Store &store) const {
    if (store.sparse) {
      good(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), "sparse");
      good(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "sparse");
    }
    if (!store.chunk_rows || dim.empty())
      return;
    std::vector<hsize_t> chunk = dim;
    chunk[0] = store.chunk_rows;
    for (auto &n : chunk)
      n = n ? n : 1;
    good(H5Pset_chunk(list, (int)chunk.size(), chunk.data()), "chunk");
    if (store.shuffle)
      good(H5Pset_shuffle(list), "shuffle");
    if (store.gzip)
      good(H5Pset_deflate(list, store.gzip), "gzip");
  }
  void put(const std::string &path, hid_t type, const std::vector<hsize_t> &dim, const Store &store,
           hid_t memory, const void *data) {
    Id space(space_of(dim), path), list(H5Pcreate(H5P_DATASET_CREATE), path);
    properties(list, dim, store);
    Id set(H5Dcreate2(file, path.c_str(), type, space, parents, list, H5P_DEFAULT), path);
    if (data && !store.sparse)
      good(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  }

public:
  /* latest: the newest headers that the library writes, with checksums; else the oldest, as h5py
   * writes them. */
  explicit File(const std::string &path, bool latest = false) {
    Id access(H5Pcreate(H5P_FILE_ACCESS), path);
    if (latest)
      good(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), path);
    file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), path);
    parents = good(H5Pcreate(H5P_LINK_CREATE), path);
    good(H5Pset_create_intermediate_group(parents, 1), path);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    H5Pclose(parents);
    H5Fclose(file);
  }
  hid_t id() const { return file; }

  void group(const std::string &path) {
    Id made(H5Gcreate2(file, path.c_str(), parents, H5P_DEFAULT, H5P_DEFAULT), path);
  }

  /* --- attributes of the object at a path --- */
  void attr(const std::string &at, const std::string &name, const std::string &text) {
    const char *pointer = text.c_str();
    put_attr(at, name, Id(text_type(), name), &pointer);
  }
  void attr(const std::string &at, const std::string &name, const char *text) {
    attr(at, name, std::string(text));
  }
  /* A whole number as int64; use put_number for others. */
  void attr(const std::string &at, const std::string &name, int value) {
    int64_t wide = value;
    put_attr(at, name, H5T_STD_I64LE, &wide);
  }
  void attr(const std::string &at, const std::string &name, double value) {
    put_attr(at, name, H5T_IEEE_F64LE, &value);
  }
  void attr(const std::string &at, const std::string &name, bool value) {
    int8_t byte = value;
    put_attr(at, name, Id(bool_type(), name), &byte);
  }
  void attr(const std::string &at, const std::string &name, const std::vector<double> &values) {
    put_attr(at, name, H5T_IEEE_F64LE, values.data(), {values.size()});
  }
  void attr_fixed(const std::string &at, const std::string &name, const std::string &text) {
    put_attr(at, name, Id(text_type(text.size() ? text.size() : 1, false), name), text.c_str());
  }
  /* bytes are one value of any type. */
  void attr_raw(const std::string &at, const std::string &name, hid_t type, const void *bytes) {
    put_attr(at, name, type, bytes);
  }

  /* --- arrays; groups above them are made --- */
  /* values has as many numbers as dim says, or is empty: nothing is written then. */
  void array(const std::string &path, Number number, const std::vector<hsize_t> &dim,
             const std::vector<double> &values, const Store &store = {}) {
    hsize_t n = 1;
    for (hsize_t d : dim)
      n *= d;
    if (!values.empty() && values.size() != n)
      throw std::runtime_error("foreign file: " + path + ": values and shape differ");
    Id type(number_type(number, store.big_endian), path);
    std::vector<int8_t> flags;
    bool truth = number == BOOL;
    for (double value : values)
      flags.push_back(truth && value != 0);
    const void *data = truth ? (const void *)flags.data() : (const void *)values.data();
    put(path, type, dim, store, truth ? (hid_t)type : H5T_NATIVE_DOUBLE,
        values.empty() ? nullptr : data);
  }
  /* bytes of the array's own type, little-endian. */
  void raw(const std::string &path, Number number, const std::vector<hsize_t> &dim,
           const void *bytes, const Store &store = {}) {
    Id type(number_type(number), path);
    put(path, type, dim, store, type, bytes);
  }
  /* Any type at all. bytes is nullable. */
  void typed(const std::string &path, hid_t type, const std::vector<hsize_t> &dim,
             const void *bytes, const Store &store = {}) {
    put(path, type, dim, store, type, bytes);
  }
  /* size 0: each text of its own length; else cut to size, as in /mask. */
  void texts(const std::string &path, const std::vector<std::string> &texts, size_t size = 0) {
    Id type(text_type(size, size == 0), path);
    std::vector<const char *> pointers;
    std::string cells(texts.size() * size, '\0');
    for (size_t i = 0; i < texts.size(); i++) {
      pointers.push_back(texts[i].c_str());
      if (size)
        texts[i].copy(&cells[i * size], size);
    }
    put(path, type, {texts.size()}, {}, type,
        size ? (const void *)cells.data() : (const void *)pointers.data());
  }

  /* --- links --- */
  void soft(const std::string &path, const std::string &target) {
    good(H5Lcreate_soft(target.c_str(), file, path.c_str(), parents, H5P_DEFAULT), path);
  }
  void external(const std::string &path, const std::string &other, const std::string &target) {
    good(
        H5Lcreate_external(other.c_str(), target.c_str(), file, path.c_str(), parents, H5P_DEFAULT),
        path);
  }
  void hard(const std::string &path, const std::string &target) {
    good(H5Lcreate_hard(file, target.c_str(), file, path.c_str(), parents, H5P_DEFAULT), path);
  }
  void remove(const std::string &path) { good(H5Ldelete(file, path.c_str(), H5P_DEFAULT), path); }
};

} // namespace foreign

#endif
