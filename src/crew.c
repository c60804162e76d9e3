#include "crew.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fail.h"
#include "thread.h"

struct ph_crew {
  pthread_t *threads;
  int n; /* of them; the caller is one more */
  pthread_mutex_t lock;
  pthread_cond_t begun, ended;
  unsigned long round; /* of work; a thread takes part in each */
  int busy;            /* threads that have not ended this round */
  bool over;

  /* of the round */
  void (*work)(void *arg, int i);
  void *arg;
  int count;
  atomic_int next;
};

static void take_part(ph_crew *crew) {
  for (int i = atomic_fetch_add(&crew->next, 1); i < crew->count;
       i = atomic_fetch_add(&crew->next, 1))
    crew->work(crew->arg, i);
}

static void *serve(void *arg) {
  ph_crew *crew = arg;
  unsigned long seen = 0;
  pthread_mutex_lock(&crew->lock);
  for (;;) {
    while (!crew->over && crew->round == seen)
      pthread_cond_wait(&crew->begun, &crew->lock);
    if (crew->over)
      break;
    seen = crew->round;
    pthread_mutex_unlock(&crew->lock);
    take_part(crew);
    pthread_mutex_lock(&crew->lock);
    if (--crew->busy == 0)
      pthread_cond_signal(&crew->ended);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

ph_status ph_crew_new(ph_crew **out, int threads) {
  ph_crew *crew = calloc(1, sizeof *crew);
  *out = NULL;
  if (crew)
    crew->threads = calloc((size_t)threads, sizeof *crew->threads);
  if (!crew || !crew->threads) {
    free(crew);
    return ph_fail(PH_ENOMEM, "threads: out of memory");
  }
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->begun, NULL);
  pthread_cond_init(&crew->ended, NULL);
  while (crew->n < threads - 1 && ph_thread_start(&crew->threads[crew->n], serve, crew))
    crew->n++;
  *out = crew;
  return PH_OK;
}

void ph_crew_free(ph_crew *crew) {
  if (!crew)
    return;
  pthread_mutex_lock(&crew->lock);
  crew->over = true;
  pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->lock);
  for (int i = 0; i < crew->n; i++)
    pthread_join(crew->threads[i], NULL);
  pthread_cond_destroy(&crew->ended);
  pthread_cond_destroy(&crew->begun);
  pthread_mutex_destroy(&crew->lock);
  free(crew->threads);
  free(crew);
}

void ph_crew_run(ph_crew *crew, void (*work)(void *arg, int i), void *arg, int n) {
  pthread_mutex_lock(&crew->lock);
  crew->work = work;
  crew->arg = arg;
  crew->count = n;
  atomic_store(&crew->next, 0);
  crew->busy = crew->n;
  crew->round++;
  if (crew->n > 0)
    pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->lock);
  take_part(crew);
  pthread_mutex_lock(&crew->lock);
  while (crew->busy > 0)
    pthread_cond_wait(&crew->ended, &crew->lock);
  pthread_mutex_unlock(&crew->lock);
}
