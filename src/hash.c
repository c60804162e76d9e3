#include "hash.h"

#include <stdlib.h>
#include <string.h>

#include <sha2.h>
#include <zlib.h>

struct ph_sha256 {
  SHA2_CTX context;
};

struct ph_sha256 *ph_sha256_new(void) {
  struct ph_sha256 *sha = malloc(sizeof *sha);
  if (sha)
    SHA256Init(&sha->context);
  return sha;
}

void ph_sha256_add(struct ph_sha256 *sha, const void *data, size_t n) {
  if (n > 0)
    SHA256Update(&sha->context, data, n);
}

void ph_sha256_add_string(struct ph_sha256 *sha, const char *text) {
  ph_sha256_add(sha, text, strlen(text) + 1);
}

void ph_sha256_end(struct ph_sha256 *sha, char hex[65]) {
  SHA256End(&sha->context, hex);
  free(sha);
}

void ph_sha256_of(const void *data, size_t n, char hex[65]) {
  SHA2_CTX context;
  SHA256Init(&context);
  if (n > 0)
    SHA256Update(&context, data, n);
  SHA256End(&context, hex);
}

uint32_t ph_crc32_add(uint32_t crc, const void *data, size_t n) {
  return (uint32_t)crc32_z(crc, data, n);
}

uint32_t ph_crc32(const void *data, size_t n) {
  return ph_crc32_add(0, data, n);
}
