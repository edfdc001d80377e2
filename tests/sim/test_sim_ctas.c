// test_sim_ctas.c -- special registers within grids, and barriers that count.
//
// The expected values follow the manual's text, thread by thread.
#include <stdio.h>

#include "sim_kit.h"

enum { LANES = 32 };
enum { BLOCK_X = 5, BLOCK_Y = 3, BLOCK_Z = 3, THREADS = 45, WARPS = 2 };
enum { GRID_X = 3, GRID_Y = 2, GRID_Z = 2, CTAS = 12 };

// -- Special registers -------------------------------------------------------

static const char *const names[] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",
    "%ntid.y",      "%ntid.z",      "%ctaid.x",     "%ctaid.y",
    "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
    "%laneid",      "%warpid",      "%nwarpid",     "%lanemask_eq",
    "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge",
    "%nsmid",       "%smid",
};
enum { NAMES = sizeof names / sizeof *names, NSMID = NAMES - 2, SMID };

// The values of the first NSMID names.
static void expected(unsigned cta, unsigned thread, uint32_t want[NSMID]) {
  const unsigned lane = thread % LANES;
  uint32_t below = 0;
  for (unsigned i = 0; i < lane; i++) below |= UINT32_C(1) << i;
  const uint32_t own = UINT32_C(1) << lane;
  const uint32_t all[NSMID] = {thread % BLOCK_X,
                               thread / BLOCK_X % BLOCK_Y,
                               thread / (BLOCK_X * BLOCK_Y),
                               BLOCK_X,
                               BLOCK_Y,
                               BLOCK_Z,
                               cta % GRID_X,
                               cta / GRID_X % GRID_Y,
                               cta / (GRID_X * GRID_Y),
                               GRID_X,
                               GRID_Y,
                               GRID_Z,
                               lane,
                               thread / LANES,
                               WARPS,
                               own,
                               below,
                               below | own,
                               ~(below | own),
                               ~below};
  memcpy(want, all, sizeof all);
}

// A kernel that stores each of the names; %d3 is the address of its thread.
static CUmodule load_names(void) {
  char text[8192];
  int length = snprintf(
      text, sizeof text,
      "mov.u32 %%r1, %%tid.z; mov.u32 %%r2, %%tid.y; mov.u32 %%r3, %%tid.x;"
      "mad.lo.u32 %%r1, %%r1, %d, %%r2; mad.lo.u32 %%r1, %%r1, %d, %%r3;"
      "mov.u32 %%r4, %%ctaid.z; mov.u32 %%r5, %%ctaid.y;"
      "mov.u32 %%r6, %%ctaid.x; mad.lo.u32 %%r4, %%r4, %d, %%r5;"
      "mad.lo.u32 %%r4, %%r4, %d, %%r6; mad.lo.u32 %%r1, %%r4, %d, %%r1;"
      "mul.wide.u32 %%d2, %%r1, %d; add.u64 %%d3, %%out, %%d2;\n",
      BLOCK_Y, BLOCK_X, GRID_Y, GRID_X, THREADS, 4 * (int)NAMES);
  for (int i = 0; i < (int)NAMES; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "mov.u32 %%r3, %s; st.global.u32 [%%d3+%d], %%r3;\n",
                       names[i], 4 * i);
  return kit_load_body(text);
}

static void check_thread(unsigned cta, unsigned thread, const uint32_t *have) {
  uint32_t want[NSMID];
  expected(cta, thread, want);
  for (int i = 0; i < (int)NSMID; i++) {
    if (have[i] != want[i])
      fail_msg("%s of thread %u of CTA %u is %u, not %u", names[i], thread, cta,
               have[i], want[i]);
  }
}

// A grid that is smaller than the chip has a multiprocessor for each CTA.
static void test_special(void **state) {
  (void)state;
  static uint32_t have[CTAS][THREADS][NAMES];
  CUmodule module = load_names();
  CUdeviceptr out = kit_upload(NULL, sizeof have), in = kit_upload("", 1);
  void *params[] = {&out, &in};
  const KitShape shape = {
      {GRID_X, GRID_Y, GRID_Z}, {BLOCK_X, BLOCK_Y, BLOCK_Z}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), 0);
  kit_download(have, out, sizeof have);
  assert_int_equal(cuMemFree_v2(in), 0);
  assert_int_equal(cuModuleUnload(module), 0);
  for (unsigned cta = 0; cta < CTAS; cta++) {
    const uint32_t *first = have[cta][0];
    assert_int_equal(first[NSMID], 108); // sm_80
    assert_true(first[SMID] < first[NSMID]);
    for (unsigned other = 0; other < cta; other++)
      assert_int_not_equal(first[SMID], have[other][0][SMID]);
    for (unsigned thread = 0; thread < THREADS; thread++) {
      check_thread(cta, thread, have[cta][thread]);
      assert_int_equal(have[cta][thread][SMID], first[SMID]);
    }
  }
}

// -- Barriers that reduce ----------------------------------------------------

typedef struct {
  const char *words;    // of the instruction
  const char *operands; // barrier, and threads
} Reduction;

// The predicates of 96 threads, by the number of the case; 0: of none.
static bool is_true(int which, unsigned thread) {
  return which == 1 || (which == 2 && thread != 40) ||
         (which == 3 && thread == 70) || (which == 4 && thread % 3 == 1);
}

static void check_reduction(const Reduction *r, int which) {
  enum { ALL = 96 };
  uint32_t in[ALL], out[ALL], count = 0;
  for (unsigned t = 0; t < ALL; t++) count += in[t] = is_true(which, t);
  const bool counts = strstr(r->words, "popc") != NULL;
  char text[1024];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d1, %%t, 4; add.u64 %%d2, %%in, %%d1;"
           "add.u64 %%d3, %%out, %%d1; ld.global.u32 %%r1, [%%d2];"
           "setp.ne.u32 %%p1, %%r1, 0; mov.u32 %%r5, 3; mov.u32 %%r6, 96;\n"
           "%s %s, %s, %%p1;\n%s\nst.global.u32 [%%d3], %%r9;",
           r->words, counts ? "%r9" : "%p2", r->operands,
           counts ? "" : "selp.u32 %r9, 1, 0, %p2;");
  kit_map(kit_load_body(text), ALL, in, sizeof in, out, sizeof out);
  const uint32_t want = counts                    ? count
                        : strstr(r->words, "and") ? count == ALL
                                                  : count != 0;
  for (unsigned t = 0; t < ALL; t++) {
    if (out[t] != want)
      fail_msg("%s %s, case %d: thread %u has %u, not %u", r->words,
               r->operands, which, t, out[t], want);
  }
}

static void test_reductions(void **state) {
  (void)state;
  static const char *const words[] = {
      "bar.red.popc.u32",         "bar.red.and.pred",
      "bar.red.or.pred",          "barrier.red.popc.u32",
      "barrier.cta.red.and.pred", "barrier.red.or.aligned.pred"};
  static const char *const operands[] = {"0", "7", "%r5", "2, 96", "%r5, %r6"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (size_t j = 0; j < sizeof operands / sizeof *operands; j++)
      for (int which = 0; which < 5; which++)
        check_reduction(&(Reduction){words[i], operands[j]}, which);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_reductions),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
