/* What tests of ensembles share: episodes made in memory, rounds of data/. */
#ifndef TESTS_ENSEMBLE_HELP_H
#define TESTS_ENSEMBLE_HELP_H

#include <playhead/ensemble.h>

#include "rerun_maker.h"

namespace ensemble_help {

using namespace rerun_help;

inline const std::string runs = std::string(TEST_SOURCE_ROOT) + "/data/runs/";

/* Owns what it is given. */
struct Sources {
  std::vector<std::unique_ptr<Episode>> episodes;
  std::vector<ph_ensemble_source> list;
  Episode &add(ph_episode *episode, const ph_model *model, const ph_task *task = nullptr) {
    episodes.push_back(std::make_unique<Episode>(episode));
    list.push_back({episode, model, task, nullptr, nullptr, 0, 0});
    return *episodes.back();
  }
  void add_unreadable(const char *id, const char *reason) {
    list.push_back({nullptr, nullptr, nullptr, reason, id, 7, 0});
  }
  /* Of the pile, so many actions. */
  Episode &make(ph_model *model, int actions, int steps = 4) {
    Maker maker(model);
    maker.actions = actions;
    maker.steps = steps;
    maker.start = disturb;
    return add(maker.make(), model);
  }
};

struct Ensemble {
  ph_ensemble *e = nullptr;
  explicit Ensemble(const Sources &s, const ph_ensemble_options &opt = PH_ENSEMBLE_OPTIONS_INIT) {
    EXPECT_EQ(PH_OK, ph_ensemble_create(&e, s.list.data(), s.list.size(), &opt)) << ph_error();
  }
  /* The round of an entry. */
  Ensemble(ph_store *store, size_t entry,
           const ph_ensemble_options &opt = PH_ENSEMBLE_OPTIONS_INIT) {
    size_t round[64];
    size_t n = ph_ensemble_round(store, entry, round, 64);
    EXPECT_EQ(PH_OK, ph_ensemble_open(&e, store, round, n, &opt, nullptr, nullptr)) << ph_error();
  }
  ~Ensemble() { ph_ensemble_free(e); }
  Ensemble(const Ensemble &) = delete;
  void seek(int64_t p, bool dynamic = false, int substep = 0) {
    ASSERT_EQ(PH_OK, ph_ensemble_seek(e, p, substep, dynamic, nullptr, nullptr)) << ph_error();
  }
  const ph_ensemble_frame &frame(size_t i) const { return *ph_ensemble_frame_of(e, i); }
  ph_ensemble_place place(size_t i, int64_t p) const { return ph_ensemble_place_of(e, i, p); }
  ph_ensemble_result result(size_t i) const {
    ph_ensemble_result r;
    ph_ensemble_result_of(e, i, &r);
    return r;
  }
  ph_ensemble_progress look() const {
    ph_ensemble_progress p;
    ph_ensemble_look(e, &p);
    return p;
  }
  std::vector<double> lane(size_t i, int64_t first, int64_t steps, size_t n) const {
    std::vector<double> out(n);
    ph_ensemble_lane(e, i, first, steps, out.data(), n);
    return out;
  }
  void measure() {
    ASSERT_EQ(PH_OK, ph_ensemble_start(e)) << ph_error();
    ASSERT_EQ(PH_OK, ph_ensemble_wait(e, nullptr, nullptr)) << ph_error();
  }
  ph_dims dims(size_t i) const { return ph_episode_meta_of(ph_ensemble_episode(e, i))->dims; }
};

} // namespace ensemble_help

#endif
