/* SHA-256 (libmd) and CRC-32 (zlib) with the few shapes that are needed here. */
#ifndef PLAYHEAD_HASH_H
#define PLAYHEAD_HASH_H

#include <stddef.h>
#include <stdint.h>

struct ph_sha256;
struct ph_sha256 *ph_sha256_new(void); /* NULL: out of memory */
void ph_sha256_add(struct ph_sha256 *sha, const void *data, size_t n);
/* Adds the string with its ending zero, so that neighbours cannot run into each other. */
void ph_sha256_add_string(struct ph_sha256 *sha, const char *text);
void ph_sha256_end(struct ph_sha256 *sha, char hex[65]); /* frees sha */
void ph_sha256_of(const void *data, size_t n, char hex[65]);

uint32_t ph_crc32(const void *data, size_t n);
uint32_t ph_crc32_add(uint32_t crc, const void *data, size_t n); /* start with 0 */

#endif
