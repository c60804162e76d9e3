#include "export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- words --- */

static char *trim(char *word) {
  word += strspn(word, " \t");
  size_t n = strlen(word);
  while (n > 0 && (word[n - 1] == ' ' || word[n - 1] == '\t'))
    word[--n] = 0;
  return word;
}

ph_status ph_words_each(const char *list, ph_status (*take)(void *arg, const char *word),
                        void *arg) {
  char *copy = strdup(list), *rest = NULL;
  ph_status status = copy ? PH_OK : ph_fail(PH_ENOMEM, "columns: out of memory");
  size_t n = 0;
  for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !status;
       word = strtok_r(NULL, ",", &rest)) {
    word = trim(word);
    if (*word)
      status = take(arg, word);
    n += *word != 0;
  }
  free(copy);
  return status || n ? status : ph_fail(PH_EINVAL, "columns: '%s' names none", list);
}

/* --- refusals --- */

/* What a channel is that has no tracks; NULL: there is none of that name. */
static const ph_channel *channel_of(const ph_episode *episode, const char *word) {
  size_t n;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  for (size_t i = 0; i < n; i++)
    if (strcmp(channels[i].name, word) == 0)
      return &channels[i];
  return NULL;
}

ph_status ph_export_unknown(const ph_tracks *tracks, const char *word) {
  const ph_episode *episode = ph_tracks_episode(tracks);
  const char *id = ph_episode_meta_of(episode)->id;
  const ph_channel *channel = channel_of(episode, word);
  char near[300];
  if (channel && channel->kind == PH_CHANNEL_IMAGE)
    return ph_fail(PH_ENOTFOUND, "%s: %s: pictures are not exported", id, word);
  if (channel && channel->kind == PH_CHANNEL_OTHER)
    return ph_fail(PH_ENOTFOUND, "%s: %s: it is not read as numbers%s%s", id, word,
                   channel->note[0] ? ": " : "", channel->note);
  if (channel && channel->width > PH_TRACK_WIDTH_MAX)
    return ph_fail(PH_ENOTFOUND, "%s: %s: it has %zu numbers a step: too many for columns of text",
                   id, word, channel->width);
  return ph_fail(PH_ENOTFOUND, "%s: %s: no such column%s", id, word,
                 ph_tracks_near(tracks, word, near, sizeof near));
}

ph_status ph_export_no_step(const ph_episode *episode, int64_t first, int64_t end, int64_t low,
                            int64_t high) {
  char asked[80], has[80];
  const char *id = ph_episode_meta_of(episode)->id;
  if (end <= first)
    return ph_fail(PH_EINVAL, "%s: steps %" PRId64 " up to %" PRId64 ": there is none between them",
                   id, first, end);
  if (end == INT64_MAX)
    snprintf(asked, sizeof asked, "steps from %" PRId64 " on", first);
  else if (first == INT64_MIN)
    snprintf(asked, sizeof asked, "steps before %" PRId64, end);
  else if (end - 1 > first)
    snprintf(asked, sizeof asked, "steps %" PRId64 " to %" PRId64, first, end - 1);
  else
    snprintf(asked, sizeof asked, "step %" PRId64, first);
  if (high > low)
    snprintf(has, sizeof has, "steps %" PRId64 " to %" PRId64, low, high - 1);
  else
    snprintf(has, sizeof has, "none");
  return ph_fail(PH_EINVAL, "%s: %s: it has %s", id, asked, has);
}
