#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "command.h"
}

static std::vector<std::string> words(const char *text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;)
    out.push_back(word);
  return out;
}

TEST(Command, TableIsSound) {
  std::set<std::string> names;
  std::map<uint32_t, std::string> keys;
  for (int i = 0; i < CMD_COUNT; i++) {
    const struct command_info *info = command_info((enum command)i);
    EXPECT_TRUE(names.insert(info->name).second) << info->name;
    EXPECT_EQ(command_find(info->name), i);
    EXPECT_GT(strlen(info->help), 0u) << info->name;
    EXPECT_LE(strlen(info->help), 60u) << info->name;
    EXPECT_GT(strlen(info->group), 0u) << info->name;
    for (const std::string &key : words(info->keys)) {
      uint32_t code = key_from_name(key.c_str());
      EXPECT_NE(code, (uint32_t)KEY_NONE_) << info->name << " " << key;
      EXPECT_TRUE(keys.emplace(code, info->name).second)
          << key << " is on " << info->name << " and on " << keys[code];
      EXPECT_FALSE(code >= '0' && code <= '9') << "digits type numbers";
    }
  }
  EXPECT_EQ(command_info(CMD_NONE), nullptr);
  EXPECT_EQ(command_find("no-such"), CMD_NONE);
}

TEST(Command, DefaultMapHoldsEveryDefaultKey) {
  static struct keymap map;
  keymap_default(&map);
  size_t n = 0;
  for (int i = 0; i < CMD_COUNT; i++)
    for (const std::string &key : words(command_info((enum command)i)->keys)) {
      EXPECT_EQ(keymap_find(&map, key_from_name(key.c_str())), i) << key;
      n++;
    }
  EXPECT_EQ(map.n, n);
  EXPECT_LT(n, 200u) << "leave room for the user's";
}

TEST(Command, KeysOfTheDesign) {
  static const struct {
    const char *keys, *name;
  } table[] = {
      {"n . Right", "step-forward"},
      {"p b , Left", "step-back"},
      {"g", "go"},
      {"r Home", "first"},
      {"End G", "last"},
      {"Up", "second-forward"},
      {"Down", "second-back"},
      {"PgUp", "event-previous-any"},
      {"PgDn", "event-next-any"},
      {"Space a", "play"},
      {"]", "faster"},
      {"[", "slower"},
      {"}", "double"},
      {"{", "half"},
      {"Backspace", "normal-speed"},
      {"R", "reverse"},
      {"e", "event-next"},
      {"E", "event-previous"},
      {"F", "event-kinds"},
      {"l", "loop"},
      {"L", "loop-all"},
      {"m", "mark"},
      {"'", "jump"},
      {"u", "undo"},
      {"<", "episode-previous"},
      {">", "episode-next"},
      {"$", "episode-last"},
      {"(", "env-previous"},
      {")", "env-next"},
      {"Tab", "panel-next"},
      {"S-Tab", "panel-previous"},
      {"j", "down"},
      {"k", "up"},
      {"z", "zoom"},
      {"f", "filter"},
      {"+", "time-in"},
      {"-", "time-out"},
      {"Enter", "enter"},
      {":", "prompt"},
      {"? F1", "help"},
      {"y", "copy"},
      {"q", "quit"},
      {"Q", "quit-remember"},
      {"Esc", "cancel"},
      {"C-l", "redraw"},
      {"C-c", "interrupt"},
      {"C-z", "suspend"},
  };
  static struct keymap map;
  keymap_default(&map);
  for (const auto &row : table)
    for (const std::string &key : words(row.keys)) {
      enum command cmd = keymap_find(&map, key_from_name(key.c_str()));
      ASSERT_LT(cmd, CMD_COUNT) << key;
      EXPECT_STREQ(command_info(cmd)->name, row.name) << key;
    }
}

TEST(Command, BindAndUnbind) {
  static struct keymap map;
  char error[300], name[32];
  keymap_default(&map);
  EXPECT_TRUE(keymap_line(&map, "bind t last", error, sizeof error));
  EXPECT_EQ(keymap_find(&map, 't'), CMD_LAST);
  EXPECT_TRUE(keymap_line(&map, "  bind   t  first ", error, sizeof error));
  EXPECT_EQ(keymap_find(&map, 't'), CMD_FIRST);
  EXPECT_TRUE(keymap_line(&map, "unbind t", error, sizeof error));
  EXPECT_EQ(keymap_find(&map, 't'), CMD_NONE);
  EXPECT_FALSE(keymap_line(&map, "unbind t", error, sizeof error));
  EXPECT_TRUE(keymap_line(&map, "bind F5 play", error, sizeof error));
  EXPECT_STREQ(keymap_key(&map, CMD_PLAY, name, sizeof name), "Space");
  EXPECT_STREQ(keymap_key(&map, CMD_NOTE, name, sizeof name), "");
}

