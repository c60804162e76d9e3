/* A line for the prompt, and the same bytes as keys. The app must stay consistent. */
#include "app.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct snapshot *make_snapshot(void) {
  struct snapshot *snap = calloc(1, sizeof *snap);
  struct catalog *catalog = catalog_new(2);
  struct reel *reel = calloc(1, sizeof *reel);
  assert(snap && catalog && reel);
  for (size_t i = 0; i < 2; i++) {
    ph_entry *entry = &catalog_write(catalog, i)->entry;
    strcpy(entry->id, i ? "demo_1" : "demo_0");
    entry->states = 50;
  }
  reel->refs = 1;
  reel->states = 50;
  reel->latch = -1;
  reel->meta.control_dt = 0.02;
  reel->meta.states = 50;
  snap->catalog = catalog;
  snap->reel = reel;
  snap->has_frame = true;
  return snap;
}

static void check(const struct app *app) {
  assert(app->want.step >= 0 && app->want.step <= app_last_step(app));
  assert(app->want.episode < 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct app app;
  struct surface surface = {0};
  char line[PROMPT_SIZE];
  app_init(&app);
  app_resize(&app, 24, 80);
  app_take(&app, make_snapshot());
  size_t n = size < sizeof line - 1 ? size : sizeof line - 1;
  memcpy(line, data, n);
  line[n] = 0;
  app_line(&app, line);
  check(&app);
  for (size_t i = 0; i < size && i < 200; i++) {
    app_key(&app, data[i] ? data[i] : KEY_UP_, i);
    check(&app);
  }
  app_draw(&app, &surface);
  surface_free(&surface);
  app_free(&app);
  return 0;
}
