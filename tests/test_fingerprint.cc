// What a latch row depends on: each thing that it does changes it, and nothing else.
#include <algorithm>
#include <functional>
#include <string>

#include <jansson.h>

#include "analysis_help.h"

using analysis_help::Analysis;
using std::string;

namespace {

const char kOther[] = "return { name = 'swing', control_steps = 2, hold_seconds = 0.04, success = "
                      "function(s) return s.joint.shoulder > 0.03 end }\n";

string Print(const ph_latch_inputs &in) {
  char *text = nullptr;
  EXPECT_EQ(PH_OK, ph_latch_fingerprint(&text, &in)) << ph_error();
  string out = text ? text : "";
  free(text);
  return out;
}

struct Fingerprint : Analysis {
  ph_latch_inputs in = {};
  json_t *last = nullptr;

  void SetUp() override {
    Analysis::SetUp();
    parse(analysis_help::kTask);
    in.meta = &meta;
    in.model = model;
    in.task = task;
    in.hold_seconds = 0.1;
    in.hold_steps = 12;
  }
  void TearDown() override {
    json_decref(last);
    Analysis::TearDown();
  }
  /* A value of it; borrowed until the next. */
  json_t *at(const char *key) {
    json_decref(last);
    last = json_loads(Print(in).c_str(), 0, nullptr);
    EXPECT_NE(nullptr, json_object_get(last, key)) << key;
    return json_object_get(last, key);
  }
  string edits(const std::vector<ph_edit> &list) {
    ph_episode *e = nullptr;
    ph_backend none = {};
    none.free = [](ph_backend *) {};
    char hex[65] = "x";
    EXPECT_EQ(PH_OK, ph_episode_new(&e, &meta, columns, list.data(), list.size(), &none))
        << ph_error();
    EXPECT_EQ(PH_OK, ph_latch_edits(hex, e)) << ph_error();
    ph_episode_free(e);
    return hex;
  }
};

TEST_F(Fingerprint, NamesAllThatALatchDependsOnInOrder) {
  string text = Print(in);
  EXPECT_EQ(text, Print(in));
  EXPECT_EQ(string::npos, text.find('\n'));
  const char *keys[] = {"arch",
                        "compiled_sha256",
                        "control_steps",
                        "engine",
                        "engine_version",
                        "hold_seconds",
                        "hold_steps",
                        "integrator",
                        "model_sha256",
                        "playhead",
                        "predicate_command",
                        "solver",
                        "solver_settings",
                        "substrate",
                        "task_sha256",
                        "timestep",
                        "tolerance"};
  ph_tolerance tolerance = ph_tolerance_default();
  in.tolerance = &tolerance;
  in.command = "python3 judge.py";
  text = Print(in);
  at("arch");
  EXPECT_EQ(sizeof keys / sizeof *keys, json_object_size(last));
  size_t before = 0;
  for (const char *key : keys) {
    size_t here = text.find("\"" + string(key) + "\":", before);
    ASSERT_NE(string::npos, here) << key << " is not there, or not in order";
    before = here;
    EXPECT_FALSE(json_is_null(json_object_get(last, key))) << key;
    if (string(key) == "solver_settings")
      before = text.find('}', here); /* it has a tolerance too */
  }
  EXPECT_STREQ(ph_model_sha256(model), json_string_value(at("model_sha256")));
  EXPECT_STREQ(ph_task_sha256(task), json_string_value(at("task_sha256")));
  EXPECT_STREQ("python3 judge.py", json_string_value(at("predicate_command")));
  EXPECT_EQ(0.1, json_real_value(at("hold_seconds")));
  EXPECT_EQ(12, json_integer_value(at("hold_steps")));
  EXPECT_EQ(2, json_integer_value(at("control_steps")));
  EXPECT_GT(json_integer_value(json_object_get(at("solver_settings"), "iterations")), 0);
  EXPECT_EQ(tolerance.of[0],
            json_real_value(json_object_get(at("tolerance"), ph_measure_name((ph_measure)0))));
}

TEST_F(Fingerprint, EachThingChangesIt) {
  const string plain = Print(in);
  ph_task *other = nullptr, *judged = nullptr;
  ph_tolerance tolerance = ph_tolerance_default(), wider = tolerance;
  ASSERT_EQ(PH_OK, ph_task_parse(&other, kOther, strlen(kOther), "other"));
  ASSERT_EQ(PH_OK, ph_task_with_success(&judged, task, "s.joint.shoulder > 0.04"));
  wider.of[1] *= 2;
  std::vector<std::pair<const char *, std::function<void()>>> changes = {
      {"hold in seconds", [&] { in.hold_seconds = 0.2; }},
      {"hold in steps", [&] { in.hold_steps = 13; }},
      {"task", [&] { in.task = other; }},
      {"condition of --success", [&] { in.task = judged; }},
      {"command", [&] { in.command = "a"; }},
      {"another command", [&] { in.command = "b"; }},
      {"tolerance", [&] { in.tolerance = &tolerance; }},
      {"a wider tolerance", [&] { in.tolerance = &wider; }},
      {"control steps", [&] { meta.dims.control_steps = 3; }},
      {"no model", [&] { in.model = nullptr; }},
      {"timestep of the file",
       [&] {
         in.model = nullptr;
         meta.timestep = 0.123;
       }},
  };
  std::vector<string> seen = {plain};
  for (auto &change : changes) {
    const ph_latch_inputs inputs = in;
    const ph_episode_meta facts = meta;
    change.second();
    string text = Print(in);
    EXPECT_EQ(seen.end(), std::find(seen.begin(), seen.end(), text)) << change.first;
    seen.push_back(text);
    in = inputs;
    meta = facts;
    EXPECT_EQ(plain, Print(in)) << change.first;
  }
  ph_task_unref(other);
  ph_task_unref(judged);
}

TEST_F(Fingerprint, AnotherModelChangesIt) {
  const string plain = Print(in);
  ph_model *stiff = nullptr;
  string xml = help_scene();
  xml.replace(xml.find("<option "), 8, "<option iterations='7' ");
  stiff = help_model(xml.c_str());
  ASSERT_NE(nullptr, stiff);
  in.model = stiff;
  EXPECT_EQ(7, json_integer_value(json_object_get(at("solver_settings"), "iterations")));
  EXPECT_STREQ(ph_model_sha256(stiff), json_string_value(at("model_sha256")));
  EXPECT_NE(plain, Print(in));
  ph_model_unref(stiff);
}

/* A batch of BiGym says neither, and a 0 would be a claim. */
TEST_F(Fingerprint, WhatIsNotKnownIsNull) {
  in.model = nullptr;
  in.task = nullptr;
  meta.dims.control_steps = 0;
  meta.timestep = 0;
  meta.task_sha256[0] = meta.model_sha256[0] = 0;
  in.hold_steps = -1;
  in.hold_seconds = -1;
  for (const char *key :
       {"control_steps", "timestep", "engine", "compiled_sha256", "model_sha256", "task_sha256",
        "hold_steps", "hold_seconds", "predicate_command", "tolerance", "solver_settings"})
    EXPECT_TRUE(json_is_null(at(key))) << key;
  EXPECT_TRUE(json_is_string(at("arch")));
}

/* --- memory that is not there --- */

int left = 0;
void *Give(size_t n) {
  return left-- > 0 ? malloc(n) : nullptr;
}

TEST_F(Fingerprint, WithoutMemoryThereIsNoneAndNoPartOfOne) {
  const string plain = Print(in);
  ph_status status = PH_ENOMEM;
  int n = 0;
  for (; status == PH_ENOMEM && n < 2000; n++) {
    char *text = nullptr;
    left = n;
    json_set_alloc_funcs(Give, free);
    status = ph_latch_fingerprint(&text, &in);
    json_set_alloc_funcs(malloc, free);
    if (status == PH_OK)
      EXPECT_EQ(plain, text) << n;
    else
      EXPECT_EQ(nullptr, text) << n;
    free(text);
  }
  EXPECT_EQ(PH_OK, status);
  EXPECT_GT(n, 20);
}

/* --- of one episode --- */

TEST_F(Fingerprint, WhatAResetChangedInTheModelIsTheEpisodes) {
  const double place[6] = {0, 0, 0, 0.1, 0, 0}, moved[6] = {0, 0, 0, 0.2, 0, 0};
  const ph_edit pos = {"body_pos", PH_F64, {2, 3}, place},
                mass = {"body_mass", PH_F64, {2, 1}, place};
  ph_edit other = pos, name = pos, shape = pos;
  other.data = moved;
  snprintf(name.field, sizeof name.field, "site_pos");
  shape.shape[0] = 3;
  shape.shape[1] = 2;
  EXPECT_EQ("", edits({}));
  EXPECT_EQ(64u, edits({pos}).size());
  EXPECT_EQ(edits({pos}), edits({pos}));
  EXPECT_NE(edits({pos}), edits({other}));
  EXPECT_NE(edits({pos}), edits({name}));
  EXPECT_NE(edits({pos}), edits({shape}));
  EXPECT_NE(edits({pos}), edits({pos, mass}));
  EXPECT_EQ(edits({mass, pos}), edits({pos, mass})); /* in whatever order they are stored */
}

} // namespace
