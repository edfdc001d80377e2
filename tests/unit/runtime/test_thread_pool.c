// test_thread_pool.c -- every task runs once, on any thread.
#include "runtime/device/thread_pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_task_once),
      cmocka_unit_test(test_many_runners),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_refused_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
