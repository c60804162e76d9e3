#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tetrahedron.h"

extern "C" {
#include "hash.h"
#include "mj.h"
#include "mjcf.h"
}

namespace fs = std::filesystem;
using std::string;

namespace {

class Mjcf : public testing::Test {
protected:
  void SetUp() override {
    const char *tmp = getenv("TMPDIR");
    string name = string(tmp ? tmp : "/tmp") + "/mjcfXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = fs::canonical(name);
    dir = top / "model";
    fs::create_directories(dir);
  }
  void TearDown() override {
    ph_source_free(source);
    fs::remove_all(top);
  }
  void Put(const fs::path &path, const string &text) {
    fs::create_directories((dir / path).parent_path());
    std::ofstream(dir / path, std::ios::binary) << text;
  }
  ph_status Collect(const string &main = "m.xml") {
    ph_source_free(source);
    source = nullptr;
    std::vector<const char *> dirs;
    for (auto &a : assets)
      dirs.push_back(a.c_str());
    ph_model_options opt{dirs.data(), dirs.size(), false, false};
    return ph_mjcf_collect(&source, (dir / main).c_str(), &opt);
  }
  ph_status Model(const string &body) {
    Put("m.xml", "<mujoco>" + body + "</mujoco>");
    return Collect();
  }
  ph_status Text(const string &xml) {
    ph_source_free(source);
    source = nullptr;
    return ph_mjcf_parse(&source, xml.data(), xml.size(), "inline");
  }
  string Xml() const { return source ? source->xml : ""; }
  bool Says(const string &part) const { return string(ph_error()).find(part) != string::npos; }
  bool Has(const string &part) const { return Xml().find(part) != string::npos; }
  int Compiled() {
    mjModel *m = nullptr;
    EXPECT_EQ(ph_mj_compile(&m, source), PH_OK) << ph_error() << "\n" << Xml();
    int meshes = m ? static_cast<int>(m->nmesh) : -1;
    ph_mj_free_model(m);
    return meshes;
  }

