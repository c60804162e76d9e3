/* JSON whose numbers stay as they are written. */
#include <cinttypes>
#include <clocale>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "comma_locale.h"

extern "C" {
#include "numeral.h"
}

namespace {

using std::string;

json_t *load(const string &text, json_error_t *error) {
  return ph_numeral_load(error, text.data(), text.size());
}

/* What is written of a text; its error where it cannot be read. */
string again(const string &text) {
  json_error_t error;
  json_t *value = load(text, &error);
  size_t size = 0;
  char *out = value ? ph_numeral_dump(&size, value) : nullptr;
  string result = out ? string(out, size) : string("error: ") + error.text;
  free(out);
  json_decref(value);
  return result;
}

string list_of(const std::vector<string> &items) {
  string out = "[";
  for (size_t i = 0; i < items.size(); i++)
    out += (i ? ",\n  " : "\n  ") + items[i];
  return out + "\n]\n";
}

TEST(Numeral, KeepsTheTextOfEachNumber) {
  std::vector<string> texts = {"0",
                               "-0",
                               "0.0",
                               "-0.0",
                               "0.1",
                               "0.10",
                               "0.30000000000000004",
                               "1e5",
                               "1E+05",
                               "1e-05",
                               "100000000000000000000000000000000000000",
                               "-9223372036854775809",
                               "9007199254740993",
                               "1e999",
                               "-1e999",
                               "1e-999",
                               "4.9e-324",
                               "1.7976931348623157e+308",
                               "3.0",
                               "0.02",
                               "2.50",
                               "12345678901234567",
                               "0.10000000000000001",
                               "NaN",
                               "Infinity",
                               "-Infinity"};
  std::mt19937_64 random(5);
  for (int i = 0; i < 50000; i++) {
    char text[64];
    uint64_t bits = random();
    double value;
    memcpy(&value, &bits, sizeof value);
    if (i % 2)
      value = (double)(int64_t)(bits >> 20) / 1000;
    snprintf(text, sizeof text, "%.*g", 1 + (int)(random() % 17), std::isfinite(value) ? value : 0);
    texts.push_back(text);
    snprintf(text, sizeof text, "%" PRId64, (int64_t)bits);
    texts.push_back(text);
  }
  EXPECT_TRUE(list_of(texts) == again(list_of(texts))) << "a number has another text";
}

TEST(Numeral, KeepsStringsWhateverTheyHold) {
  for (string text : {
           R"("1.5")",
           R"("\u0001N1.5")",
           R"("\u0001S")",
           R"("\u0001")",
           R"("a\\")",
           R"("\\\"0.1\\")",
           R"("NaN, [1]")",
           "\"\xc3\xa9\"",
       })
    EXPECT_EQ(list_of({text}), again(list_of({text})));
  EXPECT_EQ("{\n  \"\\u0001N1\": 1.0,\n  \"\\u0001S\": \"\\u0001Nx\"\n}\n",
            again(R"({"\u0001S": "\u0001Nx", "\u0001N1": 1.0})"));
}

TEST(Numeral, KeysAreSorted) {
  EXPECT_EQ("{\n  \"B\": 2,\n  \"a\": {\n    \"c\": {},\n    \"d\": [],\n    \"z\": null\n  },\n"
            "  \"b\": -Infinity\n}\n",
            again(R"({"b":-Infinity,"a":{"z":null,"d":[],"c":{}},"B":2})"));
}

TEST(Numeral, WhatIsNoJsonIsRefused) {
  for (string text : {"",
                      "{1: 2}",
                      "{NaN :2}",
                      "01",
                      "1.",
                      ".5",
                      "+1",
                      "--1",
                      "1e",
                      "1e+",
                      "nan",
                      "inf",
                      "-NaN",
                      "+Infinity",
                      "[1 2]",
                      "[1,]",
                      "{\"a\": 1, \"a\": 2}",
                      "1x",
                      "0x1",
                      "[\"1]",
                      "1_0",
                      "1,5",
                      "\"\1N1\"",
                      "\xff",
                      "[1\"a\"]",
                      "truee"}) {
    EXPECT_EQ(0u, again(text).find("error: ")) << text << ": " << again(text);
    EXPECT_EQ(string::npos, again(text).find("u0001")) << again(text);
  }
}

