// Models of a store: what is believed of them, and models given in their stead.
#include "store_help.h"

extern "C" {
#include "signals.h"
}

using namespace store_help;

namespace {

/* Bytes with a right checksum, in a file that HDF5 itself has opened for writing. */
void put_raw(hid_t h5, const std::string &path, const std::string &text) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); /* a missing parent is no news */
  if (H5Lexists(h5, path.c_str(), H5P_DEFAULT) > 0)
    H5Ldelete(h5, path.c_str(), H5P_DEFAULT);
  hsize_t n = text.size();
  hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &n, nullptr);
  H5Pset_create_intermediate_group(links, 1);
  hid_t dataset =
      H5Dcreate2(h5, path.c_str(), H5T_STD_U8LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(dataset, 0);
  H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  require(ph_h5_put_u32(dataset, "crc", ph_crc32(text.data(), text.size())));
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(links);
}

/* Names outlive a source that cannot be used, and never come with a compiled model. */
void expect_names_only(const Store &s, const Model &model, const char *why) {
  ph_model *m;
  ph_sink *sink;
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  EXPECT_FALSE(ph_model_compiled(m));
  EXPECT_TRUE(says(ph_model_error(m), why));
  EXPECT_STREQ(ph_model_sha256(m), ph_model_sha256(model.m));
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "shoulder");
  EXPECT_EQ(ph_model_dims(m)->nq, 9);
  EXPECT_EQ(ph_model_fits(m, model.m), PH_OK) << ph_error();
  Folder dir;
  ph_episode_meta origin = {};
  ASSERT_EQ(ph_sink_dataset(&sink, (dir / "x.h5").c_str(), &origin, nullptr), PH_OK) << ph_error();
  EXPECT_EQ(sink->model(sink, m), PH_EMODEL) << "there is nothing to write";
  sink->free(sink);
  ph_model_unref(m);
}

TEST(Store, AModelIsVerifiedByItsHash) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Bytes file = slurp(dir / "d.h5");
  auto rewrite = [&](const std::function<void(hid_t)> &f) {
    spill(dir / "bad.h5", file, file.size());
    hid_t h5 = H5Fopen((dir / "bad.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    f(h5);
    H5Fclose(h5);
    Store s = open_store({dir / "bad.h5"});
    EXPECT_TRUE(s) << ph_error();
    return s;
  };
  std::string group = "/models/" + std::string(ph_model_sha256(model.m));
  ph_model *m;
  Store s = rewrite([&](hid_t h5) { put_raw(h5, group + "/xml", "<mujoco/>"); });
  expect_names_only(s, model, "hash");
  s = rewrite([&](hid_t h5) { put_raw(h5, group + "/assets/extra.obj", "x"); });
  expect_names_only(s, model, "hash");
  s = rewrite([&](hid_t h5) { H5Ldelete(h5, (group + "/xml").c_str(), H5P_DEFAULT); });
  expect_names_only(s, model, "xml");
  s = rewrite([&](hid_t h5) {
    H5Ldelete(h5, (group + "/names").c_str(), H5P_DEFAULT);
    put_raw(h5, group + "/xml", "<mujoco/>");
  });
  EXPECT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_ECORRUPT);
  EXPECT_TRUE(says(ph_error(), "hash"));
  s = rewrite([&](hid_t h5) {
    put_raw(h5, "/tasks/" + std::string(ph_task_sha256(task.t)) + "/source", "return {}");
  });
  const char *source;
  EXPECT_EQ(ph_store_task(&source, s.get(), ph_task_sha256(task.t)), PH_ECORRUPT);
  EXPECT_EQ(source, nullptr);
  EXPECT_TRUE(says(ph_error(), "hash"));
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  ph_model_unref(m);
}

