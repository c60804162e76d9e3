// A run of a cart whose success breaks once, in a folder that has to stay as it is: for tests of
// the verb cut.
#ifndef CLI_CUT_HELP_H
#define CLI_CUT_HELP_H

#include "bigym_help.h"
#include "cut_cart.h"
#include "cut_help.h"
#include "foreign_layouts.h"
#include "kill_help.h"

using cli_help::Cli;
using cli_help::Outcome;
using cli_help::Slurp;
using cut_help::contents_of;
using cut_help::kCart;
using std::string;
namespace fs = std::filesystem;

namespace {

const char kHeavy[] = "<mujoco><option timestep=\"0.002\"/><worldbody><body name=\"cart\">"
                      "<joint name=\"cart\" type=\"slide\" axis=\"1 0 0\"/>"
                      "<geom size=\".1\" mass=\"2\"/></body></worldbody>"
                      "<actuator><motor name=\"push\" joint=\"cart\"/></actuator></mujoco>";

class CliCut : public Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    Put("cart.lua", kCart);
    ASSERT_EQ(Record("run").status, 0);
    before = contents_of(Path("run"));
  }
  void TearDown() override {
    EXPECT_EQ(contents_of(Path("run")), before); /* whatever was asked for */
    Cli::TearDown();
  }
  /* Names in the folder, but what the tests themselves put there. */
  std::vector<string> Names() {
    std::vector<string> names;
    for (const auto &entry : fs::directory_iterator(top))
      if (entry.path().filename() != "out" && entry.path().filename() != "err")
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  void ExpectNothingNew(const std::vector<string> &args, int status, const string &part) {
    auto names = Names();
    ExpectError(args, status, part);
    EXPECT_EQ(Names(), names);
  }
  json_t *Cut(std::vector<string> args, int status = 0) {
    args.insert(args.begin(), {"cut", "--json"});
    Outcome o = Run(args);
    EXPECT_EQ(o.status, status) << o.err << o.out;
    return Json(o);
  }
  static int64_t Whole(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    EXPECT_TRUE(json_is_integer(value)) << key;
    return json_integer_value(value);
  }
  /* By id: the row that `latch` says. */
  std::map<string, int64_t> Latches(const string &path, const string &hold, const char *source) {
    std::map<string, int64_t> rows;
    json_t *latch = Json(Run({"latch", "--json", "--hold", hold, path})), *e;
    size_t i;
    json_array_foreach(json_object_get(latch, "episodes"), i, e) {
      json_t *row = json_object_get(e, source);
      rows[Text(e, "id")] = json_is_integer(row) ? json_integer_value(row) : -1;
    }
    json_decref(latch);
    return rows;
  }
  /* A shell line in the folder, with the program as $P. */
  Outcome Shell(const string &line) {
    string command = "cd " + top.string() + " && export HOME=" + top.string() +
                     " LC_ALL=C.UTF-8 P=" + program + " && { " + line + "; } >out 2>err";
    int status = system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Slurp(top / "out"), Slurp(top / "err")};
  }

  std::map<string, cut_help::Bytes> before;
};

} // namespace

#endif
