/* What the episodes of a store are, as one hash. */
#include <stdlib.h>
#include <string.h>

#include "episode_file.h"
#include "fail.h"
#include "hash.h"
#include "store.h"

/* Bytes that are kept of all episodes; the others open again. */
#define KEPT_MAX ((size_t)64 << 20)

typedef struct piece {
  int64_t episode;
  int env_id;
  size_t i;
  char *text; /* owned; NULL: it was not noted */
  size_t size;
} piece;

struct ph_content {
  ph_store *store;
  piece *at; /* (n) by their place in the store */
  size_t n, kept;
};

ph_status ph_content_new(ph_content **out, ph_store *store) {
  ph_content *c = calloc(1, sizeof *c);
  *out = c;
  if (c)
    c->at = calloc(store->n + 1, sizeof *c->at);
  if (!c || !c->at) {
    ph_content_free(c);
    *out = NULL;
    return ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
  }
  c->store = store;
  c->n = store->n;
  /* an episode that is opened may correct its entry: the order is that of before */
  for (size_t i = 0; i < c->n; i++)
    c->at[i] = (piece){store->entries[i].episode, store->entries[i].env_id, i, NULL, 0};
  return PH_OK;
}

void ph_content_free(ph_content *content) {
  for (size_t i = 0; content && i < content->n; i++)
    free(content->at[i].text);
  if (content)
    free(content->at);
  free(content);
}

void ph_content_note(ph_content *content, size_t i, const ph_episode *episode) {
  if (i >= content->n || content->at[i].text || content->kept >= KEPT_MAX)
    return;
  piece *p = &content->at[i];
  p->text = ph_episode_content(&p->size, episode);
  content->kept += p->text ? p->size : 0;
}

static int compare_pieces(const void *a, const void *b) {
  const piece *x = *(piece *const *)a, *y = *(piece *const *)b;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

static piece **in_order(ph_content *c) {
  piece **order = calloc(c->n + 1, sizeof(piece *));
  for (size_t i = 0; order && i < c->n; i++)
    order[i] = &c->at[i];
  if (order)
    qsort(order, c->n, sizeof(piece *), compare_pieces);
  return order;
}

/* *known: there are checksums. */
static ph_status add_piece(bool *known, struct ph_sha256 *sha, const ph_content *c,
                           const piece *p) {
  ph_episode *episode = NULL;
  ph_status status = p->text ? PH_OK : ph_store_episode(&episode, c->store, p->i);
  size_t size = p->size;
  char *text = episode ? ph_episode_content(&size, episode) : NULL;
  const char *is = p->text ? p->text : text;
  *known = is;
  if (is)
    ph_sha256_add(sha, is, size);
  free(text);
  ph_episode_free(episode);
  return status;
}

ph_status ph_content_hash(ph_content *content, char out[PH_SHA256_SIZE]) {
  const ph_store *store = content->store;
  piece **order = in_order(content);
  struct ph_sha256 *sha = ph_sha256_new();
  bool known = content->n > 0 && order && sha;
  ph_status status = PH_OK;
  char hex[PH_SHA256_SIZE];
  out[0] = 0;
  for (size_t i = 0; i < store->nhomes; i++)
    known = known && !store->homes[i].reader; /* others have no checksums */
  if (!order || !sha)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
  for (size_t k = 0; known && k < content->n; k++)
    status = add_piece(&known, sha, content, order[k]);
  if (sha)
    ph_sha256_end(sha, known ? out : hex);
  free(order);
  return status;
}

ph_status ph_store_content_hash(ph_store *store, char out[PH_SHA256_SIZE]) {
  ph_content *content;
  out[0] = 0;
  ph_status status = ph_content_new(&content, store);
  if (status == PH_OK)
    status = ph_content_hash(content, out);
  ph_content_free(content);
  return status;
}
