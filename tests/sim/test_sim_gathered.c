// test_sim_gathered.c -- memory for the reads of many small bulk copies.
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/live_bytes.h"

enum { ROOM = 1 << 20, THREADS = 256, TRIPS = 16 };

// Each lane brings rows of `width` bytes, in an order of its own, and all wait
// for all.
static const char gathered[] =
    ".shared .align 128 .b8 s[32768]; .shared .align 8 .b64 b[8];\n"
    "mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r4, %%r1, 1024, %%t;\n"
    "mad.lo.u32 %%r4, %%r4, 1640531527, 77; setp.eq.u32 %%p1, %%t, 0;\n"
    "mov.u32 %%r8, s; mad.lo.u32 %%r3, %%t, %d, %%r8;\n"
    "@%%p1 mbarrier.init.shared.b64 [b], 256;\n"
    "fence.mbarrier_init.release.cluster; bar.sync 0; mov.u32 %%r6, 0;\n"
    "TRIP: mad.lo.u32 %%r4, %%r4, 1664525, 1013904223;\n"
    "shr.u32 %%r5, %%r4, 12; and.b32 %%r5, %%r5, %d;\n"
    "cvt.u64.u32 %%d1, %%r5; add.u64 %%d1, %%d1, %%out;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [b], %d;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%%r3], [%%d1], %d, [b];\n"
    "and.b32 %%r7, %%r6, 1;\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %%p2, [b], %%r7;\n"
    "@!%%p2 bra WAIT; add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p2, %%r6, %d;\n"
    "@%%p2 bra TRIP;\n";

typedef struct {
  const char *checks;
  bool writes; // thread 0 of CTA 2 writes a word that others have read
} Run;

// The most memory during the launch, in addition to that before it.
static size_t peak_of(int width, unsigned num_ctas, Run run) {
  static char body[4096];
  int length = snprintf(body, sizeof body, gathered, width, ROOM - width, width,
                        width, TRIPS);
  snprintf(body + length, sizeof body - (size_t)length,
           "setp.eq.and.u32 %%p1, %%r1, 2, %%p1;\n"
           "@%%p1 st.global.u32 [%s+%d], 5;\n",
           run.writes ? "%out" : "%in", run.writes ? ROOM / 2 + 16 : 16);
  CUmodule module = kit_load_body(body);
  CUdeviceptr out = kit_upload(NULL, ROOM), in = kit_upload(NULL, 256);
  void *params[] = {&out, &in};
  setenv("TILE_SIM_CHECKS", run.checks, 1);
  const size_t before = live_bytes_restart();
  const KitShape shape = {{num_ctas}, {THREADS}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), run.writes ? 719 : 0);
  const size_t bytes = live_bytes_peak() - before;
  unsetenv("TILE_SIM_CHECKS");
  const char *found = kit_reports();
  assert_true(run.writes ? kit_only_kinds(found, "race") : !*found);
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  cuModuleUnload(module);
  if (run.writes) kit_reopen();
  return bytes;
}

// More reads than CTAs under way and a launch may store.
static void reads_are_bounded(void **state) {
  (void)state;
  if (!LIVE_BYTES_COUNTS) skip();
  for (int width = 16; width <= 128; width *= 8) {
    const unsigned num_ctas = width == 16 ? 64 : 16;
    const size_t none = peak_of(width, num_ctas, (Run){"none", false}),
                 usual = peak_of(width, num_ctas, (Run){"usual", false});
    if (usual > none + 2 * ROOM + ((size_t)num_ctas * 8 + 512) * 1024)
      fail_msg("%.2f bytes a byte for %u CTAs with rows of %d bytes",
               ((double)usual - (double)none) / ROOM, num_ctas, width);
  }
}

static void races_are_told(void **state) {
  (void)state;
  for (int width = 16; width <= 128; width *= 8)
    peak_of(width, 32, (Run){"usual", true});
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  setenv("TILE_SIM_THREADS", "1", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_are_bounded),
                                     cmocka_unit_test(races_are_told)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
