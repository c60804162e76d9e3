#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <playhead/playhead.h>

#include "foreign_model.h"

extern "C" {
#include "asset_index.h"
#include "mjcf_files.h"
}

namespace fs = std::filesystem;
using std::string;

namespace {

class MjcfForeign : public ForeignModel {};

/* --- where files are --- */

TEST_F(MjcfForeign, AFileOfAnotherComputerIsFoundByTheLongestTail) {
  Put("assets/robots/panda/meshes/link0.stl", Tetrahedron(1));
  Put("assets/robots/sawyer/meshes/link0.stl", Tetrahedron(2));
  assets = {top / "assets"};
  ASSERT_EQ(Mesh("/Users/ann/robosuite/models/assets/robots/sawyer/meshes/link0.stl"), PH_OK)
      << ph_error();
  EXPECT_TRUE(IsTetrahedron(2));
  EXPECT_EQ(Notes(), "");
}

TEST_F(MjcfForeign, AFileOfWhoseFoldersOnlyTheLastFitsIsSaidToBe) {
  Put("assets/robots/panda/meshes/link0.stl", Tetrahedron(1));
  string weak = "link0.stl: taken from " + string(top / "assets/robots/panda/meshes/link0.stl") +
                "; only its last folder fits\n";
  for (const char *folder : {"assets", "assets/robots/panda"}) {
    assets = {top / folder};
    ASSERT_EQ(Mesh("/Users/ann/assets/objects/meshes/link0.stl"), PH_OK) << ph_error();
    EXPECT_EQ(Notes(), weak) << folder;
    ASSERT_EQ(Mesh("/Users/ann/assets/panda/meshes/link0.stl"), PH_OK) << ph_error();
    EXPECT_EQ(Notes(), "") << folder << ": more than one folder fits";
    ASSERT_EQ(Mesh("meshes/link0.stl"), PH_OK) << ph_error();
    EXPECT_EQ(Notes(), "") << folder << ": there was no more to ask for";
  }
}

TEST_F(MjcfForeign, DotsBackslashesDrivesAndSpacesDoNotHideAFile) {
  Put("assets/my meshes/link0.stl", Tetrahedron(3));
  assets = {top / "assets"};
  for (const char *path : {"/home/x/assets/arenas/../my meshes/link0.stl", "my meshes/./link0.stl",
                           "C:\\Users\\x\\my meshes\\link0.stl", "x/../../../my meshes//link0.stl",
                           "\\\\host\\share\\my meshes\\link0.stl"}) {
    ASSERT_EQ(Mesh(path), PH_OK) << path << ": " << ph_error();
    EXPECT_TRUE(IsTetrahedron(3)) << path;
  }
}

TEST_F(MjcfForeign, AnAbsolutePathIsNotPutBehindMeshdir) {
  Put("assets/a/link0.stl", Tetrahedron(1));
  Put("assets/meshes/C/a/link0.stl", Tetrahedron(2));
  assets = {top / "assets"};
  ASSERT_EQ(Model("<compiler meshdir='meshes'/><asset><mesh name='m' file='C:\\a\\link0.stl'/>"
                  "</asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"),
            PH_OK)
      << ph_error();
  EXPECT_TRUE(IsTetrahedron(1));
}

TEST_F(MjcfForeign, TheFolderOfTheFileMayBeReadAndComesFirst) {
  Put("meshes/link0.stl", Tetrahedron(1));
  Put("assets/meshes/link0.stl", Tetrahedron(2));
  assets = {top / "assets"};
  ASSERT_EQ(Mesh("meshes/link0.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(IsTetrahedron(1));
}

TEST_F(MjcfForeign, AMovedFileIsFoundByItsNameAndThatIsSaid) {
  Put("assets/robots/common_meshes/pedestal.stl", Tetrahedron(4));
  assets = {top / "assets"};
  ASSERT_EQ(Mesh("/Users/ann/robots/panda/meshes/pedestal.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(IsTetrahedron(4));
  EXPECT_TRUE(Noted("pedestal.stl: found by its name alone: "));
  EXPECT_TRUE(Noted("/assets/robots/common_meshes/pedestal.stl"));
}

TEST_F(MjcfForeign, OfSeveralTheOneThatSharesMostOfThePathIsTaken) {
  Put("assets/v1/robots/sawyer/meshes/link0.stl", Tetrahedron(1));
  Put("assets/v1/robots/panda/meshes/link0.stl", Tetrahedron(2));
  assets = {top / "assets"};
  ASSERT_EQ(Mesh("/x/robots/panda/meshes/link0.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(IsTetrahedron(2));
  EXPECT_EQ(Notes(), "");
}

TEST_F(MjcfForeign, OfEqualOnesTheFirstIsTakenAndBothAreNamed) {
  Put("one/deep/q/link0.stl", Tetrahedron(2));
  Put("two/deep/p/link0.stl", Tetrahedron(1));
  assets = {top / "two", top / "one"};
  ASSERT_EQ(Mesh("/x/link0.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(IsTetrahedron(1));
  EXPECT_TRUE(Noted("link0.stl: two files fit equally: " + string(top / "two/deep/p/link0.stl") +
                    " is taken, not " + string(top / "one/deep/q/link0.stl")))
      << Notes();
}

TEST_F(MjcfForeign, EqualFilesWithEqualBytesAreNoQuestion) {
  Put("one/a/link0.stl", Tetrahedron(1));
  Put("one/b/link0.stl", Tetrahedron(1));
  assets = {top / "one"};
  ASSERT_EQ(Mesh("/x/link0.stl"), PH_OK) << ph_error();
  EXPECT_FALSE(Noted("fit equally")) << Notes();
}

TEST_F(MjcfForeign, OtherLettersAreTheLastResort) {
  Put("one/a/LINK0.STL", Tetrahedron(1));
  assets = {top / "one"};
  ASSERT_EQ(Mesh("/x/link0.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(Noted("link0.stl: found in other letters: "));
  Put("one/b/link0.stl", Tetrahedron(2));
  ASSERT_EQ(Mesh("/x/link0.stl"), PH_OK) << ph_error();
  EXPECT_TRUE(IsTetrahedron(2));
  EXPECT_FALSE(Noted("other letters"));
}

TEST_F(MjcfForeign, WithoutMendingNamesAreNotSearchedFor) {
  Put("assets/deep/link0.stl", Tetrahedron(1));
  assets = {top / "assets"};
  mend = false;
  EXPECT_EQ(Mesh("/x/link0.stl"), PH_EIO);
  EXPECT_TRUE(Says("mesh: /x/link0.stl: no such file")) << ph_error();
}

TEST_F(MjcfForeign, LinksAndHiddenFoldersAreNotFollowed) {
  Put("secret/link0.stl", Tetrahedron(1));
  Put("assets/.git/link0.stl", Tetrahedron(1));
  fs::create_symlink(top / "secret", top / "assets/way");
  fs::create_symlink(top / "secret/link0.stl", top / "assets/link0.stl");
  fs::create_directory_symlink(top / "assets", top / "assets/loop");
  assets = {top / "assets"};
  EXPECT_EQ(Mesh("/x/meshes/link0.stl"), PH_EIO);
  EXPECT_EQ(Mesh("/x/way/link0.stl"), PH_EIO);
}

TEST_F(MjcfForeign, AnIndexIsBoundedInDepthAndRepeatsItself) {
  string deep = "assets";
  for (int i = 0; i < 40; i++) {
    deep += "/d";
    Put(deep + "/f" + std::to_string(i) + ".stl", "x");
  }
  string root = top / "assets";
  char *roots[] = {root.data()};
  ph_asset_index *index = nullptr;
  bool cut = false;
  ASSERT_EQ(ph_asset_index_new(&index, roots, 1), PH_OK);
  EXPECT_EQ(ph_asset_index_size(index, &cut), 16u);
  EXPECT_TRUE(cut);
  auto match = std::make_unique<ph_asset_match>();
  EXPECT_TRUE(ph_asset_index_find(match.get(), index, "d/d/f3.stl"));
  EXPECT_EQ(match->shared, 3u);
  EXPECT_FALSE(ph_asset_index_find(match.get(), index, "f30.stl"));
  EXPECT_FALSE(ph_asset_index_find(match.get(), index, ""));
  ph_asset_index_free(index);
}

/* How often folders were opened since the last time. */
int Opens(int watch) {
  alignas(struct inotify_event) char bytes[4096];
  int n = 0;
  for (ssize_t got; (got = read(watch, bytes, sizeof bytes)) > 0;)
    for (ssize_t at = 0; at < got;) {
      auto event = reinterpret_cast<const struct inotify_event *>(bytes + at);
      n += (event->mask & IN_ISDIR) != 0;
      at += (ssize_t)(sizeof *event + event->len);
    }
  return n;
}

TEST_F(MjcfForeign, FoldersAreWalkedAgainOnlyWhenTheyChanged) {
  Put("assets/a/b/link0.stl", Tetrahedron(1));
  assets = {top / "assets"};
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), opens = 1;
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, (top / "assets").c_str(), IN_OPEN | IN_ONLYDIR), 0);
  /* A folder that was written just now may change without a trace: it is not kept. */
  for (int i = 0; i < 1000 && opens > 0; i++) {
    ASSERT_EQ(Mesh("/Users/ann/x/link0.stl"), PH_OK) << ph_error();
    opens = Opens(watch);
    ASSERT_TRUE(i > 0 || opens > 0) << "nothing is watched";
    usleep(opens > 0 ? 10000 : 0);
  }
  EXPECT_EQ(opens, 0) << "the folders are walked for every model";
  Put("assets/a/b/link1.stl", Tetrahedron(2));
  EXPECT_EQ(Mesh("/Users/ann/x/link1.stl"), PH_OK) << "a new file is found: " << ph_error();
  EXPECT_TRUE(IsTetrahedron(2));
  unlink((top / "assets/a/b/link0.stl").c_str());
  EXPECT_NE(Mesh("/Users/ann/x/link0.stl"), PH_OK);
  close(watch);
}

TEST_F(MjcfForeign, PathsBecomePlain) {
  const std::map<string, string> plain = {{"a/../b", "b"},       {"/a/./b//c", "a/b/c"},
                                          {"../../x", "x"},      {"C:\\a\\..\\b.stl", "b.stl"},
                                          {"a/b/../../..", ""},  {"/", ""},
                                          {"..\\..\\etc", "etc"}};
  for (auto &[path, want] : plain) {
    char out[PATH_MAX];
    ph_path_plain(out, path.c_str());
    EXPECT_EQ(out, want) << path;
  }
  char out[PATH_MAX];
  ph_path_plain(out, string(2 * PATH_MAX, 'x').c_str());
  EXPECT_STREQ(out, "");
}

/* --- hostile names and files --- */

TEST_F(MjcfForeign, NoFileOutsideOfTheFoldersIsRead) {
  Put("passwd", "secret");
  Put("sub/episode.hdf5", "x");
  file = top / "sub/episode.hdf5";
  for (const char *path : {"/etc/passwd", "../../etc/passwd", "../../../../../../../etc/passwd",
                           "../passwd", "..\\passwd", "/proc/self/environ"}) {
    EXPECT_EQ(Mesh(path), PH_EIO) << path;
    EXPECT_TRUE(Says("a file of the model cannot be had")) << ph_error();
  }
  drop = true;
  ASSERT_EQ(Mesh("../passwd"), PH_OK) << ph_error();
  EXPECT_EQ(source_assets(), 0u);
  EXPECT_TRUE(Noted("mesh m: outside of what may be read: 1 geom left out")) << Notes();
}

TEST_F(MjcfForeign, PipesFoldersPointersAndEmptyFilesAreNoMeshes) {
  ASSERT_EQ(mkfifo((top / "pipe.stl").c_str(), 0600), 0);
  fs::create_directory(top / "folder.stl");
  Put("empty.stl", "");
  Put("lfs.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n");
  drop = true;
  const std::map<string, string> why = {{"pipe.stl", "no plain file"},
                                        {"folder.stl", "no plain file"},
                                        {"empty.stl", "file empty"},
                                        {"lfs.stl", "a Git LFS pointer"}};
  for (auto &[name, reason] : why) {
    ASSERT_EQ(Mesh(name), PH_OK) << name << ": " << ph_error();
    EXPECT_TRUE(Noted("mesh m: " + reason + ": 1 geom left out")) << Notes();
  }
  drop = false;
  EXPECT_EQ(Mesh("lfs.stl"), PH_EIO);
  EXPECT_TRUE(Says("lfs.stl: a Git LFS pointer")) << ph_error();
}

TEST_F(MjcfForeign, HostileTextIsOneLine) {
  string bombs = "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><mujoco>&b;</mujoco>";
  EXPECT_EQ(Text(bombs), PH_EREFUSED);
  string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 5000; i++)
    deep += "<body>";
  EXPECT_EQ(Text(deep), PH_EFORMAT);
  EXPECT_EQ(Text("<mujoco><worldbody><geom size='" + string(12000000, '1') +
                 "'/></worldbody>"
                 "</mujoco>"),
            PH_EFORMAT);
  EXPECT_EQ(Text("<mujoco model='" + string(900000, ',') + "'/>"), PH_OK) << ph_error();
  EXPECT_EQ(Text(string("<mujoco>\0</mujoco>", 18)), PH_EFORMAT);
  EXPECT_EQ(Text(string("<mujoco/>\0\0\0", 12)), PH_OK) << ph_error();
  EXPECT_EQ(Text(""), PH_EFORMAT);
  EXPECT_EQ(Text("\xff\xfe"), PH_EFORMAT);
  EXPECT_EQ(Text("<robot/>"), PH_EFORMAT);
  EXPECT_EQ(string(ph_error()).find('\n'), string::npos);
}

TEST_F(MjcfForeign, AnIncludedFileThatIsMissingIsAnErrorAlsoWhenMissingOnesAreDropped) {
  drop = true;
  EXPECT_EQ(Model("<include file='/home/x/arena.xml'/>"), PH_EIO);
  EXPECT_TRUE(Says("include: /home/x/arena.xml")) << ph_error();
  Put("assets/arenas/arena.xml", "<mujocoinclude><worldbody><body><joint/><geom size='1'/></body>"
                                 "</worldbody></mujocoinclude>");
  assets = {top / "assets"};
  ASSERT_EQ(Model("<include file='/home/x/arena.xml'/>"), PH_OK) << ph_error();
  EXPECT_EQ(dims().nq, 1);
}

TEST_F(MjcfForeign, MissingFilesAreListedWithWhatToDo) {
  string meshes;
  for (int i = 10; i < 32; i++)
    meshes += "<mesh file='/home/x/link" + std::to_string(i) + ".stl'/>";
  EXPECT_EQ(Model("<asset>" + meshes + "</asset>"), PH_EIO);
  EXPECT_TRUE(Says("episode.hdf5: 22 files of the model cannot be had: --assets DIR "))
      << ph_error();
  EXPECT_TRUE(Says("drop leaves them out: link10.stl, link11.stl, ")) << ph_error();
  EXPECT_TRUE(Says("link19.stl and 12 more")) << ph_error();
  EXPECT_TRUE(Says("--missing-assets drop")) << ph_error();
  EXPECT_EQ(Mesh("/home/x/link0.stl"), PH_EIO);
  EXPECT_TRUE(Says("leaves it out: /home/x/link0.stl: file missing")) << ph_error();
}

TEST_F(MjcfForeign, DamageNeverCrashesAndNeverReadsMoreThanWasFound) {
  Put("m.stl", Tetrahedron(1));
  string xml = "<mujoco><compiler inertiafromgeom='true' meshdir='/x'/><default><geom mesh='a'/>"
               "<default class='c'><geom type='mesh' mesh='b'/></default></default><asset>"
               "<mesh name='a' file='m.stl'/><mesh name='b' file='/y/b.stl'/><texture type='cube' "
               "file='t.png'/><hfield name='h' file='h.png' size='1 1 1 1'/></asset><worldbody>"
               "<body childclass='c'><joint range='[0, 1]'/><geom name='g'/><geom class='main'/>"
               "</body><geom type='hfield' hfield='h' name='f'/></worldbody><contact><pair "
               "geom1='g' geom2='f'/></contact></mujoco>";
  std::mt19937 random(7);
  drop = true;
  int fine = 0;
  for (int i = 0; i < 400; i++) {
    string damaged = xml;
    for (int k = 0; k < 1 + i % 3; k++)
      damaged[random() % damaged.size()] = static_cast<char>(" '\"<>/=agm,[1"[random() % 13]);
    ph_source *source = nullptr;
    ph_model_options opt = options();
    if (ph_mjcf_collect_text(&source, damaged.data(), damaged.size(), file.c_str(), &opt) ==
        PH_OK) {
      fine++;
      EXPECT_EQ(ph_mjcf_check(source), PH_OK) << damaged << "\n" << ph_error();
      ph_source_free(source);
    }
  }
  EXPECT_GT(fine, 20);
}

} // namespace
