// What the tests of packing share.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include "store_help.h"

extern "C" {
#include <playhead/pack.h>
}

namespace pack_help {

using namespace store_help;
using Paths = std::vector<std::string>;

inline ph_status pack(const std::string &out, const Paths &paths, ph_pack_tally *tally = nullptr,
                      ph_pack_options opt = PH_PACK_OPTIONS_INIT) {
  std::vector<const char *> at;
  for (const std::string &path : paths)
    at.push_back(path.c_str());
  return ph_pack(out.c_str(), at.data(), at.size(), &opt, tally);
}

inline ph_pack_options over() {
  ph_pack_options opt = PH_PACK_OPTIONS_INIT;
  opt.overwrite = true;
  return opt;
}

/* Names in a folder, sorted. */
inline Paths names(const std::string &folder) {
  Paths out;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    out.push_back(entry.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::string content(const Paths &paths) {
  Store s = open_store(paths);
  char hex[PH_SHA256_SIZE] = "?";
  EXPECT_TRUE(s) << ph_error();
  if (s) {
    EXPECT_EQ(ph_store_content_hash(s.get(), hex), PH_OK) << ph_error();
  }
  return hex;
}

inline std::string arm_with(const std::string &from, const std::string &to) {
  std::string xml = arm_xml;
  return xml.replace(xml.find(from), from.size(), to);
}

/* Another run, of a task of another name with another clock. */
inline void write_other(const std::string &dir, const Model &model, const Task &task,
                        const Places &places) {
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1, "run-2");
  strcpy(origin.env_name, "other");
  strcpy(origin.created, "2027-01-01T00:00:00Z");
  strcpy(origin.substrate, "0123456789abcdef");
  strcpy(origin.writer, "playhead other");
  origin.dims.control_steps = 5;
  origin.control_dt = 0.01;
  ASSERT_EQ(ph_sink_run(&sink, dir.c_str(), &origin, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(sink->model(sink, model.m), PH_OK) << ph_error();
  ASSERT_EQ(sink->task(sink, task.t), PH_OK) << ph_error();
  for (auto [env, episode] : places)
    put(sink, meta_of(model, task, env, episode, 5 + env, "run-2"));
  ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
}

} // namespace pack_help
