// test_sim_roles.c -- what kernels for sm_90a share out their warps' work by.
//
// Each row's body leaves in %r9 what out[tid] is to be.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *directives, *body;
  unsigned threads;
  const char *kinds; // of the reports
} Row;

static int run_kernel(const Row *row, uint32_t *out, char kinds[100]) {
  static char text[8192];
  snprintf(text, sizeof text,
           ".version 8.7\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 out_p) %s {\n"
           ".reg .b32 %%r<30>; .reg .b64 %%d<9>; .reg .pred %%p<9>;\n"
           ".shared .align 16 .b8 s[1024];\n"
           ".reg .b64 %%out; .reg .b32 %%t; ld.param.u64 %%out, [out_p];\n"
           "mov.u32 %%t, %%tid.x; mul.wide.u32 %%d1, %%t, 4;\n"
           "add.u64 %%out, %%out, %%d1; mov.u32 %%r9, 0;\n"
           "%s\nst.global.u32 [%%out], %%r9;\nret;\n}\n",
           row->directives, row->body);
  CUmodule module = kit_load_text(text);
  CUdeviceptr address = kit_upload(NULL, 4 * row->threads);
  void *params[] = {&address};
  const KitShape shape = {{1}, {row->threads}, 0};
  const int error = kit_run(module, "k", shape, params);
  snprintf(kinds, 100, "%s", kit_reports());
  if (!error) kit_download(out, address, 4 * row->threads);
  if (!error) cuModuleUnload(module);
  if (!error) return 0;
  kit_close(); // a fault ends the context
  kit_open();
  return error;
}

static void check_row(const Row *row, uint32_t (*expected)(uint32_t)) {
  uint32_t out[1024];
  char kinds[100];
  const int error = run_kernel(row, out, kinds);
  if (strcmp(kinds, row->kinds) != 0)
    fail_msg("'%s', not '%s': %s", kinds, row->kinds, row->body);
  if (*row->kinds) return;
  if (error) fail_msg("error %d: %s", error, row->body);
  for (uint32_t i = 0; expected && i < row->threads; i++)
    if (out[i] != expected(i))
      fail_msg("thread %u has %u, not %u: %s", i, out[i], expected(i),
               row->body);
}

// -- elect.sync --------------------------------------------------------------

static uint32_t first_lane(uint32_t thread) {
  return thread % 32 == 0 ? 100 : 0;
}

static uint32_t fourth_lane(uint32_t thread) {
  const uint32_t lane = thread % 32;
  return lane == 4 ? 104 : lane >= 4 && lane < 8 ? 4 : 77;
}

static uint32_t halves(uint32_t thread) {
  return thread % 16 == 0;
}

static void test_elect(void **state) {
  (void)state;
  const Row all = {"", "elect.sync %r1|%p1, -1; @%p1 add.u32 %r9, %r1, 100;",
                   64, ""};
  check_row(&all, first_lane);
  const Row sink = {"", "elect.sync _|%p1, 0xffffffff; @%p1 mov.u32 %r9, 100;",
                    64, ""};
  check_row(&sink, first_lane);
  // Members that are some of the lanes, and a mask in a register.
  const Row some = {"",
                    "and.b32 %r2, %t, 31; shr.u32 %r3, %r2, 2;"
                    "setp.ne.u32 %p2, %r3, 1; mov.u32 %r9, 77; @%p2 bra E;"
                    "mov.u32 %r4, 0xf0; elect.sync %r9|%p1, %r4;"
                    "@%p1 add.u32 %r9, %r9, 100; E:",
                    64, ""};
  check_row(&some, fourth_lane);
  // Two sets of members at one instruction.
  const Row sets = {"",
                    "and.b32 %r2, %t, 16; mov.u32 %r3, 0xffff;"
                    "shl.b32 %r3, %r3, %r2; elect.sync _|%p1, %r3;"
                    "selp.u32 %r9, 1, 0, %p1;",
                    64, ""};
  check_row(&sets, halves);
  const Row stranger = {"", "elect.sync _|%p1, 0xfffffffe;", 32, "invalid "};
  check_row(&stranger, NULL);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_elect)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
