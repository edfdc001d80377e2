// test_sim_wgmma_rules.c -- planted_wgmma.def under several schedules.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  unsigned threads;
  const char *kinds; // of the reports of the wrong one, or some of several
  int error;
  const char *before, *right, *wrong, *after;
} Row;

static const Row rows[] = {
#define PLANTED_WGMMA(...) {__VA_ARGS__},
#include "tests/sim/planted_wgmma.def"
};

static CUmodule load(const Row *row, const char *line) {
  static char text[8192];
  snprintf(text, sizeof text,
           ".version 8.5\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 out_p) {\n"
           ".reg .b32 %%a<4>, %%r<9>, %%t, %%w, %%x; .reg .f32 %%f<10>;\n"
           ".reg .b64 %%da, %%db, %%d<9>, %%o; .reg .pred %%p<9>;\n"
           ".shared .align 1024 .b8 s[10240];\n"
           "ld.param.u64 %%o, [out_p]; mov.u32 %%t, %%tid.x;\n"
           "mul.wide.u32 %%d1, %%t, 4; add.u64 %%o, %%o, %%d1;\n"
           "shr.u32 %%w, %%t, 5; setp.eq.u32 %%p8, %%t, 0;\n"
           "mov.u32 %%x, s; mad.lo.u32 %%x, %%t, 4, %%x; mov.u32 %%r1, %%x;\n"
           "mov.u32 %%r2, %%t; setp.ge.u32 %%p0, %%t, 128; @%%p0 bra M;\n"
           "L: st.shared.b32 [%%r1], 0; add.u32 %%r1, %%r1, 512;\n"
           "add.u32 %%r2, %%r2, 128; setp.lt.u32 %%p0, %%r2, 2304;\n"
           "@%%p0 bra L;\nM:\n"
           "mov.u32 %%r1, s; shr.u32 %%r1, %%r1, 4; cvt.u64.u32 %%da, %%r1;\n"
           "add.u64 %%da, %%da, 0x4000004000010000; add.u64 %%db, %%da, 512;\n"
           "mov.b32 %%a0, 0; mov.b32 %%a1, 0; mov.b32 %%a2, 0;\n"
           "mov.b32 %%a3, 0; mov.f32 %%f0, 0f00000000; mov.f32 %%f1, %%f0;\n"
           "mov.f32 %%f2, %%f0; mov.f32 %%f3, %%f0;\n"
           "fence.proxy.async; bar.sync 0;\n"
           "%s\n%s\n%s\nret;\n}\n",
           row->before, line, row->after);
  return kit_load_text(text);
}

static void run_row(const Row *row, bool is_right, const char *schedule) {
  uint32_t out[256] = {0};
  setenv("TILE_SIM_SCHEDULE", schedule, 1);
  const char *line = is_right ? row->right : row->wrong;
  const int error =
      kit_map(load(row, line), row->threads, NULL, 64, out, 4 * row->threads);
  const char *kinds = kit_reports();
  const bool is_told = is_right ? !*kinds : kit_only_kinds(kinds, row->kinds);
  if (!is_told || error != (is_right ? 0 : row->error))
    fail_msg("'%s' and %d, not '%s' and %d, %s: %s\n%s\n%s", kinds, error,
             is_right ? "" : row->kinds, is_right ? 0 : row->error, schedule,
             row->before, line, row->after);
  if (error) kit_reopen();
}

static void test_rules(void **state) {
  (void)state;
  static const char *const schedules[] = {"late", "early", "1", "2", "3", "4"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t j = 0; j < sizeof schedules / sizeof *schedules; j++) {
      run_row(&rows[i], true, schedules[j]);
      run_row(&rows[i], false, schedules[j]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
