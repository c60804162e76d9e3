#include <gtest/gtest.h>
#include <string>

extern "C" {
#include "hash.h"
}

TEST(Hash, Sha256OfKnownTexts) {
  char hex[65];
  ph_sha256_of("abc", 3, hex);
  EXPECT_STREQ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", hex);
  ph_sha256_of("", 0, hex);
  EXPECT_STREQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", hex);
  ph_sha256_of(nullptr, 0, hex);
  EXPECT_STREQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", hex);
}

TEST(Hash, Sha256InPiecesIsTheSame) {
  std::string text(1000, 'x');
  char whole[65], pieces[65];
  ph_sha256_of(text.data(), text.size(), whole);
  ph_sha256 *sha = ph_sha256_new();
  for (size_t at = 0, n = 1; at < text.size(); at += n, n = n % 97 + 1)
    ph_sha256_add(sha, text.data() + at, n < text.size() - at ? n : text.size() - at);
  ph_sha256_end(sha, pieces);
  EXPECT_STREQ(whole, pieces);
}

TEST(Hash, NeighbouringStringsDoNotRunIntoEachOther) {
  char a[65], b[65];
  ph_sha256 *sha = ph_sha256_new();
  ph_sha256_add_string(sha, "ab");
  ph_sha256_add_string(sha, "c");
  ph_sha256_end(sha, a);
  sha = ph_sha256_new();
  ph_sha256_add_string(sha, "a");
  ph_sha256_add_string(sha, "bc");
  ph_sha256_end(sha, b);
  EXPECT_STRNE(a, b);
}

TEST(Hash, Crc32OfTheCheckString) {
  EXPECT_EQ(0xcbf43926u, ph_crc32("123456789", 9));
  EXPECT_EQ(0u, ph_crc32("", 0));
}

TEST(Hash, Crc32InPiecesIsTheSame) {
  uint32_t crc = 0;
  for (const char *c = "123456789"; *c; c++)
    crc = ph_crc32_add(crc, c, 1);
  EXPECT_EQ(0xcbf43926u, crc);
}
