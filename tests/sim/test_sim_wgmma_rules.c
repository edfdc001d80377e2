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

static const char *const schedules[] = {"late", "early", "1", "2", "3", "4"};
enum { NUM_SCHEDULES = sizeof schedules / sizeof *schedules };

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
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t j = 0; j < NUM_SCHEDULES; j++) {
      run_row(&rows[i], true, schedules[j]);
      run_row(&rows[i], false, schedules[j]);
    }
  }
}

// CTA 1 of a cluster writes a word of A of CTA 0, whose warps, except the last,
// acquire that write.  They have passed barriers of their own before, so that
// their times are later than that of the write.
static CUmodule load_remote(const char *last_order) {
  static char text[4096];
  snprintf(text, sizeof text,
           ".version 8.6\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k() .reqnctapercluster 2 {\n"
           ".reg .b32 %%r<9>, %%t; .reg .f32 %%f<4>; .reg .b64 %%da, %%db;\n"
           ".reg .pred %%p<5>; .shared .align 1024 .b8 s[10240];\n"
           ".shared .align 8 .b64 b;\n"
           "mov.u32 %%t, %%tid.x; mov.u32 %%r0, s; mov.u32 %%r1, b;\n"
           "mov.u32 %%r5, %%cluster_ctarank; setp.eq.u32 %%p3, %%r5, 1;\n"
           "setp.eq.u32 %%p0, %%t, 0; setp.ge.u32 %%p1, %%t, 96;\n"
           "@%%p0 mbarrier.init.shared.b64 [b], 1;\n"
           "fence.mbarrier_init.release.cluster;\n"
           "mad.lo.u32 %%r2, %%t, 4, %%r0; mov.u32 %%r3, %%t;\n"
           "L: st.shared.b32 [%%r2], 0; add.u32 %%r2, %%r2, 512;\n"
           "add.u32 %%r3, %%r3, 128; setp.lt.u32 %%p2, %%r3, 2304;\n"
           "@%%p2 bra L; fence.proxy.async;\n"
           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
           "@!%%p3 bra R; mapa.shared::cluster.u32 %%r0, %%r0, 0;\n"
           "mapa.shared::cluster.u32 %%r1, %%r1, 0;\n"
           "@%%p0 st.shared::cluster.u32 [%%r0], 1; fence.proxy.async;\n"
           "@%%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%%r1];\nbra E;\n"
           "R: bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; @%%p1 bra B;\n"
           "A: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %%p2, [b], "
           "0;\n@!%%p2 bra A; bra C;\n"
           "B: mbarrier.try_wait.parity.%s.cluster.shared.b64 %%p2, [b], 0;\n"
           "@!%%p2 bra B;\n"
           "C: shr.u32 %%r0, %%r0, 4; cvt.u64.u32 %%da, %%r0;\n"
           "add.u64 %%da, %%da, 0x4000004000010000; add.u64 %%db, %%da, 512;\n"
           "wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
           "{%%f0, %%f1, %%f2, %%f3}, %%da, %%db, 0, 1, 1, 0, 0;\n"
           "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
           "E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
           "ret;\n}\n",
           last_order);
  return kit_load_text(text);
}

static void every_warp_must_know_a_write_of_another_cta(void **state) {
  (void)state;
  const KitShape shape = {{2, 1, 1}, {128, 1, 1}, 0};
  for (size_t i = 0; i < 2 * NUM_SCHEDULES; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i / 2], 1);
    CUmodule module = load_remote(i % 2 ? "relaxed" : "acquire");
    const int error = kit_run(module, "k", shape, NULL);
    const char *kinds = kit_reports();
    if (i % 2 ? !kit_only_kinds(kinds, "race proxy-fence") : *kinds || error)
      fail_msg("'%s' and %d, %s", kinds, error, schedules[i / 2]);
    if (error) kit_reopen();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules),
      cmocka_unit_test(every_warp_must_know_a_write_of_another_cta),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
