/* One thread around a session: a one-slot request (newest wins), a one-slot snapshot, a pipe that
 * wakes the loop. While no request waits, it does what can wait. */
#ifndef TUI_WORKER_H
#define TUI_WORKER_H

#include "session.h"

struct worker;

/* Takes the session: the thread owns it from here until worker_stop, which frees it. */
ph_status worker_start(struct worker **out, struct session *session);
/* Replaces whatever request waits. */
void worker_ask(struct worker *w, const struct request *req);
/* The newest snapshot, now the caller's; NULL if there is none since the last call. */
struct snapshot *worker_take(struct worker *w);
/* Whether a request since the last call got no snapshot because memory was out. */
bool worker_starved(struct worker *w);
/* What it waits for now; a change wakes the loop. */
struct waiting worker_waiting(struct worker *w);
int worker_fd(const struct worker *w); /* readable when there may be news; worker_take drains it */
/* At once, whatever it waits for. Nullable */
void worker_stop(struct worker *w);

#endif
