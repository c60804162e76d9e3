// A preview for tests: the app over a session of a live env, key by key.
#ifndef PREVIEW_HELP_H
#define PREVIEW_HELP_H

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

extern "C" {
#include "app.h"
#include "cmd.h"
#include "loop.h"
#include "panel.h"
#include "session_parts.h"
}

namespace fs = std::filesystem;

namespace {

[[maybe_unused]] const char *const kModel =
    "<mujoco><option timestep='0.002'/><worldbody><body name='cart'><joint name='x' type='slide' "
    "axis='1 0 0' damping='1'/><geom name='cart' size='.1' mass='1'/></body></worldbody><actuator>"
    "<motor name='push' joint='x' ctrllimited='true' ctrlrange='-2 2'/></actuator></mujoco>";

inline std::string task(const std::string &more = "") {
  return "return { name = 'cart', model = 'cart.xml', control_steps = 4, max_steps = 30,\n"
         "hold_seconds = 0.04,\n"
         "reset = function(env, rng) env.qpos.x = rng() end,\n"
         "success = function(s) return s.step >= 20 end,\n"
         "reward = function(s) return s.joint.x end,\n"
         "policy = function(s, rng) return { 0.5 + 0.1 * rng() } end,\n" +
         more + "}\n";
}

struct Preview : ::testing::Test {
  fs::path dir;
  struct session *session = nullptr;
  struct app app;
  uint64_t now = 1000;

  void SetUp() override {
    char name[] = "/tmp/previewXXXXXX";
    dir = mkdtemp(name);
    write("cart.xml", kModel);
    app_init(&app);
    app_resize(&app, 40, 120);
  }
  void TearDown() override {
    session_free(session);
    app_free(&app);
    fs::remove_all(dir);
  }
  void write(const std::string &name, const std::string &text) {
    std::ofstream(dir / name) << text;
  }
  ph_status open(const std::string &text, uint64_t seed = 3) {
    write("t.lua", text);
    static std::string path;
    path = (dir / "t.lua").string();
    static const char *paths[1];
    paths[0] = path.c_str();
    struct view_options opt = {};
    opt.session.paths = paths;
    opt.session.npaths = 1;
    opt.session.live = true;
    opt.session.hold = -1;
    opt.seed = seed;
    opt.step = -1;
    ph_status status = session_open(&session, &opt.session);
    if (status != PH_OK) {
      session = nullptr;
      return status;
    }
    char error[400];
    EXPECT_EQ(PH_OK, view_begin(&app, session, &opt, error, sizeof error)) << error;
    serve();
    return PH_OK;
  }
  void serve() {
    struct snapshot *snap = nullptr;
    ASSERT_EQ(PH_OK, session_serve(session, &app.want, &snap));
    app_take(&app, snap);
    while (session_work(session, nullptr, nullptr, &snap))
      if (snap)
        app_take(&app, snap);
  }
  void react(unsigned r) {
    if (r & REACT_SEEK)
      serve();
  }
  // Names as in the help, with blanks between.
  void keys(const std::string &names) {
    for (size_t at = 0; at < names.size();) {
      size_t end = names.find(' ', at);
      end = end == std::string::npos ? names.size() : end;
      std::string word = names.substr(at, end - at);
      size_t digits = word.size() > 1 ? word.find_first_not_of("0123456789") : 0;
      for (size_t i = 0; i < digits; i++)
        react(app_key(&app, (unsigned char)word[i], now += 20));
      react(app_key(&app, key_from_name(word.c_str() + digits), now += 20));
      at = end + 1;
    }
  }
  void line(const char *text) {
    app.message[0] = 0;
    react(app_line(&app, text));
  }
  const struct live_answer &live() const { return app.snap->live; }
  int64_t states() const { return app.snap->reel ? app.snap->reel->states : 0; }
  std::string said() const { return app.message; }
  double x() const { return app.snap->qpos[0]; }
  size_t readout(int i) const {
    const struct reel *reel = app.snap->reel;
    for (size_t at = 0; at < reel->nsignals; at++)
      if (reel->signals[at].kind == PH_SIGNAL_READOUT && reel->signals[at].index == i)
        return at;
    ADD_FAILURE() << "no readout " << i;
    return 0;
  }
  std::string screen() {
    struct surface s = {};
    app_draw(&app, &s);
    char *text = surface_text(&s);
    std::string out = text;
    free(text);
    surface_free(&s);
    return out;
  }
};

} // namespace

#endif
