// What the tests of cutting share: lists, sources whose bytes must stay, and a disk that is full.
#ifndef TESTS_CUT_HELP_H
#define TESTS_CUT_HELP_H

#include <csignal>
#include <map>
#include <sys/resource.h>

#include "pack_help.h"

extern "C" {
#include "json.h"
#include <playhead/cut.h>
}

namespace cut_help {

using namespace store_help;
using pack_help::names;
using std::string;
using Plan = std::vector<ph_cut_episode>;

inline ph_cut_episode line(const string &id, int64_t from, int64_t to, bool dropped = false) {
  ph_cut_episode e = {};
  snprintf(e.id, sizeof e.id, "%s", id.c_str());
  e.from = from;
  e.to = to;
  e.dropped = dropped;
  return e;
}

inline ph_cut_options options(double hold = -1) {
  ph_cut_options opt = PH_CUT_OPTIONS_INIT;
  opt.hold_seconds = hold;
  opt.date = "2026-05-06T07:08:09Z";
  return opt;
}

inline ph_status cut(const string &out, const string &source, const Plan &plan,
                     const ph_cut_options &opt = options(), ph_cut_tally *tally = nullptr) {
  return ph_cut(out.c_str(), source.c_str(), plan.data(), plan.size(), &opt, tally);
}

/* Bytes of a file, or of all files of a folder by their names. */
inline std::map<string, Bytes> contents_of(const string &path) {
  std::map<string, Bytes> out;
  if (!std::filesystem::is_directory(path))
    out[""] = slurp(path);
  else
    for (const auto &e : std::filesystem::recursive_directory_iterator(path))
      if (e.is_regular_file())
        out[e.path().string()] = slurp(e.path().string());
  return out;
}

/* It is refused, nothing is left behind, and the source stays bit for bit. */
inline void expect_refused(const read_help::Folder &dir, const string &out, const string &source,
                           const Plan &plan, ph_status status, const string &word,
                           const ph_cut_options &opt = options()) {
  auto before = contents_of(source);
  auto list = names(dir.path());
  ph_cut_tally tally = {77, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(cut(out, source, plan, opt, &tally), status) << ph_error();
  EXPECT_TRUE(says(ph_error(), word));
  EXPECT_EQ(tally.kept, 77u);
  EXPECT_EQ(names(dir.path()), list);
  EXPECT_EQ(contents_of(source), before);
}

/* Files may have no more bytes than that, as on a disk that is full. */
class SmallDisk {
  struct rlimit old;

public:
  explicit SmallDisk(rlim_t most) {
    getrlimit(RLIMIT_FSIZE, &old);
    struct rlimit tight = {most, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &old); }
};

/* A key of one step of a provenance: -1 is the last. */
inline json_t *step_of(const char *provenance, int i) {
  json_t *array = json_loads(provenance, 0, nullptr);
  EXPECT_TRUE(json_is_array(array)) << provenance;
  size_t n = json_array_size(array);
  json_t *step = json_deep_copy(json_array_get(array, i < 0 ? n - 1 : (size_t)i));
  json_decref(array);
  return step;
}
inline string text(const json_t *step, const char *key) {
  const char *t = json_string_value(json_object_get(step, key));
  return t ? t : "";
}
inline double number(const json_t *step, const char *key) {
  json_t *value = json_object_get(step, key);
  EXPECT_TRUE(json_is_number(value)) << key;
  return json_number_value(value);
}

} // namespace cut_help

#endif
