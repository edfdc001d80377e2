// thread_pool.c -- a list of jobs, and workers that help the first one.
//
// A Job lives on the stack of the thread that runs it, and is in the list while
// it has tasks that no thread has taken.  A worker joins a job under the lock,
// takes ranges of tasks by an atomic counter, and leaves under the lock; the
// runner returns once no tasks are left and `helpers` is zero.
//
// Waking workers is the most expensive part of a small job, and a job may be
// done before many workers could help.  So each worker that joins a job wakes
// the next ones, as long as tasks are left.
#include "runtime/device/thread_pool.h"

#include "runtime/base/base.h"
#include "runtime/base/threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
  SCRATCH_ALIGN = 64,
  SMALL_SCRATCH = 16 << 10, // on the stack of the thread that runs the job
  SPIN_ROUNDS = 2000,
  WAKES = 2,
  WORKER_STACK = 8 << 20, // whatever `ulimit -s` says
};

typedef struct PoolScratch PoolScratch;
struct PoolScratch {
  PoolScratch *next; // in the list of idle ones
  size_t size;
  void *block; // the allocator's pointer
  void *start; // aligned
};

typedef struct Job Job;
struct Job {
  Job *next;
  PoolTaskFn *task;
  void *ctx;
  uint64_t count;
  size_t scratch_bytes;
  int helpers; // under the lock
  _Atomic uint64_t taken;
};

struct ThreadPool {
  const Allocator *from;
  pthread_mutex_t lock;
  pthread_cond_t work; // a job was added, or `stop`
  pthread_cond_t left; // a helper left a job, or a worker has started
  ProcessMark process; // in a child there are no workers
  Job *jobs, **last_job;
  PoolScratch *idle;
  _Atomic unsigned arrivals; // jobs so far, polled by idle workers
  bool stop;
  int num_threads; // the runner included
  int num_processors;
  int num_sleeping; // under the lock
  int num_numbered; // workers that have numbered themselves
  int num_workers;
  pthread_t workers[]; // num_threads
};

// -- Scratch -----------------------------------------------------------------

static void scratch_free(ThreadPool *pool, PoolScratch *scratch) {
  if (!scratch) return;
  if (scratch->block) pool->from->free(pool->from->ctx, scratch->block);
  pool->from->free(pool->from->ctx, scratch);
}

static bool scratch_grow(ThreadPool *pool, PoolScratch *scratch, size_t size) {
  if (scratch->size >= size) return true;
  if (size > SIZE_MAX - SCRATCH_ALIGN) return false;
  void *block = pool->from->alloc(pool->from->ctx, size + SCRATCH_ALIGN);
  if (!block) return false;
  if (scratch->block) pool->from->free(pool->from->ctx, scratch->block);
  const size_t past = (uintptr_t)block & (SCRATCH_ALIGN - 1);
  scratch->block = block;
  scratch->start = (char *)block + (SCRATCH_ALIGN - past);
  scratch->size = size;
  assert((uintptr_t)scratch->start % SCRATCH_ALIGN == 0 &&
         (char *)scratch->start <= (char *)block + SCRATCH_ALIGN); // I1
  return true;
}

// The caller holds the lock.  NULL: no memory.
static PoolScratch *scratch_take(ThreadPool *pool, size_t size) {
  PoolScratch *scratch = pool->idle;
  if (scratch) {
    pool->idle = scratch->next;
  } else {
    scratch = pool->from->alloc(pool->from->ctx, sizeof *scratch);
    if (!scratch) return NULL;
    *scratch = (PoolScratch){0};
  }
  if (scratch_grow(pool, scratch, size)) return scratch;
  scratch_free(pool, scratch);
  return NULL;
}

static void scratch_return(ThreadPool *pool, PoolScratch *scratch) {
  scratch->next = pool->idle;
  pool->idle = scratch;
}

// -- Jobs --------------------------------------------------------------------

// Ranges get shorter towards the end, so that threads finish together: of 1,000
// tasks, two threads take 125, 109, 95, 83, ... and single ones in the end.
static uint64_t range_size(const ThreadPool *pool, const Job *job,
                           uint64_t taken) {
  assert(taken < job->count && pool->num_threads > 0); // I2
  const uint64_t left = job->count - taken;
  const uint64_t size = left / ((uint64_t)pool->num_threads * 4);
  return size ? size : 1;
}

