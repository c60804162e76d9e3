#include "mj.h"

#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "hash.h"
#include "mj_words.h"

/* The compiler keeps process-wide state and swaps the error handler while it works. */
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;

/* --- compiling --- */

#if mjVERSION_HEADER >= 313
enum { VFS_NAME = 600 };
#else
enum { VFS_NAME = mjMAXVFSNAME };
#endif

/* From 3.2.0 on the engine keeps decoded assets for the process by their path, and tells contents
 * apart by a weak hash: half of all changes of one digit in an OBJ file go unseen. A folder for
 * each source keeps equal names apart. Older versions have no folders, and no such store. */
static void source_folder(const ph_source *source, char *out, size_t size) {
#if mjVERSION_HEADER >= 320
  snprintf(out, size, "playhead-%.32s/", source->sha256);
#else
  (void)source;
  snprintf(out, size, "%s", "");
#endif
}

static ph_status vfs_put(mjVFS *vfs, const char *path, const char *name, const void *data,
                         size_t size) {
  if (size == 0)
    return ph_fail(PH_EMODEL, "model: %s is empty", name);
  if (size > INT32_MAX)
    return ph_fail(PH_EMODEL, "model: asset %s: %zu bytes are more than can be read", name, size);
#if mjVERSION_HEADER >= 313
  int rc = mj_addBufferVFS(vfs, path, data, (int)size);
#else
  int rc = mj_makeEmptyFileVFS(vfs, path, (int)size);
  int i = rc == 0 ? mj_findFileVFS(vfs, path) : -1;
  if (i >= 0 && size > 0)
    memcpy(vfs->filedata[i], data, size);
#endif
  if (rc == 0)
    return PH_OK;
  return ph_fail(PH_EMODEL, "model: asset %s: %s", name,
                 rc == 2 ? "there are two of that name" : "too many assets, or no memory");
}

static ph_status vfs_add(mjVFS *vfs, const char *folder, const char *name, const void *data,
                         size_t size) {
  char path[VFS_NAME];
  int length = snprintf(path, sizeof path, "%s%s", folder, name);
  if (length < 0 || length >= VFS_NAME)
    return ph_fail(PH_EMODEL, "model: asset %s: its name is longer than %d", name,
                   VFS_NAME - 1 - (int)strlen(folder));
  return vfs_put(vfs, path, name, data, size);
}

/* One line out of the compiler's several. */
static void one_line(char *text) {
  char *out = text;
  for (const char *in = text; *in; in++) {
    bool blank = isspace((unsigned char)*in);
    if (blank && (out == text || out[-1] == ' '))
      continue;
    *out++ = blank ? ' ' : *in;
  }
  while (out > text && out[-1] == ' ')
    out--;
  *out = 0;
}

struct compile {
  const ph_source *source;
  char folder[48], name[32], path[80]; /* path: folder and name */
  mjVFS *vfs;
  ph_status status; /* of filling vfs */
  mjModel *m;
  char error[1000];
};

static void fill(void *arg) {
  struct compile *job = arg;
  const ph_source *source = job->source;
  mj_defaultVFS(job->vfs);
  job->status = vfs_add(job->vfs, job->folder, job->name, source->xml, source->xml_size);
  for (size_t i = 0; job->status == PH_OK && i < source->nassets; i++) {
    const ph_blob *asset = &source->assets[i];
    job->status = vfs_add(job->vfs, job->folder, asset->name, asset->data, asset->size);
  }
}

static void load(void *arg) {
  struct compile *job = arg;
  job->m = mj_loadXML(job->path, job->vfs, job->error, sizeof job->error);
}

static ph_status load_locked(struct compile *job) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = (locale_t)0;
  if (c)
    old = uselocale(c);
  pthread_mutex_lock(&compiling);
  ph_status status = ph_mj_guard(load, job);
  pthread_mutex_unlock(&compiling);
  if (c) {
    uselocale(old);
    freelocale(c);
  }
  if (status != PH_OK)
    return ph_fail_in(PH_EMODEL, "model");
  one_line(job->error);
  if (!job->m)
    return ph_fail(PH_EMODEL, "model: does not compile: %s",
                   job->error[0] ? job->error : ph_mj_warning());
  return PH_OK;
}

void ph_mj_fork_begin(void) {
  pthread_mutex_lock(&compiling);
}

void ph_mj_fork_end(void) {
  pthread_mutex_unlock(&compiling);
}

/* From 3.11.0 on an actuator may have several controls or forces, or none: whoever reads
 * actuator_*[i] for the i-th control would read another actuator, or past the end. */
