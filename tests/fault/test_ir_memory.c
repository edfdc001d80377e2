// test_ir_memory.c -- parse, verify, rewrite, print: every allocation fails.
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

#include "tests/fault/fault_kit.h"

static const char kernel[] =
    "#0 = layout<register = [[1]], lane = [[2]], warp = [], block = [] -> 4>\n"
    "#1 = layout<offset = [[0, 1], [1, 0]] -> 2x2>\n"
    "kernel @k(%x: ptr<f32> {divisibility = [16]}, %n: i32) {num_warps = 4, "
    "target = \"cpu\"} {\n"
    "  %m = alloc_shared : memdesc<3x2x2xf16, #1, shared>\n"
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
    "  %yes = constant {value = true} : i1\n"
    "  if %yes () {\n"
    "    yield\n"
    "  } () {\n"
    "    yield\n"
    "  }\n"
    "  store %ps, %r loc(\"a.py\":3:1)\n"
    "  return\n"
    "}\n";

static const char broken[] = "kernel @k(%x: f32) {\n"
                             "  %y = addi %x, %x : f32\n"
                             "  %z = splat %y : tile<3xf32>\n"
                             "}\n";

typedef struct {
  Arena *arena;
  const char *text;
  bool valid;
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
}

static long fail_each_allocation(const char *text, bool valid) {
  Job job = {.text = text};
  const long allowed = fault_each(compile, &job, &job.arena);
  assert_int_equal(job.valid, valid);
  return allowed;
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
