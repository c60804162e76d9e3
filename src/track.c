#include "track.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "name.h"
#include "signals.h"

#define TRACKS_MAX ((size_t)1 << 20)

struct ph_tracks {
  const ph_episode *episode;
  ph_track *at;
  size_t n, room;
};

/* The signals of an episode's model, each kind one run. */
struct names {
  ph_signal *at;
  size_t n;
  size_t from[PH_SIGNAL_BODY + 1]; /* first of the kind */
};

/* --- adding --- */

static ph_status room_for(ph_tracks *tracks, size_t more) {
  if (more > TRACKS_MAX - tracks->n)
    return ph_fail(PH_EFORMAT, "%s: it has more than %zu numbers a step",
                   ph_episode_meta_of(tracks->episode)->id, TRACKS_MAX);
  size_t need = tracks->n + more, room = tracks->room > 0 ? tracks->room : 64;
  if (need <= tracks->room)
    return PH_OK;
  while (room < need)
    room *= 2;
  ph_track *at = realloc(tracks->at, room * sizeof *at);
  if (!at)
    return ph_fail(PH_ENOMEM, "%s: tracks: out of memory", ph_episode_meta_of(tracks->episode)->id);
  tracks->at = at;
  tracks->room = room;
  return PH_OK;
}

/* Puts "stem" or "stem[2]" into the track; a long stem gives way, so that the place stays. */
static void name_plain(ph_track *track, const char *stem, size_t width) {
  char place[24] = "";
  if (width > 1)
    snprintf(place, sizeof place, "[%d]", track->element);
  size_t keep = sizeof track->name - strlen(place);
  ph_escape(track->name, keep, stem, strlen(stem));
  strcat(track->name, place);
}

/* --- columns --- */

bool ph_track_divided(const ph_episode *episode) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  return m->model_sha256[0] || m->dims.nq > 0;
}

bool ph_track_shown(const ph_episode *episode, ph_column col) {
  if (col == PH_COL_FINAL_STATE || !ph_episode_has(episode, col))
    return false;
  return col != PH_COL_STATES || ph_track_divided(episode) ||
         ph_episode_meta_of(episode)->control_dt > 0;
}

static const char *without_folder(const char *path) {
  return strncmp(path, "playhead/", 9) == 0 ? path + 9 : path;
}

/* What a column's numbers are called where no signal has them. */
static const char *column_stem(ph_column col) {
  switch (col) {
  case PH_COL_ACTIONS:
    return "action";
  case PH_COL_REWARDS:
    return "reward";
  case PH_COL_DONES:
    return "done";
  default:
    return without_folder(ph_schema_column(col)->path);
  }
}

/* The frame's actions are action[0] also where there is but one. */
static size_t column_places(ph_column col, size_t width) {
  return col == PH_COL_ACTIONS && width == 1 ? 2 : width;
}

/* The signal that is element e of a column; NULL: none is. */
static const ph_signal *column_signal(const struct names *names, const ph_dims *dims, ph_column col,
                                      int e) {
  ph_signal_kind kind = PH_SIGNAL_CTRL;
  int index = e;
  if (col == PH_COL_STATES) {
    index = e - 1;
    kind = index < dims->nq              ? PH_SIGNAL_QPOS
           : index < dims->nq + dims->nv ? PH_SIGNAL_QVEL
                                         : PH_SIGNAL_ACT;
    index -= kind == PH_SIGNAL_QPOS ? 0 : kind == PH_SIGNAL_QVEL ? dims->nq : dims->nq + dims->nv;
  } else if (col == PH_COL_MOCAP_POS || col == PH_COL_MOCAP_QUAT) {
    int each = col == PH_COL_MOCAP_POS ? 3 : 4;
    kind = PH_SIGNAL_MOCAP;
    index = 7 * (e / each) + e % each + (each == 4 ? 3 : 0);
  } else if (col != PH_COL_CTRL) {
    return NULL;
  }
  size_t at = index < 0 ? names->n : names->from[kind] + (size_t)index;
  return at < names->n && names->at[at].kind == kind ? &names->at[at] : NULL;
}

static void name_column(ph_track *track, const struct names *names, const ph_dims *dims,
                        size_t width) {
  const ph_signal *signal = column_signal(names, dims, track->column, track->element);
  if (track->column == PH_COL_STATES && track->element == 0) {
    snprintf(track->name, sizeof track->name, "time");
    track->unit = "s";
  } else if (signal && track->column == PH_COL_CTRL && strncmp(signal->name, "ctrl", 4) != 0) {
    snprintf(track->name, sizeof track->name, "ctrl.%.150s", signal->name);
    track->unit = signal->unit;
  } else if (signal) {
    snprintf(track->name, sizeof track->name, "%s", signal->name);
    track->unit = signal->unit;
  } else {
    name_plain(track, column_stem(track->column), column_places(track->column, width));
  }
}

int64_t ph_track_void(const ph_episode *episode, ph_column col) {
  return col == PH_COL_PREDICATE && episode->late_predicate ? 1 : 0;
}

