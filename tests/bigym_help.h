/* Batches of BiGym demonstrations, made by hand, and archives read without the library. */
#ifndef TESTS_BIGYM_HELP_H
#define TESTS_BIGYM_HELP_H

#include "npz_help.h"

namespace bigym {

using namespace npz;

/* "(31, 2)", "(31,)", "()" */
inline std::string shape(const std::vector<int64_t> &dim) {
  std::string out = "(";
  for (size_t i = 0; i < dim.size(); i++)
    out += (i ? ", " : "") + std::to_string(dim[i]);
  return out + (dim.size() == 1 ? ",)" : ")");
}

/* Bytes that differ from row to row and from array to array. */
inline std::string noise(size_t n, unsigned seed) {
  std::string out(n, 0);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1103515245 + 12345;
    out[i] = (char)(seed >> 16);
  }
  return out;
}

inline size_t product(const std::vector<int64_t> &dim) {
  size_t n = 1;
  for (int64_t d : dim)
    n *= (size_t)d;
  return n;
}

inline std::string array_of(const std::string &descr, const std::vector<int64_t> &dim,
                            const std::string &data, bool fortran = false) {
  return array(descr, shape(dim), data, fortran ? "True" : "False");
}

inline std::string floats(const std::vector<int64_t> &dim, float first = 0, float step = 0) {
  std::vector<float> out(product(dim));
  for (size_t i = 0; i < out.size(); i++)
    out[i] = first + step * (float)i;
  return array_of("<f4", dim, raw(out));
}

inline std::string doubles(const std::vector<int64_t> &dim, double first = 0, double step = 0) {
  std::vector<double> out(product(dim));
  for (size_t i = 0; i < out.size(); i++)
    out[i] = first + step * (double)i;
  return array_of("<f8", dim, raw(out));
}

/* 0 but 1 in the rows from `one` on. */
inline std::string steps(int64_t frames, int64_t one) {
  std::vector<float> out((size_t)frames);
  for (int64_t t = 0; t < frames; t++)
    out[(size_t)t] = t >= one;
  return array_of("<f4", {frames, 1}, raw(out));
}

/* What BiGym writes of an episode that succeeds at its last frame. */
inline std::vector<Member> episode(int64_t frames, int nq = 3, int nv = 3) {
  std::vector<int64_t> seed = {7}, engage = {12};
  return {
      {"reward.npy", steps(frames, frames - 1), true},
      {"discount.npy", floats({frames, 1}, 1), true},
      {"demo.npy", floats({frames, 1}, 1), true},
      {"action.npy", floats({frames, 2}, -1, 1.f / 64), true},
      {"low_dim_obs.npy", floats({frames, 4}, 0, 0.5f), true},
      {"full_qpos.npy", doubles({frames, nq}, 0.1, 1e-3), true},
      {"full_qvel.npy", doubles({frames, nv}, -0.1, 1e-3), true},
      {"rgb_obs.npy", array_of("|u1", {frames, 1, 3, 4, 4}, noise((size_t)frames * 48, 3)), true},
      {"seed.npy", array_of("<i8", {1}, raw(seed)), true},
      {"pre_engage_steps.npy", array_of("<i8", {1}, raw(engage)), true},
      {"init_qpos.npy", doubles({nq}, 0.5, 0.25), true},
      {"lb_state.env.last_cmd.npy", floats({4}), true}};
}

/* In the place of the member of that name, or behind the others. */
inline void set(std::vector<Member> &members, const std::string &name, const std::string &data) {
  for (auto &m : members)
    if (m.name == name + ".npy") {
      m.data = data;
      return;
    }
  members.push_back({name + ".npy", data, true});
}

inline void drop(std::vector<Member> &members, const std::string &name) {
  members.erase(std::remove_if(members.begin(), members.end(),
                               [&](const Member &m) { return m.name == name + ".npy"; }),
                members.end());
}

