#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "hash.h"

enum { NOTES_MAX = 200, NOTE_SIZE = 600 };

static void blobs_free(ph_blob *blobs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(blobs[i].name);
    free(blobs[i].data);
  }
  free(blobs);
}

void ph_source_free(ph_source *source) {
  if (!source)
    return;
  free(source->xml);
  blobs_free(source->assets, source->nassets);
  blobs_free(source->originals, source->noriginals);
  for (size_t i = 0; i < source->nnotes; i++)
    free(source->notes[i]);
  free(source->notes);
  free(source);
}

void ph_source_note(ph_source *source, const char *fmt, ...) {
  char raw[NOTE_SIZE], text[NOTE_SIZE];
  if (source->nnotes >= NOTES_MAX)
    return;
  va_list args;
  va_start(args, fmt);
  vsnprintf(raw, sizeof raw, fmt, args);
  va_end(args);
  ph_escape(text, sizeof text, raw, strlen(raw));
  char **grown = realloc(source->notes, (source->nnotes + 1) * sizeof *grown);
  if (!grown)
    return;
  source->notes = grown;
  char *copy = strdup(source->nnotes + 1 < NOTES_MAX ? text : "and more of the kind");
  if (copy)
    grown[source->nnotes++] = copy;
}

static int by_name(const void *a, const void *b) {
  const ph_blob *const *x = a, *const *y = b;
  int order = strcmp((*x)->name, (*y)->name);
  return order != 0 ? order : strcmp((*x)->sha256, (*y)->sha256);
}

static void hash_blobs(ph_blob *blobs, size_t n) {
  for (size_t i = 0; i < n; i++)
    ph_sha256_of(blobs[i].data, blobs[i].size, blobs[i].sha256);
}

void ph_source_hash(ph_source *source) {
  hash_blobs(source->assets, source->nassets);
  hash_blobs(source->originals, source->noriginals);
  source->sha256[0] = 0;
  const ph_blob **sorted = calloc(source->nassets + 1, sizeof *sorted);
  struct ph_sha256 *sha = sorted ? ph_sha256_new() : NULL;
  if (sha) {
    for (size_t i = 0; i < source->nassets; i++)
      sorted[i] = &source->assets[i];
    qsort(sorted, source->nassets, sizeof *sorted, by_name);
    ph_sha256_add(sha, source->xml, source->xml_size);
    ph_sha256_add(sha, "", 1);
    for (size_t i = 0; i < source->nassets; i++) {
      ph_sha256_add_string(sha, sorted[i]->name);
      ph_sha256_add_string(sha, sorted[i]->sha256);
    }
    ph_sha256_end(sha, source->sha256);
  }
  free(sorted);
}