TEST(Store, SizesThatNothingBearsOutAreRefused) {
  Folder dir;
  Model model("<mujoco><worldbody><body name='hand' mocap='true'/><body><joint/><geom size='.1'/>"
              "</body></worldbody></mujoco>");
  Task task;
  std::string group = "/models/" + std::string(ph_model_sha256(model.m));
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Bytes file = slurp(dir / "d.h5");
  auto rewrite = [&](const std::function<void(hid_t)> &f) {
    spill(dir / "bad.h5", file, file.size());
    hid_t h5 = H5Fopen((dir / "bad.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t id = H5Gopen2(h5, group.c_str(), H5P_DEFAULT);
    f(id);
    H5Gclose(id);
    H5Fclose(h5);
    Store s = open_store({dir / "bad.h5"});
    EXPECT_TRUE(s) << ph_error();
    EXPECT_FALSE(episode_of(s, 0));
  };
  rewrite([](hid_t id) { ph_h5_put_i64(id, "nmocap", 2000000); });
  EXPECT_TRUE(says(ph_error(), "nmocap: 2000000 where names/mocap has 1 lines"));
  rewrite([](hid_t id) {
    H5Ldelete(id, "names/mocap", H5P_DEFAULT);
    ph_h5_put_i64(id, "nmocap", 2000000);
  });
  EXPECT_TRUE(says(ph_error(), "nmocap of its model: 2000000"));
  rewrite([](hid_t id) { ph_h5_put_i64(id, "nuserdata", 2000000); });
  EXPECT_TRUE(says(ph_error(), "nuserdata: 2000000"));
}

TEST(Store, AModelThatReadsFilesIsRefused) {
  Folder dir;
  Model model;
  ph_source source = {};
  std::string xml = "<mujoco><include file='/etc/hostname'/></mujoco>";
  source.xml = xml.data();
  source.xml_size = xml.size();
  ph_source_hash(&source);
  Demo demo;
  demo.actions = 5;
  demo.model = source.sha256;
  write_file(dir / "d.h5", {{"demo_0", &demo}}, [&](hid_t h5) {
    hid_t group;
    std::string path = std::string("/models/") + source.sha256;
    require(ph_h5_group_create(&group, h5, path.c_str()));
    ph_h5_put_i64(group, "nq", 4);
    ph_h5_put_i64(group, "nv", 3);
    ph_h5_put_i64(group, "nu", 2);
    require(ph_h5_put_bytes(group, "xml", xml.data(), xml.size()));
    ph_h5_close(group);
  });
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_TRUE(episode_of(s, 0)) << ph_error();
  ph_model *m;
  EXPECT_EQ(ph_store_model(&m, s.get(), source.sha256), PH_EREFUSED);
  EXPECT_EQ(m, nullptr);
}

TEST(Store, AModelThatDoesNotCompileKeepsItsNames) {
  Folder dir;
  ph_source source = {};
  std::string xml = "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"; /* no mass */
  source.xml = xml.data();
  source.xml_size = xml.size();
  ph_source_hash(&source);
  Demo demo;
  demo.actions = 5;
  demo.dims.nq = demo.dims.nv = 1;
  demo.model = source.sha256;
  write_file(dir / "d.h5", {{"demo_0", &demo}}, [&](hid_t h5) {
    hid_t g;
    int64_t one = 1;
    int32_t type = PH_HINGE, zero = 0;
    char *body[] = {(char *)"world", (char *)"b\x01"}, *joint[] = {(char *)"elbow"};
    require(ph_h5_group_create(&g, h5, (std::string("/models/") + source.sha256).c_str()));
    ph_h5_put_i64(g, "nq", 1);
    ph_h5_put_i64(g, "nv", 1);
    ph_h5_put_i64(g, "nu", 2);
    ph_h5_put_f64(g, "timestep", 0.004);
    ph_h5_put_string(g, "mujoco_version", "9.9.9");
    require(ph_h5_put_bytes(g, "xml", xml.data(), xml.size()));
    require(ph_h5_put_strings(g, "names/body", body, 2));
    require(ph_h5_put_strings(g, "names/joint", joint, 1));
    require(ph_h5_put_array(g, "names/joint_type", PH_I32, 1, &one, &type));
    require(ph_h5_put_array(g, "names/joint_qposadr", PH_I32, 1, &one, &zero));
    require(ph_h5_put_array(g, "names/joint_dofadr", PH_I32, 1, &one, &zero));
    ph_h5_close(g);
  });
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), source.sha256), PH_OK) << ph_error();
  EXPECT_FALSE(ph_model_compiled(m));
  EXPECT_STRNE(ph_model_error(m), "");
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "elbow");
  EXPECT_EQ(ph_model_joint(m, 0)->type, PH_HINGE);
  EXPECT_STREQ(ph_model_name(m, PH_BODY, 1), "b\x01") << "as it is in the file";
  EXPECT_EQ(ph_model_timestep(m), 0.004);
  EXPECT_STREQ(ph_model_engine_version(m), "9.9.9");
  ph_model_unref(m);
}

