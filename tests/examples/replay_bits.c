/* Steps every transition of a recorded run again and compares the bits that come out.
 *   replay_bits PATH
 * From row t, all of it, the ctrl of row t+1 leads through control_steps substeps to row t+1. */
#include <playhead/playhead.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ph_column columns[] = {PH_COL_STATES,       PH_COL_WARMSTART,   PH_COL_CTRL,
                                    PH_COL_MOCAP_POS,    PH_COL_MOCAP_QUAT,  PH_COL_EQ_ACTIVE,
                                    PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* One row, read from the file; a column that is not in it has the model's reset value. */
typedef struct stored {
  void *data[PH_COL_COUNT];
  ph_row row;
} stored;

static void stored_free(stored *s) {
  for (int i = 0; i < COLUMNS; i++)
    free(s->data[columns[i]]);
}

static ph_status stored_read(stored *s, const ph_episode *episode, int64_t t) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  ph_status status = PH_OK;
  for (int i = 0; i < COLUMNS && status == PH_OK; i++) {
    ph_column col = columns[i];
    if (!ph_episode_has(episode, col))
      continue;
    if (!s->data[col])
      s->data[col] = calloc(ph_schema_width(col, dims) + 1, sizeof(double));
    status = s->data[col] ? ph_episode_read(episode, col, t, 1, s->data[col]) : PH_ENOMEM;
  }
  s->row = (ph_row){.state = s->data[PH_COL_STATES],
                    .warmstart = s->data[PH_COL_WARMSTART],
                    .ctrl = s->data[PH_COL_CTRL],
                    .mocap_pos = s->data[PH_COL_MOCAP_POS],
                    .mocap_quat = s->data[PH_COL_MOCAP_QUAT],
                    .eq_active = s->data[PH_COL_EQ_ACTIVE],
                    .qfrc_applied = s->data[PH_COL_QFRC_APPLIED],
                    .xfrc_applied = s->data[PH_COL_XFRC_APPLIED]};
  return status;
}

static bool same(const ph_row *a, const ph_row *b, const ph_dims *dims) {
  return memcmp(a->state, b->state, ph_schema_width(PH_COL_STATES, dims) * sizeof(double)) == 0 &&
         memcmp(a->warmstart, b->warmstart, (size_t)dims->nv * sizeof(double)) == 0;
}

/* The steps that came back bit for bit. */
static ph_status replay(const ph_episode *episode, const ph_model *model, int64_t *equal) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  stored here = {.row = {.state = NULL}}, next = {.row = {.state = NULL}};
  ph_sim *sim = NULL;
  ph_row came;
  size_t nedits = 0;
  bool warned;
  const ph_edit *edits = ph_episode_edits(episode, &nedits);
  ph_status status = ph_sim_create(&sim, model);
  if (status == PH_OK)
    status = ph_sim_edit(sim, edits, nedits);
  for (int64_t t = 0; t + 1 < meta->states && status == PH_OK; t++) {
    status = stored_read(&here, episode, t);
    if (status == PH_OK)
      status = stored_read(&next, episode, t + 1);
    if (status == PH_OK)
      status = ph_sim_set_row(sim, &here.row);
    if (status == PH_OK)
      status = ph_sim_step(sim, next.row.ctrl, meta->dims.control_steps, &warned);
    if (status == PH_OK)
      status = ph_sim_get_row(sim, &came);
    *equal += status == PH_OK && same(&came, &next.row, &meta->dims);
  }
  stored_free(&here);
  stored_free(&next);
  ph_sim_free(sim);
  return status;
}

static ph_status replay_all(ph_store *store, bool *all) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < ph_store_count(store) && status == PH_OK; i++) {
    ph_episode *episode = NULL;
    ph_model *model = NULL;
    int64_t equal = 0;
    status = ph_store_episode(&episode, store, i);
    if (status == PH_OK)
      status = ph_store_model(&model, store, ph_episode_meta_of(episode)->model_sha256);
    if (status == PH_OK)
      status = replay(episode, model, &equal);
    if (status == PH_OK) {
      const ph_episode_meta *meta = ph_episode_meta_of(episode);
      printf("%s: %" PRId64 " of %" PRId64 " steps came back bit for bit\n", meta->id, equal,
             meta->actions);
      *all = *all && equal == meta->actions;
    }
    ph_model_unref(model);
    ph_episode_free(episode);
  }
  return status;
}

int main(int argc, char **argv) {
  ph_store *store = NULL;
  bool all = true;
  if (argc != 2) {
    fprintf(stderr, "usage: replay_bits PATH\n");
    return 2;
  }
  const char *paths[] = {argv[1]};
  ph_status status = ph_store_open(&store, paths, 1, NULL);
  if (status == PH_OK)
    status = replay_all(store, &all);
  if (status != PH_OK)
    fprintf(stderr, "%s\n", ph_error());
  ph_store_free(store);
  return status != PH_OK ? 3 : !all;
}