static int column_shift(const ph_episode *episode, ph_column col) {
  return ph_track_void(episode, col) > 0 || col == PH_COL_REWARDS || col == PH_COL_DONES ||
         col == PH_COL_FLAGS;
}

static ph_status add_column(ph_tracks *tracks, const struct names *names, ph_column col) {
  const ph_dims *dims = &ph_episode_meta_of(tracks->episode)->dims;
  size_t width = ph_schema_width(col, dims);
  int64_t skipped = ph_track_void(tracks->episode, col);
  ph_status status = room_for(tracks, width);
  for (size_t e = 0; e < width && status == PH_OK; e++) {
    ph_track *track = &tracks->at[tracks->n++];
    *track = (ph_track){.unit = "",
                        .column = col,
                        .channel = -1,
                        .element = (int)e,
                        .rows = ph_episode_rows(tracks->episode, col) - skipped,
                        .shift = column_shift(tracks->episode, col)};
    bool time_alone = col == PH_COL_STATES && !ph_track_divided(tracks->episode);
    snprintf(track->array, sizeof track->array, "%s",
             time_alone ? "time" : ph_schema_column(col)->path);
    name_column(track, names, dims, width);
  }
  return status;
}

/* --- channels --- */

static ph_status add_channel(ph_tracks *tracks, size_t i, const ph_channel *channel) {
  bool readable = channel->kind == PH_CHANNEL_NUMBERS && channel->width <= PH_TRACK_WIDTH_MAX;
  size_t width = readable ? channel->width : 0;
  ph_status status = room_for(tracks, width);
  for (size_t e = 0; e < width && status == PH_OK; e++) {
    ph_track *track = &tracks->at[tracks->n++];
    *track = (ph_track){.unit = "",
                        .column = PH_COL_COUNT,
                        .channel = (int)i,
                        .element = (int)e,
                        .rows = channel->rows,
                        .shift = channel->shift};
    snprintf(track->array, sizeof track->array, "%s", channel->name);
    name_plain(track, channel->name, width);
  }
  return status;
}

/* --- the whole list --- */

/* The names that are taken, each once. */
struct taken {
  const ph_track *at;
  size_t *place; /* 1 + that of a track; 0: free */
  size_t room;   /* a power of two, at most half of it used */
};

/* Where the name is, or would go. */
static size_t *taken_by(const struct taken *taken, const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = name; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  size_t i = (size_t)(hash ^ hash >> 32) & (taken->room - 1);
  while (taken->place[i] && strcmp(taken->at[taken->place[i] - 1].name, name) != 0)
    i = (i + 1) & (taken->room - 1);
  return &taken->place[i];
}

/* Calls a track by its place in its array; where that is a name too, by a number behind it. */
static void rename_track(ph_track *track, const struct taken *taken) {
  name_plain(track, track->array, 2);
  size_t n = strlen(track->name);
  for (unsigned k = 2; *taken_by(taken, track->name); k++) {
    char number[16];
    size_t length = (size_t)snprintf(number, sizeof number, "#%u", k);
    memcpy(track->name + (n + length < sizeof track->name ? n : sizeof track->name - length - 1),
           number, length + 1);
  }
}

/* Every name is there once: of two, the later is called otherwise. */
static ph_status name_apart(ph_tracks *tracks) {
  struct taken taken = {tracks->at, NULL, 64};
  while (taken.room / 2 < tracks->n + 1)
    taken.room *= 2;
  taken.place = calloc(taken.room, sizeof *taken.place);
  bool *again = calloc(tracks->n + 1, sizeof *again);
  ph_status status = taken.place && again ? PH_OK
                                          : ph_fail(PH_ENOMEM, "%s: tracks: out of memory",
                                                    ph_episode_meta_of(tracks->episode)->id);
  for (size_t i = 0; i < tracks->n && status == PH_OK; i++) {
    size_t *place = taken_by(&taken, tracks->at[i].name);
    again[i] = *place != 0;
    *place = again[i] ? *place : i + 1;
  }
  for (size_t i = 0; i < tracks->n && status == PH_OK; i++)
    if (again[i]) {
      rename_track(&tracks->at[i], &taken);
      *taken_by(&taken, tracks->at[i].name) = i + 1;
    }
  free(taken.place);
  free(again);
  return status;
}

static ph_status names_make(struct names *names, const ph_model *model, const ph_dims *dims) {
  ph_status status = ph_signals_make(&names->at, &names->n, model, dims);
  bool seen[PH_SIGNAL_BODY + 1] = {false};
  for (size_t i = 0; i < names->n; i++) {
    ph_signal_kind kind = names->at[i].kind;
    if (kind <= PH_SIGNAL_BODY && !seen[kind])
      names->from[kind] = i;
    if (kind <= PH_SIGNAL_BODY)
      seen[kind] = true;
  }
  return status;
}

