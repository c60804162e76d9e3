/* A model as another recorder left it: its text in a file, its meshes somewhere else. */
#ifndef TESTS_FOREIGN_MODEL_H
#define TESTS_FOREIGN_MODEL_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <playhead/playhead.h>

#include "tetrahedron.h"

extern "C" {
#include "mj.h"
#include "mjcf.h"
}

class ForeignModel : public testing::Test {
protected:
  void SetUp() override {
    const char *tmp = getenv("TMPDIR");
    std::string name = std::string(tmp ? tmp : "/tmp") + "/foreignXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = std::filesystem::canonical(name);
    file = top / "episode.hdf5";
  }
  void TearDown() override {
    ph_model_unref(model);
    std::filesystem::remove_all(top);
  }
  void Put(const std::filesystem::path &path, const std::string &text) {
    std::filesystem::create_directories((top / path).parent_path());
    std::ofstream(top / path, std::ios::binary) << text;
  }
  ph_model_options options() {
    dirs.clear();
    for (auto &a : assets)
      dirs.push_back(a.c_str());
    return {dirs.data(), dirs.size(), drop, mend};
  }
  ph_status Text(const std::string &xml) {
    ph_model_unref(model);
    ph_model_options opt = options();
    return ph_model_open_text(&model, xml.data(), xml.size(), file.c_str(), &opt);
  }
  ph_status Model(const std::string &body) { return Text("<mujoco>" + body + "</mujoco>"); }
  ph_status Mesh(const std::string &path) {
    return Model("<asset><mesh name='m' file='" + path +
                 "'/></asset><worldbody><geom type='mesh' "
                 "mesh='m'/></worldbody>");
  }
  const ph_dims &dims() const { return *ph_model_dims(model); }
  size_t source_assets() const { return model->source->nassets; }
  bool IsTetrahedron(float size) const {
    const ph_source *source = model->source;
    std::string want = Tetrahedron(size);
    return source->nassets == 1 && source->assets[0].size == want.size() &&
           memcmp(source->assets[0].data, want.data(), want.size()) == 0;
  }
  std::string Notes() const {
    std::string all;
    for (size_t i = 0; ph_model_note(model, i); i++)
      all += ph_model_note(model, i) + std::string("\n");
    return all;
  }
  bool Noted(const std::string &part) const { return Notes().find(part) != std::string::npos; }
  bool Has(const std::string &part) const {
    return std::string(model->source->xml).find(part) != std::string::npos;
  }
  static bool Says(const std::string &part) {
    return std::string(ph_error()).find(part) != std::string::npos;
  }

  std::filesystem::path top, file;
  std::vector<std::string> assets;
  std::vector<const char *> dirs;
  bool drop = false, mend = true;
  ph_model *model = nullptr;
};

#endif