static bool take_range(const ThreadPool *pool, Job *job, uint64_t *begin,
                       uint64_t *end) {
  uint64_t taken = atomic_load_explicit(&job->taken, memory_order_relaxed);
  while (taken < job->count) {
    const uint64_t next = taken + range_size(pool, job, taken);
    if (!atomic_compare_exchange_weak(&job->taken, &taken, next)) continue;
    assert(taken < next && next <= job->count && "past the last task"); // I2
    *begin = taken;
    *end = next;
    return true;
  }
  return false;
}

static bool has_tasks(Job *job) {
  return atomic_load_explicit(&job->taken, memory_order_relaxed) < job->count;
}

static void work_on(const ThreadPool *pool, Job *job,
                    const PoolScratch *scratch) {
  bool again = false;
  for (uint64_t begin, end; take_range(pool, job, &begin, &end);) {
    job->task(job->ctx, begin, end, scratch->start, again);
    again = true;
  }
}

static void list_add(ThreadPool *pool, Job *job) {
  job->next = NULL;
  assert(!*pool->last_job && "the list goes on behind its last"); // I4
  *pool->last_job = job;
  pool->last_job = &job->next;
}

static void list_remove(ThreadPool *pool, Job *job) {
  Job **link = &pool->jobs;
  while (*link && *link != job) link = &(*link)->next;
  if (!*link) return;
  *link = job->next;
  if (pool->last_job == &job->next) pool->last_job = link;
  assert(!*pool->last_job && "the last job was lost"); // I4
}

// -- Workers -----------------------------------------------------------------

// The first job that has tasks and that this thread can help.  The caller holds
// the pool's lock, as for the next two functions.
static Job *find_job(ThreadPool *pool, PoolScratch **scratch) {
  for (Job *job = pool->jobs; job; job = job->next) {
    if (!has_tasks(job)) continue;
    *scratch = scratch_take(pool, job->scratch_bytes);
    return *scratch ? job : NULL;
  }
  return NULL;
}

// Whether there is a processor for one more thread, besides the job's own.
static bool has_processor(const ThreadPool *pool) {
  return pool->num_workers - pool->num_sleeping + 1 < pool->num_processors;
}

// Wakes two workers, or one if the pool has more threads than processors or no
// processor is free; a woken worker wakes the next in help().
static void wake_some(ThreadPool *pool, Job *job) {
  const bool is_crowded = pool->num_threads > pool->num_processors;
  const int wakes = has_processor(pool) && !is_crowded ? WAKES : 1;
  for (int i = 0; i < wakes && i < pool->num_sleeping && has_tasks(job); i++)
    pthread_cond_signal(&pool->work);
}

static void help(ThreadPool *pool, Job *job, PoolScratch *scratch) {
  job->helpers++;
  wake_some(pool, job);
  pthread_mutex_unlock(&pool->lock);
  work_on(pool, job, scratch);
  pthread_mutex_lock(&pool->lock);
  scratch_return(pool, scratch);
  assert(job->helpers > 0 && "a helper leaves twice"); // I3
  if (--job->helpers == 0) pthread_cond_broadcast(&pool->left);
}

// Launches often follow each other closely: polling for a while is cheaper than
// being woken, unless another thread could have the processor.
static void spin(ThreadPool *pool, unsigned seen) {
  if (pool->num_workers - pool->num_sleeping > pool->num_processors) return;
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < SPIN_ROUNDS; i++) {
    if (atomic_load_explicit(&pool->arrivals, memory_order_relaxed) != seen)
      break;
  }
  pthread_mutex_lock(&pool->lock);
}

static void sleep_for_work(ThreadPool *pool) {
  pool->num_sleeping++;
  pthread_cond_wait(&pool->work, &pool->lock);
  pool->num_sleeping--;
  assert(pool->num_sleeping >= 0 &&
         pool->num_sleeping < pool->num_threads); // I5
}

static _Thread_local int own_number;

int thread_pool_number(void) {
  return own_number;
}

