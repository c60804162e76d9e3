/* What the files of a session share: session.c, and a file for each thing that it shows. */
#ifndef TUI_SESSION_PARTS_H
#define TUI_SESSION_PARTS_H

#include "series.h"
#include "session.h"
#include "session_dynamic.h"

enum { SESSION_KEPT = 6 };

struct live_session;
struct envs;
struct ghost;
struct survey;
struct cut_job;

struct session {
  struct live_session *live; /* a live env instead of files, and no store; NULL: files */
  ph_store *store;
  ph_store_options store_options; /* what it points to is the caller's */
  ph_task *task;                  /* Nullable: instead of the recorded ones */
  char *success;                  /* Nullable: an expression, instead of what it or they say */
  ph_judge *judge;                /* Nullable: a command, instead of all of these */
  struct catalog *catalog;
  struct slot {
    bool used;
    uint64_t at; /* turn of its last use */
    struct opened opened;
  } slot[SESSION_KEPT];
  uint64_t turn;
  struct plots plots;
  struct group *group; /* on show; NULL: all episodes */
  struct envs *envs;   /* many envs at once; NULL: they are not asked for */
  struct ghost *ghost; /* another episode beside it; NULL: never asked for */
  struct session_cut {
    uint64_t serial, cuts; /* of the last wish that was begun, of the last that ended: */
    bool failed;
    char text[HELD_SAID];
    struct cut_job *job; /* under way; NULL */
  } cut;
  struct survey *survey; /* the hold over all episodes; NULL: nothing was counted yet */
  bool no_survey;        /* memory was out: nothing is counted unasked */

  struct request last; /* the one that was answered last */
  bool answered;       /* there is one */
  bool failed;         /* its episode did not open, for this reason: */
  char failure[400];

  uint8_t *changed;      /* per episode: the store knows more of it than the catalog */
  size_t next;           /* from where on the next one is looked for */
  bool news;             /* the catalog on show is older than the store */
  uint64_t published;    /* ms of the last snapshot that nobody asked for */
  uint64_t catalog_cost; /* ms that the last list took to make */
  uint64_t catalog_at;   /* ms when it was made */

  enum following following;
  char lost[400];
  uint64_t followed;    /* ms when it was looked for new episodes last; 0: at once */
  uint64_t follow_cost; /* ms that it took */
};

/* The store has learned of an episode: the next list has it. */
void session_changed(struct session *s, size_t place);
/* Makes a new list; without memory for it the old one stays until there is other news. */
void session_renew_catalog(struct session *s);
uint64_t session_clock(void); /* ms */

/* Looks for new episodes when it is time, and who records; true: there is something new to show. */
bool session_follow(struct session *s, uint64_t now);
/* The answer to s->last; an episode that did not open is not tried again. */
ph_status session_answer(struct session *s, bool again, struct snapshot **out);
/* The step of s->last that is shown of its episode. */
int64_t session_step(const struct session *s, const struct opened *o);
/* The open episode of the last request; NULL: none. */
struct opened *session_opened(struct session *s);

/* Makes s->group that of this name; "" or none of the name: all episodes. False: out of memory. */
bool session_use_group(struct session *s, const char *name);

/* --- one frame (session_frame.c) --- */

/* The episode's frame at a step; that it cannot be read is in snap->error. PH_ENOMEM. */
ph_status session_frame(struct snapshot *snap, struct opened *o, int64_t step);
/* The frame that the replay is at. */
ph_status session_take_frame(struct snapshot *snap, struct opened *o);

/* --- physics run again (session_dynamic.c) --- */

/* What is known of it into snap->dyn, for the wish of s->last. PH_ENOMEM. */
ph_status session_dynamic_answer(struct session *s, struct opened *o, struct snapshot *snap);
/* One small piece; false: there is none to do now. *due: it is to be shown. */
bool session_dynamic_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                          void *arg, bool *due);
/* As session_wait. */
uint64_t session_dynamic_wait(const struct session *s, const struct opened *o);
/* All of it; where nothing but recorded states is shown, long episodes are left out. True: there
 * is something to show. */
bool session_dynamic_settle(struct session *s, struct opened *o);
/* All but this episode are left. */
void session_dynamic_leave(struct session *s, size_t episode);

/* --- many envs (session_envs.c) --- */

/* Takes the wish of s->last: what there is of another one goes. False: out of memory. */
bool session_envs_aim(struct session *s);
/* A step of the episode on show, no further than they go in lockstep. */
int64_t session_envs_clamp(const struct session *s, int64_t step);
/* What is known of them into snap->envs. PH_ENOMEM. */
ph_status session_envs_answer(struct session *s, struct opened *o, struct snapshot *snap);
/* As of physics run again, above. */
bool session_envs_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                       void *arg, bool *due);
uint64_t session_envs_wait(const struct session *s, const struct opened *o);
bool session_envs_settle(struct session *s, struct opened *o);
void session_envs_free(struct envs *envs); /* Nullable */

/* --- another episode beside it (session_ghost.c) --- */

/* What is known of it into snap->ghost, for the wish of s->last and the frame of snap. PH_ENOMEM.
 */
ph_status session_ghost_answer(struct session *s, struct opened *o, struct snapshot *snap);
/* As of physics run again, above. */
bool session_ghost_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                        void *arg, bool *due);
uint64_t session_ghost_wait(const struct session *s);
bool session_ghost_settle(struct session *s, struct opened *o);
void session_ghost_free(struct session *s);

/* --- the hold (session_held.c, session_survey.c) --- */

/* What it comes to into snap->held, for the wish of s->last. PH_ENOMEM. */
ph_status session_held_answer(struct session *s, struct opened *o, struct snapshot *snap);
/* As of physics run again, above. */
bool session_held_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                       void *arg, bool *due);
uint64_t session_held_wait(const struct session *s, const struct opened *o);
bool session_held_settle(struct session *s, struct opened *o);
/* The list counted unasked, as far as it is: behind all other work. */
bool session_survey_idle(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                         void *arg, bool *due);
bool session_survey_idle_settle(struct session *s, struct opened *o);
void session_survey_free(struct session *s);
void session_cut_free(struct session *s); /* gives up what is under way */

/* --- a live env (session_live.c) --- */

ph_status session_live_open(struct session *s, const struct session_options *opt);
void session_live_free(struct session *s);
/* Takes the wish, and goes on towards it for a while; session_live_work does the rest. */
ph_status session_live_serve(struct session *s, const struct request *req, struct snapshot **out);
/* False: it is where it was asked to be, and *out was of that. */
bool session_live_work(struct session *s, struct snapshot **out);
/* As session_wait: an answer that there was no memory for is owed. */
uint64_t session_live_wait(const struct session *s);

#endif
