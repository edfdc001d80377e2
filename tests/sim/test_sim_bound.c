// test_sim_bound.c -- launches whose clocks would need more memory than
// allowed: right programs have no report, and a fault between CTAs that run is
// reported as in a launch without such clocks.
#include <stdio.h>

#include "sim_kit.h"

enum { CTAS = 256, THREADS = 64, WORDS = 1 << 18 };
enum { OUT = CTAS / 2 * THREADS * 4, FLAGS = CTAS / 2 * 4096 };

// Each thread executes a number of atomics that acquire and release, at random
// words. Then one CTA of a pair writes the bytes that the other one reads, and
// waits for it.
#define WORK                                                                   \
  "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; shr.u32 %%r3, %%r1, 1;"    \
  "setp.eq.u32 %%p1, %%t, 0; and.b32 %%r4, %%r1, 1;"                           \
  "setp.ne.u32 %%p2, %%r4, 0; mad.lo.u32 %%r5, %%r1, %%r2, %%t;"               \
  "mul.lo.u32 %%r5, %%r5, 40503; mov.u32 %%r6, 0;"                             \
  "F: setp.ge.u32 %%p3, %%r6, %d; @%%p3 bra G;"                                \
  "mad.lo.u32 %%r5, %%r5, 1664525, 1013904223; shr.u32 %%r7, %%r5, 8;"         \
  "and.b32 %%r7, %%r7, 0x%x; add.u32 %%r7, %%r7, %d;"                          \
  "cvt.u64.u32 %%d1, %%r7; add.u64 %%d1, %%d1, %%in;"                          \
  "atom.add.acq_rel.gpu.global.u32 %%r8, [%%d1], 1;"                           \
  "add.u32 %%r6, %%r6, 1; bra F;"                                              \
  "G: mul.wide.u32 %%d2, %%r3, 4096; add.u64 %%d2, %%d2, %%in;"                \
  "mad.lo.u32 %%r7, %%r3, %%r2, %%t; mul.wide.u32 %%d3, %%r7, 4;"              \
  "add.u64 %%d3, %%d3, %%out; @%%p2 bra READ;"                                 \
  "st.global.u32 [%%d3], %%t; %s @%%p1 %s [%%d2], 1; @!%%p1 bra WRITTEN;"      \
  "W: ld.acquire.gpu.global.u32 %%r8, [%%d2+2048];"                            \
  "setp.eq.u32 %%p4, %%r8, 0; @%%p4 bra W;"                                    \
  "WRITTEN: bar.sync 0; bra END;"                                              \
  "READ: @!%%p1 bra COME;"                                                     \
  "R: %s %%r8, [%%d2]; setp.eq.u32 %%p4, %%r8, 0; @%%p4 bra R;"                \
  "COME: %s ld.global.u32 %%r8, [%%d3];"                                       \
  "bar.sync 0; @%%p1 red.release.gpu.global.add.u32 [%%d2+2048], 1; END:"

typedef struct {
  const char *write, *release, *acquire, *read;
  bool is_right;
} Row;

#define BAR     "bar.sync 0;"
#define RELEASE "red.release.gpu.global.add.u32"
#define ACQUIRE "ld.acquire.gpu.global.u32"
static const Row rows[] = {
    {BAR, RELEASE, ACQUIRE, BAR, true},
    {"", RELEASE, ACQUIRE, BAR, false},
    {BAR, "red.relaxed.gpu.global.add.u32", ACQUIRE, BAR, false},
    {BAR, RELEASE, "ld.relaxed.gpu.global.u32", BAR, false},
};

static void run(const Row *row, int num_atomics) {
  char text[4000], found[400];
  snprintf(text, sizeof text, WORK, num_atomics, WORDS - 4, FLAGS, row->write,
           row->release, row->acquire, row->read);
  CUmodule module = kit_load_body(text);
  void *zeros = calloc(1, FLAGS + WORDS);
  assert_non_null(zeros);
  CUdeviceptr out = kit_upload(zeros, OUT);
  CUdeviceptr in = kit_upload(zeros, FLAGS + WORDS);
  void *params[] = {&out, &in};
  free(zeros);
  const int error =
      kit_run(module, "k", (KitShape){{CTAS}, {THREADS}, 0}, params);
  snprintf(found, sizeof found, "%s", kit_reports());
  if (error != (row->is_right ? 0 : 719) ||
      (row->is_right ? *found : !kit_only_kinds(found, "race")))
    fail_msg("%d atomics: error %d, '%s' of\n%s", num_atomics, error, found,
             text);
  if (error) {
    kit_reopen();
    return;
  }
  assert_int_equal(cuMemFree_v2(in), 0);
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(cuModuleUnload(module), 0);
}

static void test_bound(void **state) {
  const int *num_atomics = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    run(&rows[i], *num_atomics);
}

int main(void) {
  int none = 0, many = 8;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_bound, &none),
      cmocka_unit_test_prestate(test_bound, &many),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
