/* Files that appear whole or not at all. */
#include "sink_h5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"

ph_status ph_sink_check_path(const char *path, size_t more) {
  size_t limit = sizeof((ph_entry *)0)->file;
  if (strlen(path) + more <= limit)
    return PH_OK;
  return ph_fail(PH_EINVAL,
                 "%.80s...: the path has %zu bytes: what is written there could not be "
                 "opened: at most %zu",
                 path, strlen(path), limit - more);
}

ph_status ph_part_create_over(ph_part *part, const char *path) {
  int fd = -1;
  *part = (ph_part){.h5 = H5I_INVALID_HID, .final = strdup(path)};
  ph_status status = part->final ? ph_file_create_hidden(&part->temporary, &fd, path)
                                 : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  if (!status)
    status = ph_h5_create_in(&part->h5, fd, part->temporary);
  if (status)
    ph_part_drop(part);
  return status;
}

static ph_status exists(const char *path) {
  return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", path);
}

ph_status ph_part_create(ph_part *part, const char *path) {
  struct stat st;
  *part = (ph_part){.h5 = H5I_INVALID_HID};
  return lstat(path, &st) == 0 ? exists(path) : ph_part_create_over(part, path);
}

ph_status ph_part_finish(ph_part *part) {
  hid_t h5 = part->h5;
  part->h5 = H5I_INVALID_HID;
  return ph_h5_finish(h5, part->final);
}

/* --- publishing --- */

/* Renamed (*ours), or the same bytes are there already. */
static ph_status put_in_place(ph_part *part, bool compare, bool *ours) {
  int error = ph_file_rename_new(part->temporary, part->final);
  *ours = error == 0;
  if (error == EEXIST && compare && ph_file_same(part->temporary, part->final))
    error = unlink(part->temporary) == 0 ? 0 : errno;
  if (error == EEXIST)
    return exists(part->final);
  if (error)
    return ph_fail(PH_EIO, "%s: cannot be put into place: %s", part->final, strerror(error));
  free(part->temporary);
  part->temporary = NULL;
  return PH_OK;
}

static ph_status not_synced(const ph_part *part, int error) {
  return ph_fail(PH_EIO, "%s: its folder cannot be synced: %s", part->final, strerror(error));
}

ph_status ph_part_publish(ph_part *part) {
  bool ours;
  ph_status status = put_in_place(part, false, &ours);
  int error = status ? 0 : ph_file_sync_folder(part->final);
  if (!error)
    return status;
  unlink(part->final);
  return not_synced(part, error);
}

ph_status ph_part_publish_over(ph_part *part) {
  struct stat st;
  if (lstat(part->final, &st) == 0 && !S_ISREG(st.st_mode))
    return exists(part->final);
  if (rename(part->temporary, part->final) != 0)
    return ph_fail(PH_EIO, "%s: cannot be put into place: %s", part->final, strerror(errno));
  free(part->temporary);
  part->temporary = NULL;
  int error = ph_file_sync_folder(part->final);
  if (!error)
    return PH_OK; /* else it stays: what it replaced is gone */
  return not_synced(part, error);
}

ph_status ph_part_publish_in(ph_part *part, int folder) {
  bool ours;
  ph_status status = put_in_place(part, true, &ours);
  int error = !status && fsync(folder) != 0 && errno != EINVAL ? errno : 0;
  if (!error)
    return status;
  if (ours) /* what was there before stays */
    unlinkat(folder, strrchr(part->final, '/') + 1, 0);
  return not_synced(part, error);
}

void ph_part_drop(ph_part *part) {
  ph_h5_close(part->h5);
  if (part->temporary)
    unlink(part->temporary);
  free(part->temporary);
  free(part->final);
  *part = (ph_part){.h5 = H5I_INVALID_HID};
}
