/* A state as MuJoCo's <key>, every number with the digits that give its bits back. */
#include <playhead/number.h>

#include "cmd.h"
#include "dynamic_view.h"

#include <stdio.h>
#include <stdlib.h>

static void put_array(FILE *out, const char *name, const double *values, int n) {
  if (!values || n <= 0)
    return;
  fprintf(out, " %s=\"", name);
  char number[PH_NUMBER_SIZE];
  for (int i = 0; i < n; i++)
    fprintf(out, "%s%s", i ? " " : "", ph_number_word(number, values[i]));
  fputc('"', out);
}

/* Ids come from files: no quote or bracket of theirs ends the attribute. */
static void put_name(FILE *out, const char *id, int64_t step, const struct dynamic_answer *d) {
  fprintf(out, " name=\"");
  for (; *id; id++)
    fputc(*id == '"' || *id == '<' || *id == '>' || *id == '&' ? '_' : *id, out);
  fprintf(out, "@%lld", (long long)step);
  if (d && d->substep > 0)
    fprintf(out, "+%d", d->substep);
  fprintf(out, "%s\"", d ? "_dynamic" : "");
}

char *app_key_text(const struct app *app) {
  const struct snapshot *snap = app->snap;
  char *text = NULL;
  size_t size = 0;
  const struct dynamic_answer *d = app_dyn_alone(app);
  bool missing = app_mode(app) == MODE_DYNAMIC && !d;
  if (!snap || !snap->has_frame || !snap->reel || !snap->qpos || missing)
    return NULL;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  const ph_dims *dims = &snap->reel->meta.dims;
  fprintf(out, "<key");
  put_name(out, snap->reel->meta.id, snap->step, d);
  put_array(out, "time", d ? &d->time : &snap->time, 1);
  put_array(out, "qpos", d ? d->qpos : snap->qpos, dims->nq);
  put_array(out, "qvel", d ? d->qvel : snap->qvel, dims->nv);
  put_array(out, "act", d ? d->act : snap->act, dims->na);
  put_array(out, "ctrl", d ? d->ctrl : snap->ctrl, snap->reel->nctrl);
  put_array(out, "mpos", snap->mocap_pos, 3 * dims->nmocap);
  put_array(out, "mquat", snap->mocap_quat, 4 * dims->nmocap);
  fprintf(out, "/>");
  if (fclose(out)) {
    free(text);
    return NULL;
  }
  return text;
}
