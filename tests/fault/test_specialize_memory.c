// test_specialize_memory.c -- a kernel as IR: every allocation fails once.
#include "frontend/frontend.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  int left; // allocations that still succeed
} Failing;

static void *failing_alloc(void *ctx, size_t size) {
  Failing *failing = ctx;
  return failing->left-- > 0 ? malloc(size) : NULL;
}

static void failing_free(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

static const char text[] =
    "C = tl.constexpr(2)\n"
    "@jit\ndef f(x, n):\n"
    "  if n < 0: return x\n"
    "  for i in range(n): x += C\n"
    "  return x\n"
    "@jit\ndef k(p: *fp32, n: i32, B: tl.constexpr = 8):\n"
    "  i = tl.arange(0, B)\n"
    "  x = tl.load(p + i, mask=i < n) + f(n, 3)\n"
    "  tl.store(p + i, tl.sum(x, 0) * 1.5 if n > 1 else 0.0)\n"
    "  tl.stroe(p)\n";

typedef struct {
  Arena *arena;
  bool done;
} Job;

static void specialize(void *data) {
  Job *job = data;
  DiagList diags;
  diag_init(&diags, job->arena);
  Source *source = source_create(job->arena, "t.tile", text, sizeof text - 1);
  Program *program = frontend_parse(job->arena, &diags, source, NULL);
  const AstFunction *kernel = frontend_find_function(program, "k");
  const ArgSpec args[3] = {{0}};
  const Specialization spec = {.args = args};
  Module *m = module_create(job->arena, &diags);
  assert_false(frontend_specialize(program, kernel, &spec, m));
  assert_int_equal(diags.num_errors, 1);
  job->done = true;
}

static void test_allocations(void **state) {
  (void)state;
  bool done = false;
  int allowed = 0;
  for (; !done && allowed < 1000000; allowed++) {
    Failing failing = {allowed};
    const Allocator from = {failing_alloc, failing_free, &failing};
    Arena arena;
    arena_init(&arena, &from);
    Job job = {&arena, false};
    done = arena_protect(&arena, specialize, &job);
    assert_true(done == job.done);
    arena_free(&arena);
  }
  assert_true(done && allowed > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
