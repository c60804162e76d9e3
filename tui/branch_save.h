/* A branch on its way into a file, on a thread of its own: whoever asked for it looks at how far it
 * is, and never waits but in branch_save_free. */
#ifndef TUI_BRANCH_SAVE_H
#define TUI_BRANCH_SAVE_H

#include <playhead/rerun.h>

struct branch_save;

/* References the run; its episode must outlive this. NULL: out of memory, or of threads. */
struct branch_save *branch_save_start(ph_rerun *run, const char *path);
void branch_save_cancel(struct branch_save *s); /* soon; nothing is left of the file */
void branch_save_free(struct branch_save *s);   /* Nullable; cancels, and waits */

/* Nothing of it will change any more. */
bool branch_save_ended(const struct branch_save *s);
/* "writing FILE: 120/341", "the branch is in FILE", "not saved: ...". */
void branch_save_text(const struct branch_save *s, char *out, size_t size);

#endif
