/* ZIP archives and .npy members made by hand, so that every field can lie. */
#ifndef TESTS_NPZ_HELP_H
#define TESTS_NPZ_HELP_H

#include "sink_help.h"

#include <zlib.h>

extern "C" {
#include "npy.h"
#include "npz.h"
}

namespace npz {

inline std::string le(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; i++)
    out += (char)(value >> 8 * i);
  return out;
}

/* A .npy: header text as given, padded as NumPy does. */
inline std::string npy(const std::string &dict, const std::string &data, int version = 1) {
  size_t lead = version == 1 ? 10 : 12, n = lead + dict.size() + 1;
  std::string text = dict + std::string((64 - n % 64) % 64, ' ') + "\n";
  return std::string("\x93NUMPY") + (char)version + '\0' + le(text.size(), version == 1 ? 2 : 4) +
         text + data;
}

inline std::string dict(const std::string &descr, const std::string &shape,
                        const std::string &fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

inline std::string array(const std::string &descr, const std::string &shape,
                         const std::string &data, const std::string &fortran = "False") {
  return npy(dict(descr, shape, fortran), data);
}

template <class T> std::string raw(const std::vector<T> &values) {
  return std::string((const char *)values.data(), values.size() * sizeof(T));
}

/* k rows of `width`, number i of row r being first + r + i / 100. */
inline std::string rows(int64_t k, int64_t width, double first = 0) {
  std::vector<double> values;
  for (int64_t r = 0; r < k; r++)
    for (int64_t i = 0; i < width; i++)
      values.push_back(i == 0 ? first + (double)r * 0.05 : (double)r + (double)i / 100);
  return array("<f8", "(" + std::to_string(k) + ", " + std::to_string(width) + ")", raw(values));
}

/* What a member says of itself; -1: the truth. */
struct Member {
  std::string name, data;
  bool deflate = false;
  int64_t size = -1, packed = -1, crc = -1, method = -1;
  int flags = 0;
};

inline std::string deflated(const std::string &data) {
  std::string out(compressBound(data.size()) + 64, 0);
  z_stream z{};
  EXPECT_EQ(Z_OK, deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY));
  z.next_in = (Bytef *)data.data();
  z.avail_in = (uInt)data.size();
  z.next_out = (Bytef *)out.data();
  z.avail_out = (uInt)out.size();
  EXPECT_EQ(Z_STREAM_END, deflate(&z, Z_FINISH));
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline std::string zip(const std::vector<Member> &members) {
  std::string out, list;
  for (auto &m : members) {
    std::string bytes = m.deflate ? deflated(m.data) : m.data;
    auto pick = [](int64_t said, uint64_t truth) { return said < 0 ? truth : (uint64_t)said; };
    std::string what = le(20, 2) + le((uint64_t)m.flags, 2) +
                       le(pick(m.method, m.deflate ? 8 : 0), 2) + le(0, 2) + le(33, 2) +
                       le(pick(m.crc, ph_crc32(m.data.data(), m.data.size())), 4) +
                       le(pick(m.packed, bytes.size()), 4) + le(pick(m.size, m.data.size()), 4) +
                       le(m.name.size(), 2) + le(0, 2);
    list += "PK\1\2" + le(20, 2) + what + le(0, 8) + le(0, 2) + le(out.size(), 4) + m.name;
    out += "PK\3\4" + what + m.name + bytes;
  }
  return out + list + "PK\5\6" + le(0, 4) + le(members.size(), 2) + le(members.size(), 2) +
         le(list.size(), 4) + le(out.size(), 4) + le(0, 2);
}

/* An open archive that closes itself. */
struct Open {
  ph_npz *npz = nullptr;
  ph_status status;
  explicit Open(const std::string &path) : status(ph_npz_open(&npz, path.c_str())) {}
  Open(const Open &) = delete;
  Open &operator=(const Open &) = delete;
  ~Open() { ph_npz_close(npz); }
  const ph_npy &operator[](const std::string &name) const {
    static const ph_npy none{};
    size_t i = ph_npz_find(npz, name.c_str());
    EXPECT_NE(SIZE_MAX, i) << name;
    return i == SIZE_MAX ? none : *ph_npz_info(npz, i);
  }
  /* Empty where they cannot be read: then `got` says why. */
  std::vector<double> numbers(const std::string &name, ph_status *got = nullptr,
                              size_t limit = 1 << 20) const {
    double *data = nullptr;
    size_t i = ph_npz_find(npz, name.c_str());
    EXPECT_NE(SIZE_MAX, i) << name;
    ph_status s = i == SIZE_MAX ? PH_ENOTFOUND : ph_npz_numbers(&data, npz, i, limit);
    if (got)
      *got = s;
    else
      EXPECT_EQ(PH_OK, s) << ph_error();
    EXPECT_EQ(s == PH_OK, data != nullptr);
    std::vector<double> out;
    if (data)
      out.assign(data, data + ph_npz_info(npz, i)->count);
    free(data);
    return out;
  }
  std::string text(const std::string &name, size_t size = 64) const {
    std::string out(size, '?');
    ph_status s = ph_npz_text(npz, ph_npz_find(npz, name.c_str()), out.data(), size);
    return s == PH_OK ? out.c_str() : std::string("error: ") + ph_error();
  }
};

} // namespace npz

#endif