TEST(Store, NamesWithControlCharactersComeBackAsTheyAre) {
  Folder dir;
  Task task;
  std::string xml = arm_xml;
  xml.replace(xml.find("'shoulder'"), 10, "'c&#9;d'");
  xml.replace(xml.find("'shoulder'"), 10, "'c&#9;d'");
  Model model(xml);
  ASSERT_STREQ(ph_model_name(model.m, PH_JOINT, 0), "c\td");
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  EXPECT_TRUE(ph_model_compiled(m)) << ph_model_error(m);
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "c\td");
  ph_dims dims = *ph_model_dims(m);
  ph_signal *signals = nullptr;
  size_t n = 0;
  ASSERT_EQ(ph_signals_make(&signals, &n, m, &dims), PH_OK);
  EXPECT_STREQ(signals[0].name, "c\\x09d") << "escaped where it is shown";
  free(signals);
  ph_model_unref(m);
}

TEST(Store, AnotherModelCanBeGiven) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  std::string heavier = arm_xml;
  heavier.replace(heavier.find("size='.1'"), 9, "size='.2'");
  spill(dir / "mine.xml", heavier);
  std::string path = dir / "mine.xml";
  ph_store_options opt = {};
  opt.model_path = path.c_str();
  Store s = open_store({dir / "d.h5"}, &opt);
  path[0] = '!'; /* the store has its own copy */
  ASSERT_TRUE(s);
  ph_model *m, *again;
  ASSERT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_OK) << ph_error();
  EXPECT_STRNE(ph_model_sha256(m), ph_model_sha256(model.m));
  EXPECT_EQ(ph_model_find(m, PH_JOINT, "slide"), 1);
  ASSERT_EQ(ph_store_model(&again, s.get(), ""), PH_OK);
  EXPECT_EQ(m, again);
  ph_model_unref(m);
  ph_model_unref(again);
}

TEST(Store, AnotherModelMustFitTheRecordedOne) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  std::string renamed = arm_xml;
  renamed.replace(renamed.find("'slide'"), 7, "'glide'");
  spill(dir / "mine.xml", renamed);
  std::string path = dir / "mine.xml";
  ph_store_options opt = {};
  opt.model_path = path.c_str();
  Store s = open_store({dir / "d.h5"}, &opt);
  ASSERT_TRUE(s);
  ph_model *m;
  EXPECT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_EMISMATCH);
  EXPECT_EQ(m, nullptr);
  EXPECT_TRUE(says(ph_error(), "slide"));
  EXPECT_TRUE(says(ph_error(), "glide"));
  opt.model_path = "/nonexistent.xml";
  s = open_store({dir / "d.h5"}, &opt);
  ASSERT_TRUE(s);
  EXPECT_NE(ph_store_model(&m, s.get(), ""), PH_OK);
  EXPECT_TRUE(says(ph_error(), "/nonexistent.xml"));
  s = open_store({dir / "d.h5"});
  EXPECT_EQ(ph_store_model(&m, s.get(), ""), PH_ENOTFOUND);
}

} // namespace