ph_status ph_tracks_make(ph_tracks **out, const ph_episode *episode, const ph_model *model) {
  struct names names = {0};
  size_t n;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  ph_tracks *tracks = calloc(1, sizeof *tracks);
  *out = NULL;
  if (!tracks)
    return ph_fail(PH_ENOMEM, "%s: tracks: out of memory", ph_episode_meta_of(episode)->id);
  tracks->episode = episode;
  ph_status status = names_make(&names, model, &ph_episode_meta_of(episode)->dims);
  for (int col = 0; col < PH_COL_COUNT && status == PH_OK; col++)
    if (ph_track_shown(episode, (ph_column)col))
      status = add_column(tracks, &names, (ph_column)col);
  for (size_t i = 0; i < n && status == PH_OK; i++)
    status = add_channel(tracks, i, &channels[i]);
  if (status == PH_OK)
    status = name_apart(tracks);
  free(names.at);
  if (status)
    ph_tracks_free(tracks);
  else
    *out = tracks;
  return status;
}

void ph_tracks_free(ph_tracks *tracks) {
  if (!tracks)
    return;
  free(tracks->at);
  free(tracks);
}

size_t ph_tracks_count(const ph_tracks *tracks) {
  return tracks->n;
}

const ph_track *ph_tracks_at(const ph_tracks *tracks, size_t i) {
  return i < tracks->n ? &tracks->at[i] : NULL;
}

const ph_episode *ph_tracks_episode(const ph_tracks *tracks) {
  return tracks->episode;
}

/* --- finding --- */

/* How a track answers to a word, the best first. */
enum answer {
  ANSWER_NAME,
  ANSWER_ARRAY,
  ANSWER_PLACE,
  ANSWER_STEM,
  ANSWER_CTRL,
  ANSWER_PATTERN,
  ANSWER_COUNT
};

static bool is_array(const ph_track *track, const char *what) {
  return strcmp(track->array, what) == 0 || strcmp(without_folder(track->array), what) == 0;
}

/* "states[12]", whatever that number is called. */
static bool is_place(const ph_track *track, const char *what) {
  const char *open = strrchr(what, '[');
  char array[sizeof track->array], place[24];
  size_t n = open ? (size_t)(open - what) : sizeof array;
  if (n >= sizeof array)
    return false;
  memcpy(array, what, n);
  array[n] = 0;
  snprintf(place, sizeof place, "[%d]", track->element);
  return strcmp(open, place) == 0 && is_array(track, array);
}

/* Whether a track is "stem[3]". */
static bool has_stem(const ph_track *track, const char *stem, size_t n) {
  const char *open = strrchr(track->name, '[');
  return open && n > 0 && (size_t)(open - track->name) == n && memcmp(track->name, stem, n) == 0;
}

static bool answers(const ph_track *track, const char *what, enum answer how) {
  switch (how) {
  case ANSWER_NAME:
    return strcmp(track->name, what) == 0;
  case ANSWER_ARRAY:
    return is_array(track, what);
  case ANSWER_PLACE:
    return is_place(track, what);
  case ANSWER_STEM:
    return has_stem(track, what, strlen(what));
  case ANSWER_CTRL:
    return strncmp(track->name, "ctrl.", 5) == 0 && strcmp(track->name + 5, what) == 0;
  case ANSWER_PATTERN:
    return ph_pattern_match(what, track->name) || ph_track_in(track, what);
  case ANSWER_COUNT:
    break;
  }
  return false;
}

bool ph_track_in(const ph_track *track, const char *what) {
  return is_array(track, what) || ph_pattern_match(what, track->array) ||
         ph_pattern_match(what, without_folder(track->array));
}

/* Digits as a place; SIZE_MAX: none. */
static size_t place_of(const char *what, size_t n) {
  size_t digits = strspn(what, "0123456789");
  if (digits == 0 || digits > 9 || what[digits])
    return SIZE_MAX;
  size_t i = strtoul(what, NULL, 10);
  return i < n ? i : SIZE_MAX;
}

size_t ph_tracks_find(const ph_tracks *tracks, const char *what, size_t *places, size_t room) {
  size_t found = 0, place = place_of(what, tracks->n);
  for (int how = 0; how < ANSWER_COUNT && found == 0; how++) {
    if (how == ANSWER_PATTERN && !ph_pattern_valid(what))
      break;
    if (how == ANSWER_ARRAY && place < tracks->n) {
      if (room > 0)
        places[0] = place;
      return 1;
    }
    for (size_t i = 0; i < tracks->n; i++)
      if (answers(&tracks->at[i], what, (enum answer)how) && found++ < room)
        places[found - 1] = i;
  }
  return found;
}

const char *ph_tracks_near(const ph_tracks *tracks, const char *what, char *out, size_t size) {
  ph_near near;
  char last[sizeof tracks->at->name] = "", word[sizeof last];
  const char *array = "";
  ph_near_begin(&near, what);
  for (size_t i = 0; i < tracks->n; i++) {
    const ph_track *track = &tracks->at[i];
    snprintf(word, sizeof word, "%s", track->name);
    if (strrchr(word, '['))
      *strrchr(word, '[') = 0;
    if (strcmp(array, track->array) != 0 && strcmp(word, track->array) != 0)
      ph_near_add(&near, track->array);
    if (strcmp(word, last) != 0)
      ph_near_add(&near, word);
    strcpy(last, word);
    array = track->array;
  }
  return ph_near_text(&near, out, size);
}
