/* What `info` says of files of other recorders: what is the same in all episodes is said once. */
#ifndef CLI_INFO_FOREIGN_H
#define CLI_INFO_FOREIGN_H

#include "report.h"

/* Whether the store is of other recorders' files: its first episode that opens says so. */
bool foreign_store(ph_store *store);
/* Prints all of it, or of a group as cli_group gives it, each of the paths that the store was
 * opened with under its own head; returns how many episodes do not open. */
size_t foreign_print(ph_store *store, size_t group, const char *const *paths, size_t npaths);

/* Makes `missing` and `oddities` right for an episode of a foreign file, and adds what it has
 * besides the documented keys. oddity: of its entry in the list. */
void foreign_episode_keys(json_t *to, const ph_episode *episode, const char *oddity);
/* [{name, episodes}] */
json_t *foreign_groups(const ph_store *store);
/* What was mended or left out of a model. */
json_t *foreign_notes(const ph_model *model);

#endif
