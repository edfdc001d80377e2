// test_passes_memory.c -- every allocation of the passes fails once.
//
// The text is small and parsed under the same budget, so that the many runs
// stay short.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include "tests/fault/fault_kit.h"

static const char kernel[] =
    "kernel @k(%p: ptr<f32> {divisibility = [16]}, %n: i64) {\n"
    "  %one = constant {value = 1} : i32\n"
    "  %b = make_block_ptr %p shape(%n) strides(%n) offsets(%one) "
    "{order = [0]} : block_ptr<4xf32>\n"
    "  %v = load_block %b {boundary = [0]} : tile<4xf32>\n"
    "  %e = for %one, %one, %one init(%b) : block_ptr<4xf32> "
    "(%i: i32, %c: block_ptr<4xf32>) {\n"
    "    %w = load_block %c : tile<4xf32>\n"
    "    store_block %b, %w\n"
    "    yield values(%c)\n"
    "  }\n"
    "  store_block %e, %v\n"
    "  return\n"
    "}\n";

typedef struct {
  Arena *arena;
  const char *passes;
  PassOptions options;
  bool ok;
} Job;

static void compile(void *data) {
  Job *job = data;
  DiagList diags;
  diag_init(&diags, job->arena);
  const Source *source = source_create(job->arena, "t", kernel, strlen(kernel));
  Module *m = module_create(job->arena, &diags);
  job->ok = module_parse(m, source) && module_verify(m) &&
            passes_run(m, target_find("sm_80"), job->passes, &job->options);
}

static void fail_each_allocation(const char *passes, PassOptions options) {
  Job job = {.passes = passes, .options = options};
  fault_each(compile, &job, &job.arena);
  assert_true(job.ok);
}

static void host_pipeline_survives(void **state) {
  (void)state;
  fail_each_allocation("host", (PassOptions){.verify_each = true});
}

static void gpu_pipeline_survives(void **state) {
  (void)state;
  fail_each_allocation("gpu", (PassOptions){0});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_pipeline_survives),
      cmocka_unit_test(gpu_pipeline_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