static ph_status check_actuators(const mjModel *m) {
#if mjVERSION_HEADER >= 3011000
  for (int i = 0; i < (int)m->nactuator; i++) {
    const char *name = mj_id2name(m, mjOBJ_ACTUATOR, i);
    if (m->actuator_ctrlnum[i] != 1 || m->actuator_outnum[i] != 1)
      return ph_fail(PH_EMODEL,
                     "model: actuator %d \"%s\": controls: %d, forces: %d; only those with one of "
                     "each are supported",
                     i, name ? name : "", m->actuator_ctrlnum[i], m->actuator_outnum[i]);
  }
#endif
  (void)m;
  return PH_OK;
}

ph_status ph_mj_compile(mjModel **out, const ph_source *source) {
  struct compile job = {.source = source};
  *out = NULL;
  ph_status status = ph_engine_check();
  if (status != PH_OK)
    return status;
  /* Unlikely to be an asset's name, and short enough for every version. */
  snprintf(job.name, sizeof job.name, "playhead-%.16s.xml", source->sha256);
  source_folder(source, job.folder, sizeof job.folder);
  snprintf(job.path, sizeof job.path, "%s%s", job.folder, job.name);
  job.vfs = malloc(sizeof *job.vfs);
  if (!job.vfs)
    return ph_fail(PH_ENOMEM, "model: no memory for its files");
  status = ph_mj_guard(fill, &job);
  if (status == PH_OK)
    status = job.status;
  if (status == PH_OK)
    status = load_locked(&job);
  mj_deleteVFS(job.vfs);
  free(job.vfs);
  if (status == PH_OK)
    status = check_actuators(job.m);
  if (status == PH_OK)
    *out = job.m;
  else
    ph_mj_free_model(job.m);
  return status;
}

struct copy {
  const mjModel *from;
  mjModel *m;
  mjData *d;
};

static void copy_model(void *arg) {
  struct copy *job = arg;
  job->m = mj_copyModel(NULL, job->from);
}

static void make_data(void *arg) {
  struct copy *job = arg;
  job->d = mj_makeData(job->from);
}

ph_status ph_mj_copy_model(mjModel **out, const mjModel *m) {
  struct copy job = {m, NULL, NULL};
  ph_status status = ph_mj_guard(copy_model, &job);
  *out = job.m;
  return job.m || status != PH_OK ? status : ph_fail(PH_ENOMEM, "model: no memory for a copy");
}

static atomic_size_t data_made;

size_t ph_mj_data_made(void) {
  return atomic_load(&data_made);
}

ph_status ph_mj_make_data(mjData **out, const mjModel *m) {
  atomic_fetch_add(&data_made, 1);
  struct copy job = {m, NULL, NULL};
  ph_status status = ph_mj_guard(make_data, &job);
  *out = job.d;
  return job.d || status != PH_OK ? status : ph_fail(PH_ENOMEM, "model: no memory for its data");
}

void ph_mj_free_model(mjModel *m) {
  if (m)
    mj_deleteModel(m);
}

/* --- hash --- */

static void hash_sizes(struct ph_sha256 *sha, const mjModel *m) {
  int64_t size;
#define X(name)                                                                                    \
  size = (int64_t)m->name;                                                                         \
  ph_sha256_add(sha, &size, sizeof size);
#ifdef MJMODEL_SIZES
  MJMODEL_SIZES
#else
  MJMODEL_INTS
#endif
#undef X
}

static void hash_options(struct ph_sha256 *sha, const mjOption *opt) {
#ifdef MJOPTION_FIELDS
#define X(type, name, n) ph_sha256_add(sha, &opt->name, sizeof opt->name);
#define XVEC X
  MJOPTION_FIELDS
#undef XVEC
#undef X
#else
#define X(type, name) ph_sha256_add(sha, &opt->name, sizeof opt->name);
  MJOPTION_SCALARS
#undef X
#define X(name, n) ph_sha256_add(sha, opt->name, sizeof opt->name);
  MJOPTION_VECTORS
#undef X
#endif
}

static void hash_arrays(struct ph_sha256 *sha, const mjModel *m) {
  MJMODEL_POINTERS_PREAMBLE(m)
#define X(type, name, nr, nc)                                                                      \
  ph_sha256_add(sha, m->name, sizeof *m->name *(size_t)m->nr *(size_t)(nc));
  MJMODEL_POINTERS
#undef X
}

ph_status ph_mj_hash(const mjModel *m, char hex[PH_SHA256_SIZE]) {
  struct ph_sha256 *sha = ph_sha256_new();
  hex[0] = 0;
  if (!sha)
    return ph_fail(PH_ENOMEM, "model: no memory for its hash");
  hash_sizes(sha, m);
  hash_options(sha, &m->opt);
  /* Of the statistics only this one enters the physics, but all are doubles without padding. */
  ph_sha256_add(sha, &m->stat, sizeof m->stat);
  hash_arrays(sha, m);
  ph_sha256_end(sha, hex);
  return PH_OK;
}

