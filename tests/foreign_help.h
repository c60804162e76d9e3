/* Foreign episodes out of arrays in memory, so that what becomes of them is tested without a
 * reader and without a file. */
#ifndef TESTS_FOREIGN_HELP_H
#define TESTS_FOREIGN_HELP_H

#include <memory>

#include "mj_help.h"

extern "C" {
#include "fail.h"
#include "foreign.h"
}

namespace foreign_help {

/* A free box, a hinge and a motor: nq 8, nv 7, nu 1, na 0; with muscle one activation more. */
inline std::string scene(bool muscle = false, const char *timestep = "0.002") {
  return std::string("<mujoco><option timestep='") + timestep +
         "'/><worldbody><geom name='floor' type='plane' size='1 1 .1'/>"
         "<body name='box' pos='0 0 .05'><freejoint name='box'/>"
         "<geom name='box' type='box' size='.05 .05 .05' mass='1'/><site name='top'/></body>"
         "<body name='arm' pos='0 0 2'><joint name='elbow' axis='0 1 0'/>"
         "<geom name='arm' type='capsule' fromto='0 0 0 .3 0 0' size='.04'/></body></worldbody>"
         "<actuator>" +
         (muscle ? "<general name='muscle' joint='elbow' dyntype='filter' dynprm='.1'/>"
                 : "<motor name='pull' joint='elbow'/>") +
         "</actuator><sensor><accelerometer name='acc' site='top'/>"
         "<jointpos name='angle' joint='elbow'/></sensor></mujoco>";
}

struct Model {
  ph_model *at;
  explicit Model(const std::string &xml) : at(help_model(xml)) {}
  ~Model() { ph_model_unref(at); }
  Model(const Model &) = delete;
  operator const ph_model *() const { return at; }
};

struct Free {
  void operator()(ph_episode *e) const { ph_episode_free(e); }
  void operator()(ph_replay *r) const { ph_replay_free(r); }
};
using Episode = std::unique_ptr<ph_episode, Free>;
using Replay = std::unique_ptr<ph_replay, Free>;

struct Rows {
  std::vector<double> at;
  size_t width;
  int64_t bad = -1; /* reading this row fails */
  int *closed;
  int64_t most = 0; /* rows that were asked for at once */
};

inline ph_status read_rows(const ph_array *array, int64_t first, int64_t n, double *out) {
  Rows *rows = static_cast<Rows *>(array->source);
  EXPECT_GE(first, 0);
  EXPECT_LE(first + n, array->channel.rows) << array->channel.name;
  rows->most = n > rows->most ? n : rows->most;
  if (rows->bad >= first && rows->bad < first + n)
    return ph_fail(PH_ECORRUPT, "%s: row %lld is damaged", array->channel.name,
                   (long long)rows->bad);
  memcpy(out, rows->at.data() + (size_t)first * rows->width, (size_t)n * rows->width * sizeof *out);
  return PH_OK;
}

inline void close_rows(void *source) {
  Rows *rows = static_cast<Rows *>(source);
  ++*rows->closed;
  delete rows;
}

/* A hand-over in the making. */
struct Maker {
  ph_foreign f;
  int closed = 0;
  Maker() {
    memset(&f, 0, sizeof f);
    f.states = f.actions = f.rewards = f.dones = f.success = -1;
    f.meta.success = -1;
    snprintf(f.meta.id, sizeof f.meta.id, "demo_7");
    snprintf(f.meta.layout, sizeof f.meta.layout, "robosuite");
  }
  ~Maker() { ph_foreign_clear(&f); }
  Maker(const Maker &) = delete;

