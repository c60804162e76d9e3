/* What stands behind a ph_model: source, names, compiled model. */
#ifndef PLAYHEAD_MODEL_H
#define PLAYHEAD_MODEL_H

#include <playhead/episode.h>
#include <playhead/sim.h>

#ifdef __cplusplus
typedef int ph_refs; /* C++ only looks */
#else
typedef _Atomic int ph_refs;
#endif

struct mjModel_;

typedef struct ph_blob {
  char *name; /* asset: unique name in the text; original: path as found */
  void *data;
  size_t size;
  char sha256[PH_SHA256_SIZE];
} ph_blob;

/* A model as stored: everything needed to compile it anywhere. Owns all its memory. */
typedef struct ph_source {
  char *xml; /* rewritten, self-contained; ends with 0 */
  size_t xml_size;
  ph_blob *assets;
  size_t nassets;
  ph_blob *originals; /* every original XML file byte for byte, the main one first */
  size_t noriginals;
  char sha256[PH_SHA256_SIZE]; /* of xml and the sorted (asset name, asset sha256) */
  char **notes;                /* what was mended or left out, a sentence each */
  size_t nnotes;
  bool reduced; /* parts are left out */
  bool altered; /* what is left out of others changes forces or masses */
} ph_source;

void ph_source_free(ph_source *source); /* Nullable; frees the struct too */
/* Adds a sentence, up to a limit; a failure to do so is only a sentence less. */
void ph_source_note(ph_source *source, const char *fmt, ...) PH_PRINTF(2, 3);
/* Computes asset hashes and the source hash from the rest. */
void ph_source_hash(ph_source *source);

/* Names and addresses, available without compiling. Owns its memory. */
typedef struct ph_names {
  char **name[PH_KIND_COUNT];
  int count[PH_KIND_COUNT];
  ph_joint_info *joint; /* count[PH_JOINT] */
} ph_names;

void ph_names_clear(ph_names *names);

/* Facts that are stored beside the source so that a model which does not compile can be shown. */
typedef struct ph_model_facts {
  ph_dims dims;
  double timestep;
  char integrator[24], solver[24];
  char engine_version[24], arch[24];
  char compiled_sha256[PH_SHA256_SIZE];
  unsigned unnamed; /* 1 << kind: no table of names bears out the size */
} ph_model_facts;

struct ph_model {
  ph_refs refs;
  ph_source *source; /* owned */
  ph_names names;
  ph_model_facts facts;                 /* as recorded when it came from a file, else as compiled */
  struct mjModel_ *m;                   /* owned; NULL when it did not compile */
  char compiled_sha256[PH_SHA256_SIZE]; /* as compiled here; facts has the recorded one */
  char error[400];                      /* why not, one line */
};

/* Takes source (freed with the model, or at once on failure). recorded and names are nullable: what
 * the file says. A model that does not compile is still given when names are there
 * (PH_OK, m NULL); without them PH_EMODEL. names is emptied. */
ph_status ph_model_from_source(ph_model **out, ph_source *source, const ph_model_facts *recorded,
                               ph_names *names);

/* A model whose source cannot be had, for the names alone: never compiled, `why` is its error. Its
 * source has a hash and no text. names is emptied. PH_ENOMEM. */
ph_status ph_model_from_names(ph_model **out, const char *sha256, const ph_model_facts *recorded,
                              ph_names *names, const char *why);

/* Whether a model can stand in for the recorded one: names, order, types and addresses of joints
 * and actuators, sizes, timestep. PH_EMISMATCH names the first difference and both sides. */
ph_status ph_model_fits(const ph_model *recorded, const ph_model *given);
/* The joints that are others in the given one, "OTHER1 for a, OTHER2 for b", the first few; false:
 * they are the same. */
bool ph_model_other_joints(char *out, size_t size, const ph_model *recorded, const ph_model *given);

#endif