inline const char *metadata = R"({"format": "bigym_replay_npz", "control_step_seconds": 0.02,
  "zeta": [1, 2.5, 1e-05, 12345678901234567], "pipeline_version": "v1",
  "task": {"task_name": "move_plate", "episode_length": 500, "success_hold_seconds": 3.0,
           "camera_keys": ["head"]},
  "env_config": {"success_hold_seconds": 3.0, "b": 1, "a": {"d": null, "c": true}},
  "action_semantics": {"robot_model": "g1_dex1", "lowerbody_backend": "agile"},
  "action_stats": {"min": [-2, 0], "max": [2, 10]}})";

/* A model of three joints and two actuators. */
inline const char *model_xml =
    R"(<mujoco><option timestep="0.002"/><worldbody><body name="base">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <joint name="turn" type="hinge" axis="0 0 1"/><geom name="plate" size=".1"/></body></worldbody>
  <actuator><motor name="mx" joint="x"/><motor name="my" joint="y"/></actuator></mujoco>)";

/* A little-endian number of n bytes. */
inline uint64_t number(const std::string &bytes, size_t at, int n) {
  uint64_t out = 0;
  for (int i = 0; i < n; i++)
    out |= (uint64_t)(unsigned char)bytes[at + (size_t)i] << 8 * i;
  return out;
}

inline std::string inflated(const std::string &packed, size_t size) {
  std::string out(size + 1, 0);
  z_stream z{};
  EXPECT_EQ(Z_OK, inflateInit2(&z, -15));
  z.next_in = (Bytef *)packed.data();
  z.avail_in = (uInt)packed.size();
  z.next_out = (Bytef *)out.data();
  z.avail_out = (uInt)out.size();
  EXPECT_EQ(Z_STREAM_END, inflate(&z, Z_FINISH));
  EXPECT_EQ(size, z.total_out);
  inflateEnd(&z);
  out.resize(size);
  return out;
}

/* A member as it lies in an archive. */
struct Raw {
  int method;
  std::string bytes;
};

/* Members of an archive by name, from its list at the end; checksums are compared. */
inline std::map<std::string, Raw> unzip(const std::string &path) {
  std::string all = bytes_of(path);
  std::map<std::string, Raw> out;
  size_t end = all.rfind("PK\5\6");
  if (end == std::string::npos) {
    ADD_FAILURE() << path << ": no list";
    return out;
  }
  size_t n = number(all, end + 10, 2), at = number(all, end + 16, 4);
  for (size_t i = 0; i < n; i++) {
    size_t packed = number(all, at + 20, 4), size = number(all, at + 24, 4);
    size_t name = number(all, at + 28, 2), place = number(all, at + 42, 4);
    Raw raw{(int)number(all, at + 10, 2), ""};
    size_t data = place + 30 + number(all, place + 26, 2) + number(all, place + 28, 2);
    raw.bytes = all.substr(data, packed);
    if (raw.method == 8)
      raw.bytes = inflated(raw.bytes, size);
    EXPECT_EQ(number(all, at + 16, 4), ph_crc32(raw.bytes.data(), raw.bytes.size()));
    out[all.substr(at + 46, name)] = raw;
    at += 46 + name + number(all, at + 30, 2) + number(all, at + 32, 2);
  }
  return out;
}

/* Bytes of a .npy behind its header. */
inline std::string elements(const std::string &npy) {
  return npy.substr(10 + number(npy, 8, 2));
}
inline std::string header(const std::string &npy) {
  std::string text = npy.substr(10, number(npy, 8, 2));
  return text.substr(0, text.find('}') + 1);
}

/* A folder of three, 31, 41 and 12 frames. */
struct Batch {
  Folder folder;
  std::string path = folder / "batch";
  std::string a = "20260826T101112_0_30.npz", b = "20260826T101112_1_40.npz",
              c = "20260826T101513_2_11.npz";
  Batch() {
    std::filesystem::create_directory(path);
    put("metadata.json", metadata);
    put(a, zip(episode(31)));
    put(b, zip(episode(41)));
    put(c, zip(episode(12)));
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  void put(const std::string &name, const std::string &bytes) const {
    write_bytes(path + "/" + name, bytes);
  }
};

} // namespace bigym

#endif
