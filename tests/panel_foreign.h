// A screen on somebody else's file: findings, channels, curves and groups for the fixture.
#pragma once

#include <algorithm>

#include "panel_fixture.h"

extern "C" {
#include "cmd.h"
}

struct Foreign : Fixture {
  std::vector<ph_finding> findings;
  std::vector<ph_channel> channels;
  std::vector<std::vector<ph_span>> parts;
  series curves[PLOT_CURVES] = {};
  std::vector<size_t> members;
  group some{};

  void finding(ph_finding_kind kind, int64_t step, const char *text) {
    ph_finding f{};
    f.kind = kind;
    f.step = step;
    set_text(f.text, text);
    findings.push_back(f);
    film.findings = findings.data();
    film.nfindings = findings.size();
  }

  void three_findings() {
    finding(PH_FINDING_ODDITY, -1, "num_samples is 322, there are 341 actions");
    finding(PH_FINDING_ODDITY, 101,
            "time: 1 state has the time of the one before, the first is 101; a clock that stood");
    finding(PH_FINDING_MENDED, -1, "pos=\"[0, 0, 0.005]\" was read as 0 0 0.005");
  }

  void channel(const char *name, ph_channel_kind kind, const char *type, std::vector<int64_t> shape,
               const char *note = "") {
    ph_channel c{};
    set_text(c.name, name);
    c.kind = kind;
    set_text(c.type, type);
    c.rank = (int)shape.size();
    std::copy(shape.begin(), shape.end(), c.dim);
    c.rows = shape[0];
    c.width = kind == PH_CHANNEL_NUMBERS ? (shape.size() > 1 ? (size_t)shape[1] : 1) : 0;
    set_text(c.note, note);
    int at = (int)channels.size();
    channels.push_back(c);
    for (size_t i = 0; i < c.width; i++) {
      std::string number = name;
      if (shape.size() > 1)
        number += "[" + std::to_string(i) + "]";
      signal(number.c_str(), "", PH_SIGNAL_CHANNEL, 0.5 * (double)i + at);
      signals.back().channel = at;
      signals.back().index = (int)i;
    }
    film.channels = channels.data();
    film.nchannels = channels.size();
    wire();
  }

  void observations() {
    channel("obs/agentview_rgb", PH_CHANNEL_IMAGE, "uint8", {342, 128, 128, 3});
    const char *ahead = "one step ahead of the states: taken after the action";
    channel("obs/eef_pos", PH_CHANNEL_NUMBERS, "float64", {342, 3}, ahead);
    channel("obs/gripper", PH_CHANNEL_NUMBERS, "float32", {342}, ahead);
    channel("labels", PH_CHANNEL_OTHER, "object", {342}, "variable-length text");
  }

  // Without a model: the states are one more channel.
  void raw() {
    signals.clear();
    values.clear();
    contacts.clear();
    channel("states", PH_CHANNEL_NUMBERS, "float64", {342, 32});
    film.raw = true;
    film.guarantee = PH_STATES_ONLY;
    set_text(film.model_note, "no model: 2 files of it cannot be had: link0.stl, link1.stl");
    set_text(film.reason, film.model_note);
    wire();
    snap.has_conditions = false;
  }

  // A curve of a sine over the whole episode, of which `ready` parts are read.
  void plot(const char *name, const char *unit, double value, size_t ready = SIZE_MAX) {
    size_t i = snap.plot.n++;
    curve &c = snap.plot.curve[i];
    std::vector<ph_span> spans;
    for (int t = 0; t < 342; t++) {
      double y = std::sin((t + 40.0 * (double)i) / 30) * (t == 213 ? 1.5 : 1);
      spans.push_back({y, y});
    }
    parts.push_back(spans);
    for (size_t k = 0; k < parts.size(); k++)
      curves[k].part = parts[k].data();
    curves[i].steps = 342;
    curves[i].per = 1;
    curves[i].n = spans.size();
    set_text(c.name, name);
    set_text(c.unit, unit);
    c.value = value;
    c.series = &curves[i];
    c.ready = std::min(ready, spans.size());
  }

  void in_group(const char *name, std::vector<size_t> places) {
    members = places;
    set_text(some.name, name);
    some.n = members.size();
    some.place = members.data();
    snap.group = &some;
    set_text(a.want.group, name);
    app_refilter(&a);
  }

  // The first row that has `part`; "" none.
  std::string row(int rows, int cols, const std::string &part) {
    std::istringstream in(text(rows, cols));
    std::string line;
    while (std::getline(in, line))
      if (line.find(part) != std::string::npos)
        return line;
    return "";
  }
};

inline int count(const std::string &text, const std::string &part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    n++;
  return n;
}
