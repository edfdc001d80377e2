// test_thread_pool.c -- every task runs once, on any thread; ranges balance
// tasks of unequal length; a system that refuses threads slows a job down
// alone.
#define _GNU_SOURCE // sched_setaffinity, setresuid
#include "runtime/device/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  _Atomic int *hits;
  size_t scratch_bytes;
  _Atomic bool misaligned, forgotten;
} Tally;

static void count_task(void *ctx, uint64_t begin, uint64_t end, void *scratch,
                       bool again) {
  Tally *tally = ctx;
  if ((uintptr_t)scratch % 64) atomic_store(&tally->misaligned, true);
  if (tally->scratch_bytes) {
    if (again && memcmp(scratch, &tally, sizeof tally))
      atomic_store(&tally->forgotten, true);
    memset(scratch, 1, tally->scratch_bytes);
    memcpy(scratch, &tally, sizeof tally);
  }
  for (uint64_t i = begin; i < end; i++) atomic_fetch_add(&tally->hits[i], 1);
}

static void check_run(ThreadPool *pool, uint64_t count, size_t scratch_bytes) {
  Tally tally = {.hits = calloc(count + 1, sizeof(_Atomic int)),
                 .scratch_bytes = scratch_bytes};
  assert_true(thread_pool_run(pool, count, scratch_bytes, count_task, &tally));
  for (uint64_t i = 0; i < count; i++) assert_int_equal(tally.hits[i], 1);
  assert_int_equal(tally.hits[count], 0);
  assert_false(tally.misaligned);
  assert_false(tally.forgotten);
  free(tally.hits);
}

static void test_every_task_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 5; threads++) {
    ThreadPool *pool = thread_pool_create(&system_allocator, threads);
    assert_non_null(pool);
    assert_int_equal(thread_pool_size(pool), threads);
    static const uint64_t counts[] = {0, 1, 2, 3, 17, 1000, 65537};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      check_run(pool, counts[i], 100 * i);
    }
    thread_pool_destroy(pool);
  }
  thread_pool_destroy(NULL);
}

static void *run_many(void *data) {
  for (int i = 0; i < 50; i++) check_run(data, 300, (size_t)i * 64);
  return NULL;
}

static void test_many_runners(void **state) {
  (void)state;
  ThreadPool *pool = thread_pool_create(&system_allocator, 3);
  pthread_t runners[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&runners[i], NULL, run_many, pool), 0);
  }
  for (int i = 0; i < 4; i++) pthread_join(runners[i], NULL);
  thread_pool_destroy(pool);
}

static void test_environment(void **state) {
  (void)state;
  setenv("TILE_NUM_THREADS", "3", 1);
  ThreadPool *pool = thread_pool_create(&system_allocator, 0);
  assert_int_equal(thread_pool_size(pool), 3);
  thread_pool_destroy(pool);
  setenv("TILE_NUM_THREADS", "many", 1);
  pool = thread_pool_create(&system_allocator, 0);
  assert_true(thread_pool_size(pool) >= 1);
  thread_pool_destroy(pool);
}

typedef struct {
  _Atomic int left; // allocations until refusal
} Budget;

static void *budget_alloc(void *ctx, size_t size) {
  Budget *budget = ctx;
  return atomic_fetch_sub(&budget->left, 1) > 0 ? malloc(size) : NULL;
}

