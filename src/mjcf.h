/* The only door to libxml2: collects what an MJCF file reads, confines and renames it. */
#ifndef PLAYHEAD_MJCF_H
#define PLAYHEAD_MJCF_H

#include "model.h"

/* Reads `path` and everything that it includes or names, from its own folder and the given asset
 * folders only. Includes are inlined; asset files get unique names (lower-case safe, extension
 * kept); meshes, height fields, textures and skins get explicit names; meshdir, texturedir,
 * assetdir and strippath are resolved and removed. The originals are kept byte for byte.
 * opt->mend and opt->drop_missing: see mjcf_mend.h and mjcf_drop.h; what they did is in the notes.
 * PH_EREFUSED: outside the allowed folders (path named). PH_EIO, PH_EFORMAT. */
ph_status ph_mjcf_collect(ph_source **out, const char *path, const ph_model_options *opt);

/* The same from a text that the file `path` holds: its folder takes the place of the model's. */
ph_status ph_mjcf_collect_text(ph_source **out, const char *xml, size_t size, const char *path,
                               const ph_model_options *opt);

/* What ph_mjcf_collect_text would fail for: names of the files that cannot be had, each once, a
 * line each; "" where it does not fail for that. *out is the caller's. PH_ENOMEM. */
ph_status ph_mjcf_missing(char **out, const char *xml, size_t size, const char *path,
                          const ph_model_options *opt);

/* The same from a text in memory, for tests and models without files. */
ph_status ph_mjcf_parse(ph_source **out, const char *xml, size_t size, const char *name);

/* Checks a stored source: its text names only its own assets and includes nothing.
 * PH_EREFUSED names what else it asks for. */
ph_status ph_mjcf_check(const ph_source *source);

/* What is above takes turns: libxml2 has locks that a child may not inherit, and what was walked of
 * folders of assets is kept. Around a fork, in both processes. */
void ph_mjcf_fork_begin(void);
void ph_mjcf_fork_end(void);

/* Of libxml2. */
const char *ph_mjcf_parser_version(void);

#endif

/* The library itself, for the door's own files. */
#if defined PH_MJCF_XML && !defined PH_MJCF_XML_HERE
#define PH_MJCF_XML_HERE
#include <libxml/parser.h>
#include <libxml/tree.h>
#endif