/* Where jansson can read a text both say the same of it. */
TEST(Numeral, ReadsWhatJanssonReads) {
  const char *const tokens[] = {"[",  "]",   "{",    "}",     ",",     ":",      "1",        "-",
                                "0",  ".5",  "e3",   "\"a\"", "\"",    "\\",     " ",        "\n",
                                "-2", "1.5", "true", "null",  "[1, 2", "\"b\":", "\"c\": 3", "E-2"};
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 200000; i++) {
    string text = i % 2 ? "[" : "{\"k\":";
    for (size_t n = random() % 7; n > 0; n--)
      text += tokens[random() % (sizeof tokens / sizeof *tokens)];
    text += i % 2 ? "]" : "}";
    json_error_t ours, theirs;
    json_t *kept = load(text, &ours);
    json_t *value = json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES, &theirs);
    bool large = !value && strstr(theirs.text, "overflow"); /* which it has no number for */
    ASSERT_TRUE(large || !value == !kept) << text << ": " << ours.text << theirs.text;
    json_t *plain = kept ? ph_numeral_plain(kept) : nullptr;
    ASSERT_TRUE(!value || json_equal(value, plain)) << text;
    read += value != nullptr;
    json_decref(kept);
    json_decref(plain);
    json_decref(value);
  }
  EXPECT_GT(read, 5000);
}

/* Every byte changed, every length: read or refused, and no more. */
TEST(Numeral, AnyBytesAreReadOrRefused) {
  const string whole = "{\"a\\u0001\": [1.5, NaN, -Infinity, \"\\u0001N\"], \"b\": {\"c\": 1e5}}";
  for (size_t n = 0; n <= whole.size(); n++)
    again(whole.substr(0, n));
  for (size_t at = 0; at < whole.size(); at++)
    for (int byte = 0; byte < 256; byte++) {
      string text = whole;
      text[at] = (char)byte;
      string first = again(text);
      if (first.find("error: ") != 0) {
        ASSERT_EQ(first, again(first)) << text;
      }
    }
}

TEST(Numeral, PlainNumbersAreThoseOfJansson) {
  json_error_t error;
  json_t *kept =
      load(R"([3, 0.5, 1e999, NaN, 100000000000000000000, "\u0001x", {"\u0001N": 1}])", &error);
  json_t *plain = ph_numeral_plain(kept);
  json_t *expected =
      json_loads(R"([3, 0.5, null, null, 1e20, "\u0001x", {"\u0001N": 1}])", 0, nullptr);
  EXPECT_TRUE(json_equal(expected, plain)) << json_dumps(plain, 0);
  const bool finite[] = {true, true, false, false, true, false, false};
  for (size_t i = 0; i < 7; i++)
    EXPECT_EQ(finite[i], ph_numeral_is(json_array_get(kept, i))) << i;
  EXPECT_FALSE(ph_numeral_is(nullptr));
  for (json_t *value : {kept, plain, expected})
    json_decref(value);
}

void expect_new_numbers() {
  const struct {
    double value;
    const char *text;
  } all[] = {{0.1, "0.1"},
             {3, "3.0"},
             {0, "0.0"},
             {1e22, "1e+22"},
             {1e-5, "1e-05"},
             {-0.25, "-0.25"},
             {0.1 + 0.2, "0.30000000000000004"},
             {NAN, "null"},
             {INFINITY, "null"}};
  json_t *list = json_array();
  std::vector<string> texts;
  for (auto &n : all) {
    json_array_append_new(list, ph_numeral_of(n.value));
    texts.push_back(n.text);
  }
  json_array_append_new(list, ph_numeral_text("\1N1"));
  texts.push_back("\"\\u0001N1\"");
  size_t size;
  char *out = ph_numeral_dump(&size, list);
  EXPECT_EQ(list_of(texts), string(out, size));
  free(out);
  json_decref(list);
}

TEST(Numeral, NewNumbersAreAsPythonWritesThem) {
  expect_new_numbers();
}

TEST(Numeral, OfAnyLocale) {
  CommaLocale comma;
  if (!comma.there)
    GTEST_SKIP() << "no locale has a decimal comma";
  expect_new_numbers();
  json_error_t error;
  json_t *kept = load("[0.5]", &error), *plain = ph_numeral_plain(kept);
  EXPECT_EQ(0.5, json_number_value(json_array_get(plain, 0)));
  EXPECT_EQ(list_of({"0.5"}), again("[0.5]"));
  json_decref(kept);
  json_decref(plain);
}

} // namespace