static void *worker_main(void *data) {
  ThreadPool *pool = data;
  pthread_mutex_lock(&pool->lock);
  own_number = ++pool->num_numbered;
  assert(own_number < pool->num_threads && "a worker too many"); // I5
  pthread_cond_signal(&pool->left);
  while (!pool->stop) {
    PoolScratch *scratch = NULL;
    Job *job = find_job(pool, &scratch);
    if (job) {
      help(pool, job, scratch);
      continue;
    }
    const unsigned seen = atomic_load(&pool->arrivals);
    spin(pool, seen);
    if (!pool->stop && atomic_load(&pool->arrivals) == seen)
      sleep_for_work(pool);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// -- The pool ----------------------------------------------------------------

// Waits until all workers have numbered themselves.  Starting a thread
// allocates (its stack's description, its thread-local data); after that no
// worker is inside the allocator, whose locks a child of fork() might find
// taken.
static void start_workers(ThreadPool *pool) {
  pthread_mutex_lock(&pool->lock);
  while (pool->num_workers < pool->num_threads - 1) {
    pthread_t *thread = &pool->workers[pool->num_workers];
    if (!threads_start(thread, WORKER_STACK, worker_main, pool)) break;
    pool->num_workers++;
  }
  while (pool->num_numbered < pool->num_workers)
    pthread_cond_wait(&pool->left, &pool->lock);
  assert(pool->num_numbered == pool->num_workers); // I5
  pthread_mutex_unlock(&pool->lock);
}

static void begin(ThreadPool *pool) {
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->left, NULL);
  start_workers(pool);
}

// In a child of fork(): resets the lock and the conditions, whose state the
// parent's workers may have left.  Between jobs, workers change nothing else.
static void begin_anew(void *data) {
  ThreadPool *pool = data;
  pool->num_workers = pool->num_sleeping = pool->num_numbered = 0;
  begin(pool);
}

ThreadPool *thread_pool_create(const Allocator *from, int num_threads) {
  const int processors = threads_processors("");
  const int asked = num_threads > 0 ? num_threads : threads_asked();
  const int count = asked ? asked : processors;
  ThreadPool *pool =
      from->alloc(from->ctx, sizeof *pool + (size_t)count * sizeof(pthread_t));
  if (!pool) return NULL;
  *pool = (ThreadPool){
      .from = from, .num_threads = count, .num_processors = processors};
  pool->last_job = &pool->jobs;
  if (!process_mark(&pool->process)) {
    from->free(from->ctx, pool);
    return NULL;
  }
  begin(pool);
  return pool;
}

static void stop_workers(ThreadPool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->num_workers; i++) {
    pthread_join(pool->workers[i], NULL);
  }
  pthread_cond_destroy(&pool->left);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
}

void thread_pool_destroy(ThreadPool *pool) {
  if (!pool) return;
  if (process_is_same(&pool->process)) stop_workers(pool);
  for (PoolScratch *scratch = pool->idle, *next; scratch; scratch = next) {
    next = scratch->next;
    scratch_free(pool, scratch);
  }
  process_unmark(&pool->process);
  pool->from->free(pool->from->ctx, pool);
}

int thread_pool_size(const ThreadPool *pool) {
  return pool->num_threads;
}

static void wake_workers(ThreadPool *pool, Job *job) {
  if (!pool->num_workers || job->count < 2) return;
  atomic_fetch_add(&pool->arrivals, 1);
  wake_some(pool, job);
}

// Runs a job that no worker could help with, and that needs little memory,
// without the lock.
static void run_alone(const Job *job) {
  _Alignas(SCRATCH_ALIGN) char scratch[SMALL_SCRATCH];
  job->task(job->ctx, 0, job->count, scratch, false);
}

static bool runs_alone(const ThreadPool *pool, const Job *job) {
  return (job->count == 1 || pool->num_threads == 1) &&
         job->scratch_bytes <= SMALL_SCRATCH;
}

bool thread_pool_run(ThreadPool *pool, uint64_t count, size_t scratch_bytes,
                     PoolTaskFn *task, void *ctx) {
  Job job = {
      .task = task, .ctx = ctx, .count = count, .scratch_bytes = scratch_bytes};
  if (runs_alone(pool, &job)) {
    run_alone(&job);
    return true;
  }
  process_adopt(&pool->process, begin_anew, pool);
  pthread_mutex_lock(&pool->lock);
  PoolScratch *scratch = scratch_take(pool, scratch_bytes);
  if (!scratch) {
    pthread_mutex_unlock(&pool->lock);
    return false;
  }
  list_add(pool, &job);
  wake_workers(pool, &job);
  pthread_mutex_unlock(&pool->lock);
  work_on(pool, &job, scratch);
  pthread_mutex_lock(&pool->lock);
  list_remove(pool, &job);
  while (job.helpers) pthread_cond_wait(&pool->left, &pool->lock);
  assert(!job.helpers && atomic_load(&job.taken) == count); // I3
  scratch_return(pool, scratch);
  pthread_mutex_unlock(&pool->lock);
  return true;
}
