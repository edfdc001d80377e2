// test_random_host.c -- random kernels have the same results on the host, to
// the bit.
#include "ir/text.h"
#include "tests/tools/host_runner.h"
#include "tests/tools/random_ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STATEMENTS = 30, PER_MODULE = 10 };

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
} Batch;

static void batch_fail(Batch *b, uint64_t seed, const char *what) {
  Str text = str_in(&b->arena);
  diag_render_all(&b->diags, false, &text);
  fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, what,
           str_text(&text));
}

static void fill_slots(const RandomMemory *memory, uint64_t *slots) {
  const float scale = (float)memory->args[RANDOM_POINTERS + 1].as.f;
  for (int i = 0; i <= RANDOM_POINTERS; i++) {
    slots[i] = 0;
    memcpy(&slots[i], &memory->args[i], sizeof slots[i]);
  }
  slots[RANDOM_POINTERS + 1] = 0;
  memcpy(&slots[RANDOM_POINTERS + 1], &scale, sizeof scale);
}

static void check_kernel(Batch *b, const HostRunner *runner, int kernel,
                         const RandomMemory *expected, uint64_t seed) {
  static const int64_t grid[] = {RANDOM_GRID, 1, 1};
  RandomMemory *memory = random_memory(&b->arena, seed);
  uint64_t slots[RANDOM_ARGS];
  fill_slots(memory, slots);
  host_runner_run(runner, kernel, slots, grid);
  const char *where = random_compare(&b->arena, expected, memory);
  if (where) batch_fail(b, seed, where);
}

static void check_batch(uint64_t first) {
  Batch b = {0};
  const RandomMemory *expected[PER_MODULE];
  arena_init(&b.arena, &system_allocator);
  diag_init(&b.diags, &b.arena);
  b.m = module_create(&b.arena, &b.diags);
  for (int i = 0; i < PER_MODULE; i++) {
    const uint64_t seed = first + (uint64_t)i;
    const RandomSpec spec = {.seed = seed,
                             .size = STATEMENTS,
                             .largest = 3 + (int)(seed % 4),
                             .exact = true};
    Function *f = random_kernel(b.m, &spec);
    f->name = arena_printf(&b.arena, "random%d", i);
    RandomMemory *memory = random_memory(&b.arena, seed);
    if (!random_run(&b.arena, f, memory, &b.diags)) {
      batch_fail(&b, seed, "does not run in the interpreter");
    }
    expected[i] = memory;
  }
  HostRunner runner;
  const CodegenOptions options = {.no_fp_fusion = true};
  if (!host_runner_open(&runner, b.m, &options, &b.diags)) {
    batch_fail(&b, first, "does not compile");
  }
  for (int i = 0; i < PER_MODULE; i++) {
    check_kernel(&b, &runner, i, expected[i], first + (uint64_t)i);
  }
  host_runner_close(&runner);
  arena_free(&b.arena);
}

static void test_random_kernels(void **state) {
  (void)state;
  const uint64_t batches = getenv("TILE_TEST_FULL") ? 100 : 4;
  for (uint64_t i = 0; i < batches; i++) check_batch(1 + i * PER_MODULE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
