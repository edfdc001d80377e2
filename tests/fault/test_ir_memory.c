// test_ir_memory.c -- parse, verify, rewrite, print: every allocation fails.
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernel[] =
    "#0 = layout<register = [[1]], lane = [[2]], warp = [], block = [] -> 4>\n"
    "kernel @k(%x: ptr<f32> {divisibility = [16]}, %n: i32) {num_warps = 4} {\n"
    "  %one = constant {value = 1} : i32\n"
    "  %two = addi %one, %one : i32\n"
    "  %ps = splat %x : tile<4xptr<f32>, #0>\n"
    "  %v = load %ps : tile<4xf32, #0>\n"
    "  %r = for %n, %two, %one init(%v) : tile<4xf32, #0> (%i: i32, %a: "
    "tile<4xf32, #0>) {\n"
    "    %s = addf %a, %v : tile<4xf32, #0>\n"
    "    device_print values(%i, %i) {message = \"i\\n\"}\n"
    "    yield values(%s)\n"
    "  }\n"
    "  store %ps, %r loc(\"a.py\":3:1)\n"
    "  return\n"
    "}\n";

static const char broken[] = "kernel @k(%x: f32) {\n"
                             "  %y = addi %x, %x : f32\n"
                             "  %z = splat %y : tile<3xf32>\n"
                             "}\n";

typedef struct {
  long allowed; // allocations before the first refusal
  long live;
} Budget;

static void *budget_alloc(void *ctx, size_t size) {
  Budget *budget = ctx;
  if (!budget->allowed) return NULL;
  budget->allowed--;
  budget->live++;
  return malloc(size);
}

static void budget_free(void *ctx, void *block) {
  ((Budget *)ctx)->live--;
  free(block);
}

typedef struct {
  Arena *arena;
  const char *text;
  bool valid;
  char *printed; // malloc'ed
} Job;

static void compile(void *data) {
  Job *job = data;
  DiagList diags;
  diag_init(&diags, job->arena);
  Source *source = source_create(job->arena, "t", job->text, strlen(job->text));
  diag_add_source(&diags, source);
  Module *m = module_create(job->arena, &diags);
  job->valid = module_parse(m, source) && module_verify(m);
  if (job->valid) function_rewrite(m->functions, NULL, 0, 0);
  Str out = str_in(job->arena);
  module_print(m, NULL, &out);
  diag_render_all(&diags, false, &out);
  job->printed = strdup(str_text(&out));
}

static long fail_each_allocation(const char *text, bool valid) {
  for (long allowed = 0;; allowed++) {
    Budget budget = {.allowed = allowed};
    const Allocator from = {budget_alloc, budget_free, &budget};
    Arena arena;
    arena_init(&arena, &from);
    Job job = {&arena, text, false, NULL};
    const bool finished = arena_protect(&arena, compile, &job);
    arena_free(&arena);
    free(job.printed);
    assert_int_equal(budget.live, 0);
    assert_true(allowed < 10000);
    if (!finished) continue;
    assert_int_equal(job.valid, valid);
    return allowed;
  }
}

static void good_text_survives(void **state) {
  (void)state;
  assert_true(fail_each_allocation(kernel, true) > 150);
}

static void bad_text_survives(void **state) {
  (void)state;
  assert_true(fail_each_allocation(broken, false) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_text_survives),
      cmocka_unit_test(bad_text_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
