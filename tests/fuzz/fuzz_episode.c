/* A dataset with bytes changed, or any bytes at all. The first byte chooses: even, the rest is the
 * file; odd, the rest is a list of (offset 3 bytes, value) edits of a valid file, and the last odd
 * bytes cut it. Whatever is read without an error from an edited file must be what was written. */
#include "sink.h"

#include <playhead/store.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACTIONS = 3 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[96];
static uint8_t *sample, *edited;
static size_t sample_size;

static void fill_meta(ph_episode_meta *meta) {
  memset(meta, 0, sizeof *meta);
  strcpy(meta->id, "demo_0");
  strcpy(meta->run_id, "fuzz");
  strcpy(meta->created, "2026-01-01T00:00:00Z");
  strcpy(meta->recipe, "step");
  strcpy(meta->derived, "fresh");
  strcpy(meta->engine, "mujoco");
  strcpy(meta->determinism, "unchecked");
  strcpy(meta->seed, "7");
  memset(meta->model_sha256, 'a', PH_SHA256_SIZE - 1);
  meta->actions = ACTIONS;
  meta->states = ACTIONS + 1;
  meta->success = -1;
  meta->hold_seconds = -1;
  meta->provenance = "[]";
  meta->control_dt = 0.02;
  meta->timestep = 0.002;
  meta->dims =
      (ph_dims){.nq = 2, .nv = 2, .nu = 1, .nbody = 3, .action_dim = 1, .control_steps = 10};
}

static void write_sample(void) {
  ph_episode_meta meta;
  ph_sink *sink = NULL;
  fill_meta(&meta);
  uint32_t columns = PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_STATES) |
                     PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_DONES) |
                     PH_COL_BIT(PH_COL_WARMSTART) | PH_COL_BIT(PH_COL_CTRL) |
                     PH_COL_BIT(PH_COL_FLAGS);
  ph_begin begin = {&meta, columns, NULL, 0};
  double numbers[5 * (ACTIONS + 1)];
  uint8_t zeros[ACTIONS + 1] = {0};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    numbers[i] = 1.0;
  ph_status status = ph_sink_dataset(&sink, path, &meta, NULL);
  if (status == PH_OK)
    status = sink->begin(sink, &begin);
  for (int col = 0; col < PH_COL_COUNT && status == PH_OK; col++) {
    if (!(columns & PH_COL_BIT(col)))
      continue;
    const ph_column_info *info = ph_schema_column(col);
    bool all = col == PH_COL_STATES || info->rows == PH_ROWS_S;
    const void *data = info->type == PH_U8 ? (const void *)zeros : (const void *)numbers;
    status = sink->rows(sink, col, 0, ACTIONS + all, data);
  }
  if (status == PH_OK)
    status = sink->end(sink);
  if (status == PH_OK)
    status = sink->finish(sink);
  if (status != PH_OK)
    fprintf(stderr, "sample: %s\n", ph_error());
  assert(status == PH_OK);
  sink->free(sink);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  strcpy(folder, "/tmp/playhead-fuzz-XXXXXX");
  char *made = mkdtemp(folder);
  assert(made);
  snprintf(path, sizeof path, "%s/sample.h5", folder);
  write_sample();
  FILE *file = fopen(path, "rb");
  assert(file);
  fseek(file, 0, SEEK_END);
  sample_size = (size_t)ftell(file);
  rewind(file);
  sample = malloc(sample_size);
  edited = malloc(sample_size);
  size_t got = fread(sample, 1, sample_size, file);
  assert(got == sample_size);
  fclose(file);
  return 0;
}

/* Reads every column; in an edited file every number that comes out is one that went in. */
static void read_episode(const ph_episode *episode, bool ours) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  for (int col = 0; col < PH_COL_COUNT; col++) {
    int64_t rows = ph_episode_rows(episode, col);
    size_t width = ph_schema_width(col, dims), element = ph_type_size(ph_schema_column(col)->type);
    if (rows <= 0 || rows > 100000 || width > 100000)
      continue;
    char *out = calloc((size_t)rows * width + 1, element);
    assert(out);
    if (ph_episode_read(episode, col, 0, rows, out) == PH_OK && ours && element == 8)
      for (size_t i = 0; i < (size_t)rows * width; i++)
        assert(((double *)out)[i] == 1.0);
    free(out);
  }
}

static void write_file(const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert(file);
  fwrite(data, 1, size, file);
  fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  bool edits = data[0] & 1;
  if (edits) {
    memcpy(edited, sample, sample_size);
    size_t i = 1, length = sample_size;
    for (; i + 4 <= size; i += 4)
      edited[(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % sample_size] = data[i + 3];
    if (size - i == 2)
      length = (size_t)(data[i] | data[i + 1] << 8) % (sample_size + 1);
    write_file(edited, length);
  } else {
    write_file(data + 1, size - 1);
  }
  const char *paths[] = {path};
  ph_store *store = NULL;
  if (ph_store_open(&store, paths, 1, NULL) == PH_OK)
    for (size_t i = 0; i < ph_store_count(store); i++) {
      ph_episode *episode = NULL;
      if (ph_store_episode(&episode, store, i) == PH_OK)
        read_episode(episode, edits);
      ph_episode_free(episode);
    }
  ph_store_free(store);
  return 0;
}
