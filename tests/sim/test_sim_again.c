// test_sim_again.c -- facts that the simulator remembers about a CTA are
// forgotten at its end.
//
// The kernels of planted.def and planted_async.def run with more CTAs than one,
// each on memory of its own, one after the other: the right ones have no
// report, and each CTA writes what the first one writes.  If the last CTA runs
// the wrong line instead, the reports are of its kinds alone.
#include <stdio.h>

#include "sim_kit.h"

enum { THREADS = 64, CTAS = 5, MAX_TEXT = 1 << 15, MAX_BYTES = 4096 };

typedef struct {
  const char *chip;
  unsigned num_ctas;
  size_t bytes; // of `out`, and of `in`
  const char *kinds;
  int error;
  const char *before, *right, *wrong, *after;
} Planted;

static const Planted planted[] = {
#define PLANTED(kinds, ...) {"sm_90", 1, 4096, kinds, 719, __VA_ARGS__},
#include "tests/sim/planted_async.def"
#define PLANTED(num_ctas, kinds, error, ...)                                   \
  {"sm_80", num_ctas, 256, kinds, error, __VA_ARGS__},
#include "tests/sim/planted.def"
};
enum { NUM_PLANTED = sizeof planted / sizeof *planted };

// Each CTA has a part of `out` and of `in`, and the last one has buffers of its
// own; it runs `last` between `before` and `after`, the others run `rest`.
// NULL: the lines have labels that other lines use.
static CUmodule load(const Planted *p, const char *rest, const char *last) {
  static char text[MAX_TEXT];
  CUmodule module = NULL;
  snprintf(text, sizeof text,
           ".version 8.7\n.target %s\n.address_size 64\n"
           ".const .align 8 .b32 table[4] = {1, 2, 3, 4};\n"
           ".visible .entry k(.param .u64 out_p, .param .u64 in_p,\n"
           " .param .u64 last_out, .param .u64 last_in) {\n"
           ".reg .b32 %%r<99>; .reg .b64 %%d<99>, %%out, %%in; .reg .b32 %%t;\n"
           ".reg .f32 %%f<9>; .reg .b16 %%h<9>; .reg .pred %%p<99>;\n"
           "ld.param.u64 %%out, [out_p]; ld.param.u64 %%in, [in_p];\n"
           "mov.u32 %%t, %%tid.x;\n"
           "mov.u32 %%r98, %%ctaid.x; mov.u32 %%r97, %%nctaid.x;\n"
           "mul.wide.u32 %%d98, %%r98, %zu; add.u64 %%out, %%out, %%d98;\n"
           "add.u64 %%in, %%in, %%d98; add.u32 %%r98, %%r98, 1;\n"
           "ld.param.u64 %%d97, [last_out]; ld.param.u64 %%d98, [last_in];\n"
           "setp.eq.u32 %%p98, %%r98, %%r97;\n"
           "selp.b64 %%out, %%d97, %%out, %%p98;\n"
           "selp.b64 %%in, %%d98, %%in, %%p98;\n%s\n"
           "@%%p98 bra LAST;\n{\n%s\n}\nbra REST;\nLAST: {\n%s\n}\n"
           "REST: %s\nret;\n}\n",
           p->chip, p->bytes, p->before, rest, last, p->after);
  return cuModuleLoadDataEx(&module, text, 0, NULL, NULL) ? NULL : module;
}

typedef struct {
  int error;
  char kinds[400];
  char out[CTAS * MAX_BYTES];
} Ran;

static void run(const Planted *p, CUmodule module, Ran *ran) {
  static const char zeros[CTAS * MAX_BYTES];
  CUdeviceptr out = kit_upload(zeros, (CTAS - 1) * p->bytes);
  CUdeviceptr in = kit_upload(zeros, (CTAS - 1) * p->bytes);
  CUdeviceptr last[] = {kit_upload(zeros, p->bytes),
                        kit_upload(zeros, p->bytes)};
  void *params[] = {&out, &in, &last[0], &last[1]};
  const KitShape shape = {{CTAS}, {THREADS}, 0};
  ran->error = kit_run(module, "k", shape, params);
  if (!ran->error) {
    kit_download(ran->out, out, (CTAS - 1) * p->bytes);
    kit_download(ran->out + (CTAS - 1) * p->bytes, last[0], p->bytes);
    assert_int_equal(cuMemFree_v2(in), 0);
    assert_int_equal(cuMemFree_v2(last[1]), 0);
    assert_int_equal(cuModuleUnload(module), 0);
  }
  snprintf(ran->kinds, sizeof ran->kinds, "%s", kit_reports());
  if (ran->error) kit_reopen();
}

// Lines that never end get a lower budget of instructions.
static void set_budget(const Planted *p, const char *line) {
  const bool waits = strstr(p->kinds, "budget") ||
                     strstr(p->kinds, "endless-wait") ||
                     strstr(p->kinds, "deadlock");
  if (waits && line == p->wrong)
    setenv("TILE_SIM_BUDGET", "50000", 1);
  else
    unsetenv("TILE_SIM_BUDGET");
}

static void fail_at(const Planted *p, const char *line, const Ran *ran) {
  fail_msg("error %d, '%s', not '%s':\n%s\n%s\n%s", ran->error, ran->kinds,
           line == p->wrong ? p->kinds : "", p->before, line, p->after);
}

static void test_right(void **state) {
  (void)state;
  static Ran ran;
  int num_run = 0;
  for (size_t i = 0; i < NUM_PLANTED; i++) {
    const Planted *p = &planted[i];
    CUmodule module = p->num_ctas == 1 ? load(p, p->right, p->right) : NULL;
    if (!module) continue;
    set_budget(p, p->right);
    run(p, module, &ran);
    if (ran.error || *ran.kinds) fail_at(p, p->right, &ran);
    for (int j = 1; j < CTAS; j++)
      assert_memory_equal(ran.out, ran.out + (size_t)j * p->bytes, p->bytes);
    num_run++;
  }
  assert_true(num_run > NUM_PLANTED / 2);
}

static void test_wrong(void **state) {
  (void)state;
  static Ran ran;
  int num_run = 0;
  for (size_t i = 0; i < NUM_PLANTED; i++) {
    const Planted *p = &planted[i];
    CUmodule module = p->num_ctas == 1 ? load(p, p->right, p->wrong) : NULL;
    if (!module) continue;
    set_budget(p, p->wrong);
    run(p, module, &ran);
    if (ran.error != p->error || !kit_only_kinds(ran.kinds, p->kinds))
      fail_at(p, p->wrong, &ran);
    num_run++;
  }
  assert_true(num_run > NUM_PLANTED / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_right),
                                     cmocka_unit_test(test_wrong)};
  setenv("TILE_SIM_THREADS", "1", 1);
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
