/* Numbers that programs write and read are the same in a host whose locale has a decimal comma. */
#include "comma_locale.h"
#include "foreign_model.h"
#include "read_help.h"

#include <cmath>

extern "C" {
#include "bytes.h"
#include "hash.h"
#include "json.h"
#include <playhead/number.h>
/* Of episode_file.h, whose atomics C++ does not have. */
char *ph_episode_content(size_t *size, const ph_episode *episode);
}

using std::string;

namespace {

#define COMMA_OR_SKIP(comma)                                                                       \
  CommaLocale comma;                                                                               \
  if (!(comma).there)                                                                              \
  GTEST_SKIP() << "no locale with a decimal comma is installed or can be made"

const double kNumbers[] = {0.5, -0.0, 1e15, 1.25e-9, -1e300, 3, 1 / 3.0};

string Protocol() {
  ph_bytes bytes = {};
  for (double x : kNumbers) {
    ph_bytes_number(&bytes, x);
    ph_bytes_text(&bytes, " ");
  }
  string text = bytes.data;
  free(bytes.data);
  return text;
}

TEST(Locale, OfTheProtocolsOfPoliciesAndPredicates) {
  string here = Protocol();
  EXPECT_EQ(here.rfind("0.5 -0.0 1000000000000000 1.25", 0), 0u) << here;
  COMMA_OR_SKIP(comma);
  EXPECT_EQ(here, Protocol());
  char text[8];
  snprintf(text, sizeof text, "%.1f", 0.5);
  EXPECT_STREQ(text, "0,5") << "the host has its own again";
}

TEST(Locale, OfJson) {
  COMMA_OR_SKIP(comma);
  for (double x : kNumbers) {
    json_t *number = ph_json_number(x);
    char *text = json_dumps(number, JSON_ENCODE_ANY);
    json_decref(number);
    ASSERT_NE(text, nullptr);
    EXPECT_EQ(strchr(text, ','), nullptr) << text;
    json_error_t why;
    json_t *back = json_loads(text, JSON_DECODE_ANY, &why);
    EXPECT_EQ(json_number_value(back), x) << text;
    json_decref(back);
    free(text);
  }
}

string Content(const ph_episode *episode) {
  size_t size = 0;
  char *text = ph_episode_content(&size, episode);
  EXPECT_NE(text, nullptr);
  string content(text ? text : "", size);
  free(text);
  return content;
}

TEST(Locale, OfWhatAnEpisodeIsKnownBy) {
  read_help::Folder folder;
  read_help::Demo demo;
  read_help::write_file(folder / "a.h5", demo);
  read_help::Episode episode = read_help::open_episode(folder / "a.h5");
  ASSERT_TRUE(episode);
  ASSERT_EQ(ph_episode_meta_of(episode.get())->hold_seconds, 0.5);
  string here = Content(episode.get());
  COMMA_OR_SKIP(comma);
  EXPECT_EQ(here, Content(episode.get()));
}

class LocaleModel : public ForeignModel {
protected:
  /* What is left of the model without its mesh. */
  string Left() {
    drop = true;
    EXPECT_EQ(Model("<asset><mesh name='a' file='/x/a.stl'/></asset><worldbody><body><joint/>"
                    "<geom type='mesh' mesh='a'/><geom size='.1' mass='0.5'/></body>"
                    "<body><joint/><inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/>"
                    "<geom type='mesh' mesh='a'/></body></worldbody>"),
              PH_OK)
        << ph_error();
    return model ? string(model->source->xml, model->source->xml_size) + Notes() : "";
  }
};

TEST_F(LocaleModel, OfMassesThatAModelKeeps) {
  string here = Left();
  EXPECT_FALSE(Noted("gram")) << here;
  COMMA_OR_SKIP(comma);
  EXPECT_EQ(here, Left());
}

} // namespace