/* --- names and facts --- */

int ph_mj_object(ph_kind kind) {
  switch (kind) {
  case PH_BODY:
  case PH_MOCAP:
    return mjOBJ_BODY;
  case PH_JOINT:
    return mjOBJ_JOINT;
  case PH_GEOM:
    return mjOBJ_GEOM;
  case PH_SITE:
    return mjOBJ_SITE;
  case PH_ACTUATOR:
    return mjOBJ_ACTUATOR;
  case PH_SENSOR:
    return mjOBJ_SENSOR;
  case PH_EQUALITY:
    return mjOBJ_EQUALITY;
  case PH_TENDON:
    return mjOBJ_TENDON;
  default:
    return mjOBJ_UNKNOWN;
  }
}

static int object_count(const mjModel *m, ph_kind kind) {
  switch (kind) {
  case PH_BODY:
    return (int)m->nbody;
  case PH_JOINT:
    return (int)m->njnt;
  case PH_GEOM:
    return (int)m->ngeom;
  case PH_SITE:
    return (int)m->nsite;
  case PH_ACTUATOR:
    return (int)m->nu;
  case PH_SENSOR:
    return (int)m->nsensor;
  case PH_EQUALITY:
    return (int)m->neq;
  case PH_MOCAP:
    return (int)m->nmocap;
  case PH_TENDON:
    return (int)m->ntendon;
  default:
    return 0;
  }
}

static int mocap_body(const mjModel *m, int mocap) {
  for (int i = 0; i < (int)m->nbody; i++)
    if (m->body_mocapid[i] == mocap)
      return i;
  return -1;
}

static bool describe_kind(const mjModel *m, ph_kind kind, ph_names *names) {
  int n = object_count(m, kind);
  names->name[kind] = calloc((size_t)n + 1, sizeof *names->name[kind]);
  if (!names->name[kind])
    return false;
  for (int i = 0; i < n; i++) {
    int id = kind == PH_MOCAP ? mocap_body(m, i) : i;
    const char *text = mj_id2name(m, ph_mj_object(kind), id);
    names->name[kind][i] = strdup(text ? text : "");
    if (!names->name[kind][i])
      return false;
    names->count[kind] = i + 1;
  }
  return true;
}

static ph_joint_type joint_type(int type) {
  return type == mjJNT_FREE    ? PH_FREE
         : type == mjJNT_BALL  ? PH_BALL
         : type == mjJNT_SLIDE ? PH_SLIDE
                               : PH_HINGE;
}

static bool describe_joints(const mjModel *m, ph_names *names) {
  names->joint = calloc((size_t)m->njnt + 1, sizeof *names->joint);
  for (int i = 0; names->joint && i < (int)m->njnt; i++)
    names->joint[i] =
        (ph_joint_info){joint_type(m->jnt_type[i]), m->jnt_qposadr[i], m->jnt_dofadr[i]};
  return names->joint != NULL;
}

static const char *word_of(const char *option, int value) {
  const char *word = ph_mj_word_of(option, value);
  return word ? word : "unknown";
}

static void describe_facts(const mjModel *m, ph_model_facts *facts) {
  memset(facts, 0, sizeof *facts);
  facts->dims = (ph_dims){.nq = (int)m->nq,
                          .nv = (int)m->nv,
                          .nu = (int)m->nu,
                          .na = (int)m->na,
                          .nmocap = (int)m->nmocap,
                          .nuserdata = (int)m->nuserdata,
                          .neq = (int)m->neq,
                          .nplugin = ph_mj_width(m, PH_COL_PLUGIN_STATE),
                          .nbody = (int)m->nbody};
  facts->timestep = m->opt.timestep;
  snprintf(facts->integrator, sizeof facts->integrator, "%s",
           word_of("integrator", m->opt.integrator));
  snprintf(facts->solver, sizeof facts->solver, "%s", word_of("solver", m->opt.solver));
  snprintf(facts->engine_version, sizeof facts->engine_version, "%s", ph_engine_version());
  snprintf(facts->arch, sizeof facts->arch, "%s", ph_mj_arch());
}

ph_status ph_mj_describe(const mjModel *m, ph_names *names, ph_model_facts *facts) {
  bool ok = true;
  memset(names, 0, sizeof *names);
  for (int kind = 0; ok && kind < PH_KIND_COUNT; kind++)
    ok = describe_kind(m, (ph_kind)kind, names);
  ok = ok && describe_joints(m, names);
  describe_facts(m, facts);
  if (!ok) {
    ph_names_clear(names);
    return ph_fail(PH_ENOMEM, "model: no memory for its names");
  }
  return ph_mj_hash(m, facts->compiled_sha256);
}
