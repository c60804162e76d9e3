#include "model.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/number.h>

#include "fail.h"
#include "mj.h"
#include "mjcf.h"
#include "probe.h"

void ph_names_clear(ph_names *names) {
  for (int kind = 0; kind < PH_KIND_COUNT; kind++) {
    for (int i = 0; i < names->count[kind]; i++)
      free(names->name[kind][i]);
    free(names->name[kind]);
  }
  free(names->joint);
  memset(names, 0, sizeof *names);
}

/* --- fit --- */

static ph_status fit_names(const ph_names *a, const ph_names *b, ph_kind kind, const char *what) {
  if (a->count[kind] != b->count[kind])
    return ph_fail(PH_EMISMATCH, "model: the recorded one has %d %ss, this one has %d",
                   a->count[kind], what, b->count[kind]);
  for (int i = 0; i < a->count[kind]; i++)
    if (strcmp(a->name[kind][i], b->name[kind][i]))
      return ph_fail(PH_EMISMATCH, "model: %s %d is \"%s\" in the recorded one, \"%s\" in this one",
                     what, i, a->name[kind][i], b->name[kind][i]);
  return PH_OK;
}

static ph_status fit_joints(const ph_names *a, const ph_names *b) {
  static const char *const type[] = {"free", "ball", "slide", "hinge"};
  for (int i = 0; i < a->count[PH_JOINT]; i++) {
    const ph_joint_info *x = &a->joint[i], *y = &b->joint[i];
    if (x->type != y->type)
      return ph_fail(PH_EMISMATCH,
                     "model: joint %d \"%s\" is %s in the recorded one, %s in this one", i,
                     a->name[PH_JOINT][i], type[x->type & 3], type[y->type & 3]);
    if (x->qposadr != y->qposadr || x->dofadr != y->dofadr)
      return ph_fail(PH_EMISMATCH,
                     "model: joint %d \"%s\" is at qpos %d, qvel %d in the recorded one, at %d, %d "
                     "in this one",
                     i, a->name[PH_JOINT][i], x->qposadr, x->dofadr, y->qposadr, y->dofadr);
  }
  return PH_OK;
}

static ph_status fit_sizes(const ph_model_facts *a, const ph_model_facts *b) {
  const struct {
    const char *name;
    int recorded, given;
  } sizes[] = {
      {"nq", a->dims.nq, b->dims.nq},
      {"nv", a->dims.nv, b->dims.nv},
      {"nu", a->dims.nu, b->dims.nu},
      {"na", a->dims.na, b->dims.na},
      {"nmocap", a->dims.nmocap, b->dims.nmocap},
      {"nuserdata", a->dims.nuserdata, b->dims.nuserdata},
      {"neq", a->dims.neq, b->dims.neq},
      {"nplugin", a->dims.nplugin, b->dims.nplugin},
      {"nbody", a->dims.nbody, b->dims.nbody},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].recorded != sizes[i].given)
      return ph_fail(PH_EMISMATCH, "model: %s is %d in the recorded one, %d in this one",
                     sizes[i].name, sizes[i].recorded, sizes[i].given);
  /* Not a number of another size: a different duration of every step. */
  char recorded[PH_NUMBER_SIZE], given[PH_NUMBER_SIZE];
  if (a->timestep > 0 && a->timestep != b->timestep)
    return ph_fail(PH_EMISMATCH,
                   "model: the timestep is %s s in the recorded one, %s s in this one",
                   ph_number_word(recorded, a->timestep), ph_number_word(given, b->timestep));
  return PH_OK;
}

static ph_status fit(const ph_names *names, const ph_model_facts *facts, const ph_names *names2,
                     const ph_model_facts *facts2) {
  ph_status status = fit_names(names, names2, PH_JOINT, "joint");
  if (status == PH_OK)
    status = fit_joints(names, names2);
  if (status == PH_OK)
    status = fit_names(names, names2, PH_ACTUATOR, "actuator");
  return status == PH_OK ? fit_sizes(facts, facts2) : status;
}