  /* An array of numbers; its place. */
  int add(const std::string &name, size_t width, const std::vector<double> &values,
          ph_type stored = PH_F64, int shift = 0) {
    ph_array *a = ph_foreign_add(&f, name.c_str());
    a->channel.kind = PH_CHANNEL_NUMBERS;
    snprintf(a->channel.type, sizeof a->channel.type, "%s",
             stored == PH_F32 ? "float32" : "float64");
    a->channel.rows = a->channel.dim[0] =
        static_cast<int64_t>(width > 0 ? values.size() / width : 0);
    a->channel.dim[1] = static_cast<int64_t>(width);
    a->channel.rank = width == 1 ? 1 : 2;
    a->channel.width = width;
    a->channel.shift = shift;
    a->stored = stored;
    a->read = read_rows;
    a->close = close_rows;
    a->source = new Rows{values, width, -1, &closed, 0};
    return static_cast<int>(f.narrays - 1);
  }
  Rows &rows(int i) { return *static_cast<Rows *>(f.arrays[i].source); }
  /* An array that nobody reads as numbers. */
  int add_image(const std::string &name, int64_t rows) {
    ph_array *a = ph_foreign_add(&f, name.c_str());
    a->channel.kind = PH_CHANNEL_IMAGE;
    snprintf(a->channel.type, sizeof a->channel.type, "uint8");
    a->channel.rank = 4;
    a->channel.rows = a->channel.dim[0] = rows;
    a->channel.dim[1] = a->channel.dim[2] = 8;
    a->channel.dim[3] = 3;
    return static_cast<int>(f.narrays - 1);
  }
  void text(const std::string &xml) {
    free(f.model_text);
    f.model_text = help_text(xml);
    f.model_size = xml.size();
  }
  Episode make(const ph_model *model, const char *why = nullptr) {
    ph_episode *e = nullptr;
    EXPECT_EQ(PH_OK, ph_foreign_episode(&e, &f, model, why)) << ph_error();
    EXPECT_EQ(f.narrays, 0u) << "what it owned is taken";
    return Episode(e);
  }
};

/* Rows of scene(): a box at rest, an arm that turns; `more` zeros at the end of each. */
inline std::vector<double> states(int64_t n, double dt = 0.05, double start = 0, bool timed = true,
                                  int more = 0) {
  std::vector<double> out;
  for (int64_t t = 0; t < n; t++) {
    double angle = 0.1 * static_cast<double>(t);
    if (timed)
      out.push_back(start + dt * static_cast<double>(t));
    out.insert(out.end(), {0.01 * static_cast<double>(t), 0, 0.05, 1, 0, 0, 0, angle});
    out.insert(out.end(), {0, 0, 0, 0, 0, 0, 0.5});
    out.insert(out.end(), static_cast<size_t>(more), 0.25);
  }
  return out;
}

inline std::vector<double> ramp(int64_t n, double first = 0, double step = 1) {
  std::vector<double> out;
  for (int64_t i = 0; i < n; i++)
    out.push_back(first + step * static_cast<double>(i));
  return out;
}

inline std::vector<double> read(const Episode &e, ph_column col) {
  size_t width = ph_schema_width(col, &ph_episode_meta_of(e.get())->dims);
  int64_t rows = ph_episode_rows(e.get(), col);
  std::vector<double> out(static_cast<size_t>(rows) * width);
  EXPECT_EQ(PH_OK, ph_episode_read(e.get(), col, 0, rows, out.data())) << ph_error();
  return out;
}

inline std::vector<int> read_bytes(const Episode &e, ph_column col) {
  int64_t rows = ph_episode_rows(e.get(), col);
  std::vector<uint8_t> out(static_cast<size_t>(rows));
  EXPECT_EQ(PH_OK, ph_episode_read(e.get(), col, 0, rows, out.data())) << ph_error();
  return std::vector<int>(out.begin(), out.end());
}

/* Its findings, "kind step: text" each. */
inline std::vector<std::string> findings(const Episode &e) {
  size_t n = 0;
  const ph_finding *f = ph_episode_findings(e.get(), &n);
  std::vector<std::string> out;
  for (size_t i = 0; i < n; i++)
    out.push_back(std::string(ph_finding_name(f[i].kind)) + " " + std::to_string(f[i].step) + ": " +
                  f[i].text);
  return out;
}

inline std::vector<std::string> channels(const Episode &e) {
  size_t n = 0;
  const ph_channel *c = ph_episode_channels(e.get(), &n);
  std::vector<std::string> out;
  for (size_t i = 0; i < n; i++)
    out.push_back(c[i].name);
  return out;
}

inline std::string all(const std::vector<std::string> &lines) {
  std::string out;
  for (const auto &line : lines)
    out += line + "\n";
  return out;
}

} // namespace foreign_help

#endif