TEST(Command, BadLinesSayWhatIsWrongAndChangeNothing) {
  static struct keymap map, before;
  char error[300];
  keymap_default(&map);
  before = map;
  static const struct {
    const char *line, *text;
  } bad[] = {
      {"bind t stpe-forward", "near: step-forward"},
      {"bind t speed", "normal-speed"},
      {"bind Rihgt last", "no key is called \"Rihgt\""},
      {"bind 5 last", "cannot be bound"},
      {"bind Esc last", "cannot be bound"},
      {"bind C-c last", "cannot be bound"},
      {"bind t last first", "last takes no arguments, got \"first\""},
      {"bind", "no key is named; expected"},
      {"bind t", "no command is named; expected"},
      {"bind t note 0123456789012345678901234567890123456789012345678901234567890123", "too long"},
      {"unbind", "no key is named; expected"},
      {"unbind q p", "unbind takes one key, got more: \"p\""},
      {"blind t last", "neither bind nor unbind: \"blind\"; expected"},
      {"", "expected"},
  };
  for (const auto &row : bad) {
    EXPECT_FALSE(keymap_line(&map, row.line, error, sizeof error)) << row.line;
    EXPECT_NE(std::string(error).find(row.text), std::string::npos) << row.line << ": " << error;
    EXPECT_EQ(std::string(error).find('\n'), std::string::npos);
    EXPECT_EQ(map.n, before.n);
    EXPECT_EQ(memcmp(&map, &before, sizeof map), 0);
  }
}

TEST(Command, KeysCarryArguments) {
  static struct keymap map;
  char error[300], name[8];
  keymap_default(&map);
  EXPECT_TRUE(keymap_line(&map, "bind w  go   50% \n", error, sizeof error)) << error;
  ASSERT_NE(keymap_binding(&map, 'w'), nullptr);
  EXPECT_EQ(keymap_binding(&map, 'w')->cmd, CMD_GO);
  EXPECT_STREQ(keymap_binding(&map, 'w')->args, "50%");
  EXPECT_STREQ(keymap_key(&map, CMD_GO, name, sizeof name), "g");
  EXPECT_TRUE(keymap_line(&map, "unbind g", error, sizeof error));
  EXPECT_STREQ(keymap_key(&map, CMD_GO, name, sizeof name), "") << "w goes to one place only";
  EXPECT_TRUE(keymap_line(&map, "bind w go", error, sizeof error));
  EXPECT_STREQ(keymap_binding(&map, 'w')->args, "");
}

TEST(Command, FullMapRefusesMore) {
  static struct keymap map;
  char error[300], line[64], name[8];
  keymap_default(&map);
  bool full = false;
  for (uint32_t key = 0x4e00; key < 0x4e00 + 300 && !full; key++) {
    snprintf(line, sizeof line, "bind %s last", key_name(key, name, sizeof name));
    full = !keymap_line(&map, line, error, sizeof error);
  }
  EXPECT_TRUE(full);
  EXPECT_EQ(map.n, sizeof map.binding / sizeof *map.binding);
  EXPECT_EQ(keymap_find(&map, 'q'), CMD_QUIT);
}

struct Report {
  std::vector<std::pair<int, std::string>> lines;
  static void bad(void *arg, int line, const char *error) {
    static_cast<Report *>(arg)->lines.emplace_back(line, error);
  }
};

TEST(Command, KeysFile) {
  static struct keymap map;
  char dir[] = "/tmp/keysXXXXXX";
  ASSERT_TRUE(mkdtemp(dir));
  std::string path = std::string(dir) + "/keys";
  std::ofstream(path) << "# mine\n\nbind t last\n   # indented\nbind t lasst\nunbind q\n"
                      << std::string(1000, 'x') << "\nbind T first";
  Report report;
  keymap_default(&map);
  keymap_load(&map, path.c_str(), Report::bad, &report);
  EXPECT_EQ(keymap_find(&map, 't'), CMD_LAST);
  EXPECT_EQ(keymap_find(&map, 'T'), CMD_FIRST);
  EXPECT_EQ(keymap_find(&map, 'q'), CMD_NONE);
  ASSERT_EQ(report.lines.size(), 2u);
  EXPECT_EQ(report.lines[0].first, 5);
  EXPECT_NE(report.lines[0].second.find("lasst"), std::string::npos);
  EXPECT_EQ(report.lines[1].first, 7);
  keymap_load(&map, (path + ".none").c_str(), Report::bad, &report);
  EXPECT_EQ(report.lines.size(), 2u) << "a missing file is no error";
  keymap_load(&map, dir, Report::bad, &report);
  EXPECT_EQ(report.lines.size(), 3u) << "a folder is";
  unlink(path.c_str());
  rmdir(dir);
}

TEST(Command, NearMisses) {
  char near[200];
  EXPECT_NE(strstr(command_near("stepforward", near, sizeof near), "step-forward"), nullptr);
  EXPECT_NE(strstr(command_near("event", near, sizeof near), "event-next"), nullptr);
  EXPECT_STREQ(command_near("xxxxxxxxxxxx", near, sizeof near), "");
  EXPECT_LT(strlen(command_near(std::string(5000, 'e').c_str(), near, sizeof near)), sizeof near);
  char tiny[8];
  EXPECT_LT(strlen(command_near("event", tiny, sizeof tiny)), sizeof tiny);
}

TEST(Command, MarkdownHasALinePerCommand) {
  char *text = command_table_markdown();
  ASSERT_TRUE(text);
  std::string table = text;
  free(text);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), CMD_COUNT + 2);
  for (int i = 0; i < CMD_COUNT; i++) {
    std::string cell = std::string("| `") + command_info((enum command)i)->name;
    EXPECT_NE(table.find(cell), std::string::npos) << cell;
  }
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    int bars = 0;
    for (size_t i = 0; i < line.size(); i++)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(bars, 4) << line;
  }
}