ph_status ph_model_fits(const ph_model *recorded, const ph_model *given) {
  return fit(&recorded->names, &recorded->facts, &given->names, &given->facts);
}

/* "b", or "b (slide)" where the type is what differs. */
static void say_joint(char *out, size_t size, const ph_names *names, int i, bool typed) {
  static const char *const type[] = {"free", "ball", "slide", "hinge"};
  const char *name = i < names->count[PH_JOINT] ? names->name[PH_JOINT][i] : "none";
  if (typed)
    snprintf(out, size, "%.60s (%s)", name, type[names->joint[i].type & 3]);
  else
    snprintf(out, size, "%.60s", name[0] ? name : "one without a name");
}

bool ph_model_other_joints(char *out, size_t size, const ph_model *recorded,
                           const ph_model *given) {
  enum { SAID = 4 };
  const ph_names *a = &recorded->names, *b = &given->names;
  int n = a->count[PH_JOINT], m = b->count[PH_JOINT], others = 0;
  char was[80], is[80];
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < n || i < m; i++) {
    bool named = i < n && i < m && strcmp(a->name[PH_JOINT][i], b->name[PH_JOINT][i]) == 0;
    if ((named && a->joint[i].type == b->joint[i].type) || others++ >= SAID)
      continue;
    say_joint(was, sizeof was, a, i, named);
    say_joint(is, sizeof is, b, i, named);
    if (used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s for %s", used ? ", " : "", is, was);
  }
  if (others > SAID && used < size)
    snprintf(out + used, size - used, " and %d more", others - SAID);
  return others > 0;
}

/* --- making --- */

/* Compiles, and fills what the engine knows. What the file says is kept in names and facts, and
 * must agree: a file whose tables name other joints than its own model would label numbers wrong.
 */
static ph_status compile(ph_model *model, const ph_model_facts *recorded, bool named) {
  ph_names names;
  ph_model_facts facts;
  /* The engine's files fall back to the disk for what the source lacks. */
  ph_status status = ph_mjcf_check(model->source);
  if (status == PH_OK)
    status = ph_probe_model(model->source, "model");
  if (status == PH_OK)
    status = ph_mj_compile(&model->m, model->source);
  if (status != PH_OK)
    return status;
  status = ph_mj_describe(model->m, &names, &facts);
  if (status != PH_OK)
    return status;
  if (named)
    status = fit(&model->names, recorded ? recorded : &facts, &names, &facts);
  if (status == PH_EMISMATCH)
    ph_fail_in(status, "it compiles, but does not fit what the file says of it");
  if (status == PH_OK) {
    ph_names_clear(&model->names);
    model->names = names;
    memcpy(model->compiled_sha256, facts.compiled_sha256, sizeof facts.compiled_sha256);
    if (!recorded)
      model->facts = facts;
  } else {
    ph_names_clear(&names);
  }
  return status;
}

ph_status ph_model_from_source(ph_model **out, ph_source *source, const ph_model_facts *recorded,
                               ph_names *names) {
  bool named = names && names->count[PH_BODY] > 0;
  ph_model *model = calloc(1, sizeof *model);
  *out = NULL;
  if (!model) {
    ph_source_free(source);
    if (names)
      ph_names_clear(names);
    return ph_fail(PH_ENOMEM, "model: no memory");
  }
  atomic_init(&model->refs, 1);
  model->source = source;
  if (names) {
    model->names = *names;
    memset(names, 0, sizeof *names);
  }
  if (recorded)
    model->facts = *recorded;
  ph_status status = compile(model, recorded, named);
  if (status != PH_OK && status != PH_ENOMEM && named) {
    snprintf(model->error, sizeof model->error, "%s", ph_error());
    ph_mj_free_model(model->m);
    model->m = NULL;
    model->compiled_sha256[0] = 0;
    status = PH_OK;
  }
  if (status == PH_OK)
    *out = model;
  else
    ph_model_unref(model);
  return status;
}