  fs::path top, dir;
  std::vector<string> assets;
  ph_source *source = nullptr;
};

const char kMesh[] = "<worldbody><geom type=\"mesh\" mesh=\"link0\"/></worldbody>";

TEST_F(Mjcf, RewritesPathsAndGivesTheNamesOfMuJoCo) {
  Put("meshes/Link0.STL", Tetrahedron());
  Put("textures/a.b.png", "png");
  ASSERT_EQ(Model("<compiler meshdir=\"meshes\" texturedir=\"textures\" angle=\"radian\"/><asset>"
                  "<mesh file=\"Link0.STL\"/><texture type=\"2d\" file=\"a.b.png\"/></asset>"),
            PH_OK)
      << ph_error();
  EXPECT_EQ(Xml(), "<mujoco>\n  <compiler angle=\"radian\"/>\n  <asset>\n"
                   "    <mesh file=\"link0.stl\" name=\"Link0\"/>\n"
                   "    <texture type=\"2d\" file=\"a_b.png\" name=\"a.b\"/>\n"
                   "  </asset>\n</mujoco>\n");
  ASSERT_EQ(source->nassets, 2u);
  EXPECT_EQ(string(static_cast<char *>(source->assets[0].data), source->assets[0].size),
            Tetrahedron());
  char sha[65];
  ph_sha256_of("png", 3, sha);
  EXPECT_STREQ(source->assets[1].sha256, sha);
  EXPECT_EQ(source->xml_size, strlen(source->xml));
  EXPECT_EQ(ph_mjcf_check(source), PH_OK) << ph_error();
}

TEST_F(Mjcf, TwoFilesOfOneBaseNameAndCaseCollisionsStayApart) {
  Put("left/link0.stl", Tetrahedron(1));
  Put("right/link0.stl", Tetrahedron(2));
  Put("right/LINK0.stl", Tetrahedron(3));
  ASSERT_EQ(Model("<asset><mesh name=\"link0\" file=\"left/link0.stl\"/>"
                  "<mesh name=\"b\" file=\"right/link0.stl\"/>"
                  "<mesh name=\"c\" file=\"right/LINK0.stl\"/>"
                  "<mesh name=\"again\" file=\"left/../left/link0.stl\"/></asset>" +
                  string(kMesh)),
            PH_OK)
      << ph_error();
  ASSERT_EQ(source->nassets, 3u);
  EXPECT_STREQ(source->assets[0].name, "link0.stl");
  EXPECT_STREQ(source->assets[1].name, "link0_2.stl");
  EXPECT_STREQ(source->assets[2].name, "link0_3.stl");
  EXPECT_TRUE(Has("name=\"again\" file=\"link0.stl\""));
  EXPECT_EQ(memcmp(source->assets[1].data, Tetrahedron(2).data(), source->assets[1].size), 0);
  EXPECT_EQ(Compiled(), 4);
}

TEST_F(Mjcf, TheLastFolderHoldsAndStrippathDropsTheRest) {
  Put("b/link0.stl", Tetrahedron());
  ASSERT_EQ(Model("<compiler meshdir=\"a\"/><asset><mesh file=\"/home/x/link0.stl\"/></asset>"
                  "<compiler meshdir=\"b\" strippath=\"true\"/>" +
                  string(kMesh)),
            PH_OK)
      << ph_error();
  EXPECT_FALSE(Has("meshdir"));
  EXPECT_FALSE(Has("strippath"));
  EXPECT_EQ(Compiled(), 1);
}

TEST_F(Mjcf, AssetdirHoldsWhereNoOtherFolderIsGiven) {
  Put("a/link0.stl", Tetrahedron());
  Put("t/x.png", "png");
  ASSERT_EQ(Model("<compiler assetdir=\"a\" texturedir=\"t\"/><asset><mesh file=\"link0.stl\"/>"
                  "<texture type=\"2d\" file=\"x.png\"/></asset>"),
            PH_OK)
      << ph_error();
  EXPECT_FALSE(Has("assetdir"));
}

TEST_F(Mjcf, CubeTexturesAndNamelessOnes) {
  Put("r.png", "r");
  Put("l.png", "l");
  ASSERT_EQ(Model("<asset><texture name=\"cube\" type=\"cube\" fileright=\"r.png\" "
                  "fileleft=\"l.png\"/><texture type=\"skybox\" builtin=\"flat\" file=\"\" "
                  "width=\"4\" height=\"4\"/></asset>"),
            PH_OK)
      << ph_error();
  EXPECT_EQ(source->nassets, 2u);
  EXPECT_TRUE(Has("fileright=\"r.png\" fileleft=\"l.png\"/>"));
  EXPECT_TRUE(Has("<texture type=\"skybox\" builtin=\"flat\" file=\"\" width"));
  EXPECT_EQ(ph_mjcf_check(source), PH_OK) << ph_error();
}

TEST_F(Mjcf, IncludesAreInlinedInPlaceAndOriginalsKept) {
  Put("parts/a.xml", "<?xml version=\"1.0\"?><!-- a --><any attr=\"x\"><body name=\"one\">"
                     "<geom size=\"1\"/></body><include file=\"parts/b.xml\"/></any>");
  Put("parts/b.xml", "<mujocoinclude><body name=\"two\"><geom size=\"1\"/></body></mujocoinclude>");
  string main = "<mujoco><!-- -- -->\n<worldbody><body name=\"zero\"><geom size=\"1\"/></body>"
                "<Include file=\"parts/a.xml\"/><body name=\"three\"><geom size=\"1\"/></body>"
                "</worldbody></mujoco>";
  Put("m.xml", main);
  ASSERT_EQ(Collect(), PH_OK) << ph_error();
  size_t at = 0;
  for (const char *name : {"zero", "one", "two", "three"}) {
    size_t next = Xml().find(name, at);
    ASSERT_NE(next, string::npos) << name << Xml();
    at = next;
  }
  EXPECT_EQ(strcasestr(source->xml, "include"), nullptr);
  ASSERT_EQ(source->noriginals, 3u);
  EXPECT_STREQ(source->originals[0].name, "m.xml");
  EXPECT_EQ(string(static_cast<char *>(source->originals[0].data), source->originals[0].size),
            main);
  EXPECT_STREQ(source->originals[1].name, "parts/a.xml");
  EXPECT_STREQ(source->originals[2].name, "parts/b.xml");
  EXPECT_EQ(Compiled(), 0);
}

TEST_F(Mjcf, FilesOfAnIncludeAreRelativeToTheMainFile) {
  Put("meshes/link0.stl", Tetrahedron());
  Put("parts/a.xml",
      "<x><compiler meshdir=\"meshes\"/><asset><mesh file=\"link0.stl\"/></asset></x>");
  ASSERT_EQ(Model("<include file=\"parts/a.xml\"/>"), PH_OK) << ph_error();
  EXPECT_EQ(source->nassets, 1u);
}

TEST_F(Mjcf, IncludesAreRefusedWhereMuJoCoRefusesThem) {
  Put("a.xml", "<x><include file=\"b.xml\"/></x>");
  Put("b.xml", "<x><include file=\"a.xml\"/></x>");
  EXPECT_EQ(Model("<include file=\"a.xml\"/>"), PH_EFORMAT);
  EXPECT_TRUE(Says("a.xml: included twice")) << ph_error();
  EXPECT_EQ(Model("<include file=\"m.xml\"/>"), PH_EFORMAT);
  EXPECT_EQ(Model("<include/>"), PH_EFORMAT);
  EXPECT_EQ(Model("<include file=\"a.xml\"><x/></include>"), PH_EFORMAT);
  Put("c.xml", "<x/>");
  EXPECT_EQ(Model("<include file=\"c.xml\"/><include file=\"./c.xml\"/>"), PH_EFORMAT);
  EXPECT_EQ(Model("<include file=\"none.xml\"/>"), PH_EIO);
  EXPECT_TRUE(Says("none.xml: no such file")) << ph_error();
  EXPECT_TRUE(Says("m.xml: include")) << ph_error();
}

TEST_F(Mjcf, NothingOutsideIsRead) {
  fs::create_directory_symlink("/etc", dir / "etc");
  fs::create_symlink("/etc/hostname", dir / "link.stl");
  fs::create_symlink("/etc/hostname", dir / "link.xml");
  std::ofstream(top / "out.stl") << Tetrahedron();
  std::ofstream(top / "out.xml") << "<x><asset/></x>";
  for (const char *file : {"/etc/hostname", "link.stl", "../out.stl", "etc/hostname",
                           "../../../../../../../../etc/hostname"}) {
    EXPECT_EQ(Model("<asset><mesh file=\"" + string(file) + "\"/></asset>"), PH_EREFUSED) << file;
    EXPECT_TRUE(Says(file)) << ph_error();
    EXPECT_EQ(source, nullptr);
  }
  for (const char *file : {"/etc/hostname", "link.xml", "../out.xml", "etc/hostname"}) {
    EXPECT_EQ(Model("<include file=\"" + string(file) + "\"/>"), PH_EREFUSED) << file;
    EXPECT_TRUE(Says(file)) << ph_error();
  }
  EXPECT_EQ(Model("<compiler meshdir=\"..\"/><asset><mesh file=\"out.stl\"/></asset>"),
            PH_EREFUSED);
  EXPECT_EQ(Model("<compiler texturedir=\"/etc\"/><asset><texture file=\"hostname\"/></asset>"),
            PH_EREFUSED);
  /* a folder whose name only begins like the model's */
  fs::create_directories(top / "model2");
  std::ofstream(top / "model2" / "x.stl") << Tetrahedron();
  EXPECT_EQ(Model("<asset><mesh file=\"../model2/x.stl\"/></asset>"), PH_EREFUSED);
}

TEST_F(Mjcf, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(mkfifo((dir / "pipe.stl").c_str(), 0600), 0);
  EXPECT_EQ(Model("<asset><mesh file=\"pipe.stl\"/></asset>"), PH_EREFUSED);
  EXPECT_EQ(Model("<asset><mesh file=\".\"/></asset>"), PH_EREFUSED);
  EXPECT_EQ(Collect("pipe.stl"), PH_EREFUSED);
  EXPECT_EQ(Collect("none.xml"), PH_EIO);
  Put("big.stl", "");
  ASSERT_EQ(truncate((dir / "big.stl").c_str(), (256l << 20) + 1), 0);
  EXPECT_EQ(Model("<asset><mesh file=\"big.stl\"/></asset>"), PH_EREFUSED);
}

TEST_F(Mjcf, AnotherMachinesPathIsFoundByItsLongestTail) {
  fs::create_directories(top / "store/panda/meshes");
  fs::create_directories(top / "store/textures");
  std::ofstream(top / "store/link0.stl") << Tetrahedron(1);
  std::ofstream(top / "store/panda/meshes/link0.stl") << Tetrahedron(2);
  std::ofstream(top / "store/textures/t.png") << "png";
  string body = "<asset><mesh file=\"/home/a/robots/panda/meshes/link0.stl\"/>"
                "<texture type=\"2d\" file=\"/home/a/arenas/../textures/t.png\"/>"
                "<mesh name=\"w\" file=\"C:\\robots\\other\\link0.stl\"/></asset>" +
                string(kMesh);
  EXPECT_EQ(Model(body), PH_EIO);
  assets = {(top / "store").string()};
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  ASSERT_EQ(source->nassets, 3u);
  EXPECT_EQ(memcmp(source->assets[0].data, Tetrahedron(2).data(), source->assets[0].size), 0);
  EXPECT_EQ(memcmp(source->assets[2].data, Tetrahedron(1).data(), source->assets[2].size), 0);
  /* outside of the model's folder, yet inside of an allowed one */
  EXPECT_EQ(Model("<asset><mesh file=\"../store/link0.stl\"/></asset>"), PH_OK) << ph_error();
  /* a link that leaves the folder of assets */
  fs::create_symlink("/etc/hostname", top / "store/bad.stl");
  EXPECT_EQ(Model("<asset><mesh file=\"bad.stl\"/></asset>"), PH_EIO);
  EXPECT_EQ(Model("<asset><mesh file=\"../store/bad.stl\"/></asset>"), PH_EREFUSED);
  assets = {(top / "gone").string()};
  EXPECT_EQ(Model("<asset/>"), PH_EIO);
  EXPECT_TRUE(Says("gone")) << ph_error();
}

TEST_F(Mjcf, WhatIsNotUnderstoodIsRefused) {
  Put("x.xml", "<mujoco/>");
  EXPECT_EQ(Model("<asset><model name=\"m\" file=\"x.xml\"/></asset>"), PH_EREFUSED);
  EXPECT_TRUE(Says("attaches another model")) << ph_error();
  EXPECT_EQ(Model("<thing filename=\"x.xml\"/>"), PH_EREFUSED);
  EXPECT_TRUE(Says("filename of <thing>")) << ph_error();
  EXPECT_EQ(Model("<asset><mesh FILE=\"x.xml\"/></asset>"), PH_EREFUSED);
  EXPECT_EQ(Text("<robot name=\"r\"/>"), PH_EFORMAT);
  EXPECT_TRUE(Says("URDF")) << ph_error();
  EXPECT_EQ(Text("<html/>"), PH_EFORMAT);
  EXPECT_EQ(Text("<mujoco xmlns:a=\"b\"/>"), PH_EFORMAT);
}

TEST_F(Mjcf, ATextReadsNoFiles) {
  EXPECT_EQ(Text("<mujoco><asset><mesh file=\"/etc/hostname\"/></asset></mujoco>"), PH_EREFUSED);
  EXPECT_EQ(Text("<mujoco><include file=\"/etc/hostname\"/></mujoco>"), PH_EREFUSED);
  ASSERT_EQ(Text("<mujoco model=\"m\"/>"), PH_OK) << ph_error();
  EXPECT_EQ(Xml(), "<mujoco model=\"m\"/>\n");
  EXPECT_STREQ(source->originals[0].name, "inline");
}

TEST_F(Mjcf, HostileTextIsRefusedInOneLine) {
  string laughs = "<!DOCTYPE mujoco [<!ENTITY a \"ha\">";
  for (char c = 'b'; c < 'm'; c++)
    laughs += string("<!ENTITY ") + c + " \"" + [&] {
      string ten;
      for (int i = 0; i < 10; i++)
        ten += string("&") + static_cast<char>(c - 1) + ";";
      return ten;
    }() + "\">";
  EXPECT_EQ(Text(laughs + "]><mujoco model=\"&l;\"/>"), PH_EREFUSED);
  EXPECT_TRUE(Says("line 1: a document type declaration")) << ph_error();
  EXPECT_EQ(Text("<mujoco model=\"&nothing;\"/>"), PH_EFORMAT);
  string deep = "<mujoco>", end = "</mujoco>";
  for (int i = 0; i < 100000; i++)
    deep += "<body>";
  EXPECT_EQ(Text(deep), PH_EFORMAT);
  EXPECT_EQ(Text(string("<mujoco/>\0x", 11)), PH_EFORMAT);
  EXPECT_EQ(Text(""), PH_EFORMAT);
  EXPECT_EQ(Text("\xff\xfe<\0m\0"), PH_EFORMAT);
  EXPECT_EQ(Text("<mujoco><!-- no end"), PH_EFORMAT);
  EXPECT_EQ(Text("<mujoco>\n<a>\n</b></mujoco>"), PH_EFORMAT);
  EXPECT_TRUE(Says("inline: line 3: not XML")) << ph_error();
  EXPECT_EQ(string(ph_error()).find('\n'), string::npos);
}

TEST_F(Mjcf, WhatIsTooLargeForTheParserIsSaidToBe) {
  string many, deep, end;
  for (int i = 0; i < 5500000; i++)
    many += "0 ";
  for (int i = 0; i < 300; i++) {
    deep += "<body>";
    end += "</body>";
  }
  string text = "<mujoco>\n<asset><mesh name='m' vertex='" + many + "'/></asset></mujoco>";
  EXPECT_EQ(Text(text), PH_EFORMAT);
  EXPECT_TRUE(Says("inline: line 2: a value of this text of " + std::to_string(text.size()) +
                   " bytes is too long: the limit is 10000000 bytes"))
      << ph_error();
  EXPECT_EQ(Text("<mujoco>" + deep + end + "</mujoco>"), PH_EFORMAT);
  EXPECT_TRUE(Says("elements lie too deep in each other: the limit is 256")) << ph_error();
}

TEST_F(Mjcf, IncludesCannotNestWithoutEnd) {
  for (int i = 0; i < 300; i++)
    Put("i" + std::to_string(i) + ".xml",
        "<x><body><include file=\"i" + std::to_string(i + 1) + ".xml\"/></body></x>");
  Put("i300.xml", "<x><body/></x>");
  EXPECT_EQ(Model("<include file=\"i0.xml\"/>"), PH_EFORMAT);
  EXPECT_TRUE(Says("nested deeper")) << ph_error();
}

TEST_F(Mjcf, EveryTruncationIsAnErrorOrWhole) {
  string text = "<?xml version=\"1.0\"?><mujoco model='a &lt; \"b\" &#9;'><!-- c --><option "
                "timestep=\"0.002\"/><worldbody><geom size=\"1 2 3\"/></worldbody></mujoco>";
  for (size_t n = 0; n < text.size(); n++)
    EXPECT_EQ(Text(text.substr(0, n)), PH_EFORMAT) << n;
  ASSERT_EQ(Text(text), PH_OK) << ph_error();
  EXPECT_TRUE(Has("model=\"a &lt; &quot;b&quot; &#9;\"")) << Xml();
  for (size_t n = 0; n < text.size(); n++) {
    string flipped = text;
    flipped[n] = static_cast<char>(flipped[n] ^ 0x10);
    Text(flipped);
  }
}

TEST_F(Mjcf, NumbersKeepTheirTextAndRewritingTwiceChangesNothing) {
  ASSERT_EQ(Text("<mujoco><option gravity=\"0.10000000000000000001  -0 1e-400\"/></mujoco>"),
            PH_OK);
  EXPECT_TRUE(Has("gravity=\"0.10000000000000000001  -0 1e-400\""));
  string first = Xml();
  ASSERT_EQ(Text(first), PH_OK);
  EXPECT_EQ(Xml(), first);
}

TEST_F(Mjcf, AnyEncodingBesideUtf8IsTakenAsMuJoCoTakesIt) {
  ASSERT_EQ(Text("<?xml version=\"1.0\" encoding=\"latin-1\"?><mujoco model=\"\xc3\xa4\"/>"), PH_OK)
      << ph_error();
  EXPECT_EQ(Xml(), "<mujoco model=\"\xc3\xa4\"/>\n");
  EXPECT_EQ(Text("<mujoco><!-- \xe4 --></mujoco>"), PH_OK) << ph_error();
  EXPECT_EQ(Text("<mujoco model=\"\xe4\"/>"), PH_EFORMAT);
}

TEST_F(Mjcf, NamesAreSafeWhateverTheFileIsCalled) {
  Put("a b;c\"'$.x.Stl", Tetrahedron());
  Put(string(200, 'n') + ".stl", Tetrahedron(2));
  Put(".stl", Tetrahedron(3));
  Put("noext", "x");
  ASSERT_EQ(Model("<asset><mesh file=\"a b;c&quot;'$.x.Stl\"/><mesh file=\"" + string(200, 'n') +
                  ".stl\"/><mesh name=\"q\" file=\".stl\"/><skin file=\"noext\"/></asset>"),
            PH_OK)
      << ph_error();
  EXPECT_STREQ(source->assets[0].name, "a_b_c____x.stl");
  EXPECT_EQ(strlen(source->assets[1].name), 64u);
  EXPECT_STREQ(source->assets[2].name, "asset.stl");
  EXPECT_STREQ(source->assets[3].name, "noext");
  EXPECT_EQ(ph_mjcf_check(source), PH_OK) << ph_error();
}

TEST_F(Mjcf, HashIsStableAndSensitive) {
  auto model = [&](const string &attr, float size) {
    Put("link0.stl", Tetrahedron(size));
    EXPECT_EQ(Model("<option " + attr + "/><asset><mesh file=\"link0.stl\"/></asset>"), PH_OK);
    return string(source->sha256);
  };
  string first = model("timestep=\"0.01\"", 1);
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(model("timestep=\"0.01\"", 1), first);
  EXPECT_NE(model("timestep=\"0.02\"", 1), first);
  EXPECT_NE(model("timestep=\"0.01\"", 2), first);
  /* where the files lay does not matter */
  Put("sub/LINK0.stl", Tetrahedron(1));
  ASSERT_EQ(Model("<option timestep=\"0.01\"/><asset><mesh file=\"sub/LINK0.stl\" name=\"link0\"/>"
                  "</asset>"),
            PH_OK);
  EXPECT_EQ(string(source->sha256), first);
  /* the order of assets does not matter, their names do */
  ph_blob blobs[2] = {{strdup("a"), strdup("1"), 1, ""}, {strdup("b"), strdup("2"), 1, ""}};
  ph_source s = {};
  s.xml = strdup("x");
  s.xml_size = 1;
  s.assets = blobs;
  s.nassets = 2;
  ph_source_hash(&s);
  string one = s.sha256;
  std::swap(blobs[0], blobs[1]);
  ph_source_hash(&s);
  EXPECT_EQ(one, s.sha256);
  std::swap(blobs[0].name, blobs[1].name);
  ph_source_hash(&s);
  EXPECT_NE(one, s.sha256);
  for (auto &b : blobs) {
    free(b.name);
    free(b.data);
  }
  free(s.xml);
}

class Stored : public Mjcf {
protected:
  ph_status Check(const string &xml, std::vector<string> names = {"a.stl"}) {
    std::vector<ph_blob> blobs;
    for (auto &name : names)
      blobs.push_back({name.data(), nullptr, 0, ""});
    string text = xml;
    ph_source s = {};
    s.xml = text.data();
    s.xml_size = text.size();
    s.assets = blobs.data();
    s.nassets = blobs.size();
    return ph_mjcf_check(&s);
  }
};

TEST_F(Stored, OwnAssetsPass) {
  EXPECT_EQ(Check("<mujoco><asset><mesh name=\"a\" file=\"a.stl\"/></asset></mujoco>"), PH_OK)
      << ph_error();
  EXPECT_EQ(Check("<mujoco/>", {}), PH_OK);
}

TEST_F(Stored, EverythingElseIsRefused) {
  for (const char *body :
       {"<include file=\"a.stl\"/>", "<INCLUDE file=\"a.stl\"/>", "<compiler meshdir=\"/etc\"/>",
        "<compiler texturedir=\"\"/>", "<compiler assetdir=\"x\"/>",
        "<compiler strippath=\"true\"/>", "<asset><mesh file=\"/etc/hostname\"/></asset>",
        "<asset><mesh file=\"b.stl\"/></asset>", "<asset><mesh file=\"A.stl\"/></asset>",
        "<asset><texture fileup=\"b.png\"/></asset>", "<asset><model file=\"a.stl\"/></asset>",
        "<asset><mesh file=\"&#97;/a.stl\"/></asset>", "<x fileany=\"a.stl\"/>"})
    EXPECT_EQ(Check("<mujoco>" + string(body) + "</mujoco>"), PH_EREFUSED) << body;
  EXPECT_EQ(Check("<!DOCTYPE x><mujoco/>"), PH_EREFUSED);
  EXPECT_EQ(Check("<robot/>"), PH_EFORMAT);
  EXPECT_EQ(Check(string("<mujoco/>\0<include/>", 20)), PH_EFORMAT);
  for (const char *name : {"../a.stl", "/etc/a", "A.stl", "", ".a", "a b"})
    EXPECT_EQ(Check("<mujoco/>", {name}), PH_EREFUSED) << name;
  EXPECT_EQ(Check("<mujoco/>", {"a", "b", "a"}), PH_EREFUSED);
}

} // namespace
