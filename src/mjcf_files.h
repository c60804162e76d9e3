/* What a model may read: confinement to folders, and unique names for what was read. */
#ifndef PLAYHEAD_MJCF_FILES_H
#define PLAYHEAD_MJCF_FILES_H

#include <limits.h>

#include "model.h"

#define PH_FILE_LIMIT ((size_t)256 << 20) /* bytes of one file */

struct ph_files; /* allowed folders, and assets read so far; belongs to one thread */

/* The folder of `model` and the asset folders. opt->mend: it may come from another computer, and
 * the source (borrowed) takes notes of how files were found. PH_EIO: the model's folder is not
 * there, or an asset folder is none. */
ph_status ph_files_new(struct ph_files **out, const char *model, const ph_model_options *opt,
                       ph_source *source);
void ph_files_free(struct ph_files *files); /* Nullable; assets not taken too */

/* Real path of a file as a model names it, relative to the model's folder or absolute. What is not
 * there, or lies outside, is looked for in the asset folders by its longest matching tail; for a
 * model of another computer also by its name anywhere below them.
 * PH_EREFUSED: outside. PH_EIO: missing. */
ph_status ph_files_find(struct ph_files *files, const char *path, char real[PATH_MAX]);

/* Why the last file that was asked for cannot be had, in two or three words; static. */
const char *ph_files_why(const struct ph_files *files);

/* Reads a regular file whole; out->name is `name` copied, the data ends with an extra zero. */
ph_status ph_files_read(ph_blob *out, const char *real, const char *name);

/* Reads an asset, once per file; *name is its unique name, borrowed. */
ph_status ph_files_asset(struct ph_files *files, const char *path, const char **name);

/* Gives the assets to the source. */
void ph_files_take(struct ph_files *files, ph_source *source);

/* What follows the last slash or backslash, as MuJoCo strips paths. */
const char *ph_path_base(const char *path);
/* From a root, or from a drive as other systems write it. */
bool ph_path_absolute(const char *path);
/* With single slashes only and none in front; "" where it is too long. */
void ph_path_slashes(char out[PATH_MAX], const char *path);
/* The same without a drive and without dots: "a/../b" is "b". */
void ph_path_plain(char out[PATH_MAX], const char *path);

/* Appends a blob to a growing array; takes its memory, also on PH_ENOMEM. */
ph_status ph_blobs_add(ph_blob **blobs, size_t *n, ph_blob blob);

#endif