static void budget_free(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

static void test_refused_memory(void **state) {
  (void)state;
  for (int allowed = 0; allowed < 6; allowed++) {
    Budget budget = {allowed};
    const Allocator from = {budget_alloc, budget_free, &budget};
    ThreadPool *pool = thread_pool_create(&from, 2);
    assert_int_equal(pool != NULL, allowed > 0);
    if (!pool) continue;
    _Atomic int hits[64] = {0};
    Tally tally = {.hits = hits, .scratch_bytes = 64};
    const bool ran = thread_pool_run(pool, 64, 64, count_task, &tally);
    if (allowed < 3) assert_false(ran);
    for (int i = 0; i < 64; i++) assert_int_equal(hits[i], ran);
    thread_pool_destroy(pool);
  }
}

// -- Which thread ------------------------------------------------------------

static void note_thread(void *ctx, uint64_t begin, uint64_t end, void *scratch,
                        bool again) {
  (void)begin, (void)end, (void)scratch, (void)again;
  *(pthread_t *)ctx = pthread_self();
}

// A single task stays on the thread that runs the job, however much scratch
// memory it wants.
static void test_one_task(void **state) {
  (void)state;
  ThreadPool *pool = thread_pool_create(&system_allocator, 4);
  static const size_t sizes[] = {0, 100, 16 << 10, 1 << 20};
  for (int i = 0; i < 400; i++) {
    pthread_t ran;
    memset(&ran, 0, sizeof ran);
    assert_true(thread_pool_run(pool, 1, sizes[i % 4], note_thread, &ran));
    assert_true(pthread_equal(ran, pthread_self()));
  }
  thread_pool_destroy(pool);
}

// -- Balance -----------------------------------------------------------------

typedef struct {
  uint64_t count;
  bool falls;            // the first task is the longest
  double longest, whole; // a range with more than one task; all
  pthread_mutex_t lock;
} Costs;

// Programs of causal attention: task i takes i + 1, or count - i.
static double cost_of(const Costs *costs, uint64_t begin, uint64_t end) {
  double sum = 0;
  for (uint64_t i = begin; i < end; i++)
    sum += (double)(costs->falls ? costs->count - i : i + 1);
  return sum;
}

static void add_costs(void *ctx, uint64_t begin, uint64_t end, void *scratch,
                      bool again) {
  (void)scratch, (void)again;
  Costs *costs = ctx;
  const double cost = cost_of(costs, begin, end);
  pthread_mutex_lock(&costs->lock);
  costs->whole += cost;
  if (end - begin > 1 && cost > costs->longest) costs->longest = cost;
  pthread_mutex_unlock(&costs->lock);
}

// No range of several tasks is more than half of a thread's fair share, so that
// threads, each of which takes the next range at the end of one, wait little
// for each other.
static void test_causal(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 4, 16};
  static const uint64_t counts[] = {2, 7, 64, 1000};
  for (int i = 0; i < 32; i++) {
    const int size = threads[i % 4];
    Costs costs = {.count = counts[i / 4 % 4], .falls = i / 16};
    pthread_mutex_init(&costs.lock, NULL);
    ThreadPool *pool = thread_pool_create(&system_allocator, size);
    assert_true(thread_pool_run(pool, costs.count, 0, add_costs, &costs));
    thread_pool_destroy(pool);
    pthread_mutex_destroy(&costs.lock);
    const double all = (double)(costs.count * (costs.count + 1)) / 2;
    assert_true(costs.whole == all);
    if (size > 1) assert_true(costs.longest <= all / size / 2 + 1);
  }
}

// -- Systems that refuse -----------------------------------------------------

// In a child, whose limits end with it; the superuser has none.
static void in_child(bool (*body)(void)) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool runs_all(ThreadPool *pool) {
  _Atomic int hits[100] = {0};
  Tally tally = {.hits = hits, .scratch_bytes = 64};
  bool ok = thread_pool_run(pool, 100, 64, count_task, &tally);
  for (int i = 0; i < 100; i++) ok &= hits[i] == 1;
  return ok;
}

static void *nothing(void *unused) {
  return unused;
}

static bool starts_thread(void) {
  pthread_t thread;
  return !pthread_create(&thread, NULL, nothing, NULL) &&
         !pthread_join(thread, NULL);
}

static bool run_without_threads(void) {
  enum { NOBODY = 65534 };
  const struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_NPROC, &none)) return false;
  if ((!geteuid() && setresuid(NOBODY, NOBODY, NOBODY)) || starts_thread()) {
    fputs("SKIP (part): threads cannot be refused to this user\n", stderr);
    return true;
  }
  ThreadPool *pool = thread_pool_create(&system_allocator, 8);
  const bool ok = pool && runs_all(pool);
  thread_pool_destroy(pool);
  return ok;
}

static void test_refused_threads(void **state) {
  (void)state;
  in_child(run_without_threads);
}

// All threads get to one processor after the pool has started.
static bool run_on_one(void) {
  ThreadPool *pool = thread_pool_create(&system_allocator, 8);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  bool ok = pool && !sched_setaffinity(0, sizeof one, &one);
  for (int i = 0; i < 200 && ok; i++) ok = runs_all(pool);
  thread_pool_destroy(pool);
  return ok;
}

static void test_one_processor(void **state) {
  (void)state;
  in_child(run_on_one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_task_once),
      cmocka_unit_test(test_many_runners),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_refused_memory),
      cmocka_unit_test(test_one_task),
      cmocka_unit_test(test_causal),
      cmocka_unit_test(test_refused_threads),
      cmocka_unit_test(test_one_processor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