ph_status ph_model_from_names(ph_model **out, const char *sha256, const ph_model_facts *recorded,
                              ph_names *names, const char *why) {
  ph_model *model = calloc(1, sizeof *model);
  ph_source *source = calloc(1, sizeof *source);
  *out = NULL;
  if (!model || !source) {
    free(model);
    free(source);
    ph_names_clear(names);
    return ph_fail(PH_ENOMEM, "model: no memory");
  }
  atomic_init(&model->refs, 1);
  snprintf(source->sha256, sizeof source->sha256, "%s", sha256);
  model->source = source;
  model->names = *names;
  memset(names, 0, sizeof *names);
  model->facts = *recorded;
  snprintf(model->error, sizeof model->error, "%s", why);
  *out = model;
  return PH_OK;
}

ph_status ph_model_open(ph_model **out, const char *path, const ph_model_options *opt) {
  ph_source *source = NULL;
  *out = NULL;
  ph_status status = ph_probe_model_file(path, opt);
  if (status == PH_OK)
    status = ph_mjcf_collect(&source, path, opt);
  if (status != PH_OK)
    return status;
  status = ph_model_from_source(out, source, NULL, NULL);
  return status == PH_OK ? status : ph_fail_in(status, "%s", path);
}

ph_status ph_model_open_text(ph_model **out, const char *xml, size_t size, const char *path,
                             const ph_model_options *opt) {
  ph_source *source = NULL;
  *out = NULL;
  ph_status status = ph_probe_model_text(xml, size, path, opt);
  if (status == PH_OK)
    status = ph_mjcf_collect_text(&source, xml, size, path, opt);
  if (status != PH_OK)
    return status;
  status = ph_model_from_source(out, source, NULL, NULL);
  return status == PH_OK ? status : ph_fail_in(status, "%s", path);
}

const char *ph_model_note(const ph_model *model, size_t i) {
  return i < model->source->nnotes ? model->source->notes[i] : NULL;
}

ph_model *ph_model_ref(const ph_model *model) {
  ph_model *shared = (ph_model *)model; /* the count is the one thing that changes */
  atomic_fetch_add(&shared->refs, 1);
  return shared;
}

void ph_model_unref(const ph_model *model) {
  ph_model *shared = (ph_model *)model;
  if (!shared || atomic_fetch_sub(&shared->refs, 1) != 1)
    return;
  ph_mj_free_model(shared->m);
  ph_names_clear(&shared->names);
  ph_source_free(shared->source);
  free(shared);
}

/* --- facts --- */

const char *ph_model_sha256(const ph_model *model) {
  return model->source->sha256;
}
const char *ph_model_compiled_sha256(const ph_model *model) {
  return model->compiled_sha256;
}
bool ph_model_compiled(const ph_model *model) {
  return model->m != NULL;
}
const char *ph_model_error(const ph_model *model) {
  return model->error;
}
const ph_dims *ph_model_dims(const ph_model *model) {
  return &model->facts.dims;
}
double ph_model_timestep(const ph_model *model) {
  return model->facts.timestep;
}
const char *ph_model_integrator(const ph_model *model) {
  return model->facts.integrator;
}
const char *ph_model_solver(const ph_model *model) {
  return model->facts.solver;
}

const char *ph_model_engine_version(const ph_model *model) {
  return model->facts.engine_version;
}

int ph_model_count(const ph_model *model, ph_kind kind) {
  return kind >= 0 && kind < PH_KIND_COUNT ? model->names.count[kind] : 0;
}

const char *ph_model_name(const ph_model *model, ph_kind kind, int i) {
  return i >= 0 && i < ph_model_count(model, kind) ? model->names.name[kind][i] : "";
}

int ph_model_find(const ph_model *model, ph_kind kind, const char *name) {
  int n = name[0] ? ph_model_count(model, kind) : 0;
  for (int i = 0; i < n; i++)
    if (!strcmp(model->names.name[kind][i], name))
      return i;
  return -1;
}

const ph_joint_info *ph_model_joint(const ph_model *model, int i) {
  return i >= 0 && i < model->names.count[PH_JOINT] ? &model->names.joint[i] : NULL;
}
