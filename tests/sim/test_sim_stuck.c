// test_sim_stuck.c -- launches that wait for ever are reported at once, with
// the words or barriers that each warp waits for; launches that only wait for
// long end.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *body;
  unsigned num_ctas;
  const char *reports[3]; // parts of the report; none: the kernel ends
} Row;

#define LANE_0 "setp.ne.u32 %p9, %t, 0; @%p9 bra E;"
#define WARP_0 "setp.ge.u32 %p9, %t, 32;"
#define SHARED ".shared .align 8 .b8 s[64];"
#define BOTH   "or.b32 %r3, %r1, %r2; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;"

// The other warp sets the word after a while without writes.
#define LATE(store)                                                            \
  "mov.u32 %r4, 0; C: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 60000;"       \
  "@%p2 bra C;" store "bra E;"

static const Row rows[] = {
    // Two words in turn, one in shared memory and one in global memory.
    {SHARED "st.volatile.shared.u64 [s], 0; st.volatile.shared.u64 [s+8], 0;"
            "bar.sync 0;" WARP_0 "@%p9 bra E;"
            "L: ld.volatile.shared.u32 %r1, [s];"
            "ld.volatile.shared.u32 %r2, [s+8];" BOTH "E: bar.sync 1;",
     1,
     {"change of byte 0 of shared memory", "change of byte 8 of shared memory",
      "wait at barrier 1"}},
    {"L: ld.relaxed.gpu.global.u32 %r1, [%out];"
     "ld.relaxed.gpu.global.u32 %r2, [%out+4];" BOTH,
     3,
     {"change of byte 0 of argument 0", "change of byte 4 of argument 0"}},
    // More words than are remembered.
    {"L: mov.u64 %d1, %out; mov.u32 %r3, 0; mov.u32 %r4, 0;"
     "I: ld.relaxed.gpu.global.u32 %r1, [%d1]; or.b32 %r3, %r3, %r1;"
     "add.u64 %d1, %d1, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 29;"
     "@%p2 bra I; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;",
     1,
     {"for ever"}},
    // Each lane has its own.
    {"mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d1, %out;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra L;",
     1,
     {"change of byte 0 of argument 0"}},
    // A lane of the other's warp cannot come.
    {"setp.eq.u32 %p1, %t, 1; @%p1 bra M;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra L; bra E;"
     "M: ld.relaxed.gpu.global.u32 %r1, [%out+4]; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra M; E:",
     1,
     {"change of byte 0 of argument 0", "change of byte 4 of argument 0"}},
    // A warp that sleeps longer each time.
    {"mov.u64 %d1, %globaltimer;"
     "L: mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;"
     "shr.u64 %d3, %d3, 2; cvt.u32.u64 %r2, %d3; nanosleep.u32 %r2;"
     "ld.relaxed.gpu.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra L;",
     2,
     {"change of byte 0 of argument 0"}},
    // A variable in local memory, as without optimisation.
    {".local .b32 v; .reg .u32 %x;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; st.local.u32 [v], 1;"
     "ld.local.u32 %x, [v]; st.local.u32 [v], %r1; ld.local.u32 %x, [v];"
     "setp.eq.u32 %p1, %x, 0; @%p1 bra L;",
     1,
     {"change of byte 0 of argument 0"}},
    {LANE_0 "L: bra L; E: bar.sync 0;", 1, {"for ever", "barrier 0"}},
    // A weak read, which ptxas may take out of the loop.
    {"L: ld.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
     1,
     {"for ever"}},
    // A warp that waits a long time before its second try does not wait for
    // ever; this one tries again and again.
    {"T: mov.u64 %d1, %globaltimer;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, 0;"
     "@%p1 bra E; mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;"
     "setp.lt.u64 %p1, %d3, 1000000000; @%p1 bra L; bra T; E:",
     1,
     {"change of byte 0 of argument 0"}},

    // -- These end.
    // The word is written after a while, by another warp or block.
    {SHARED "st.volatile.shared.u64 [s], 0; st.volatile.shared.u64 [s+8], 0;"
            "bar.sync 0;" WARP_0 "@%p9 bra W; L: ld.volatile.shared.u32 %r1, "
            "[s]; ld.volatile.shared.u32 %r2, [s+8];" BOTH "bra E;"
            "W:" LATE("st.volatile.shared.u32 [s+8], 1;") "E:",
     1,
     {NULL}},
    {"mov.u32 %r9, %ctaid.x; setp.eq.u32 %p9, %r9, 1; @%p9 bra W;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out];"
     "ld.relaxed.gpu.global.u32 %r2, [%out+4];" BOTH "bra E;"
     "W:" LATE("st.relaxed.gpu.global.u32 [%out+4], 1;") "E:",
     3,
     {NULL}},
    // One warp waits for 2,000 ticks, a hundred times, while others wait at a
    // barrier.
    {LANE_0 "mov.u32 %r1, 0; T: mov.u64 %d1, %clock64;"
            "L: mov.u64 %d2, %clock64; sub.u64 %d3, %d2, %d1;"
            "setp.lt.u64 %p1, %d3, 2000; @%p1 bra L;"
            "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra T;"
            "E: bar.sync 0;",
     1,
     {NULL}},
    // A warp that gives up after a second, or after 2,000 million ticks.
    {"mov.u64 %d1, %globaltimer;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, 0;"
     "@%p1 bra E; mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;"
     "setp.lt.u64 %p1, %d3, 1000000000; @%p1 bra L; E:",
     2,
     {NULL}},
    {"mov.u32 %r4, %clock;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, 0;"
     "@%p1 bra E; mov.u32 %r5, %clock; sub.u32 %r5, %r5, %r4;"
     "setp.lt.u32 %p1, %r5, 2000000000; @%p1 bra L; E:",
     1,
     {NULL}},
    // After as many tries as take a second, without a look at a clock.
    {"mov.u32 %r6, 0; T: mov.u64 %d1, %globaltimer;"
     "L: ld.relaxed.gpu.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, 0;"
     "@%p1 bra E; mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;"
     "setp.lt.u64 %p1, %d3, 1000000000; selp.u32 %r5, 0, 1, %p1;"
     "add.u32 %r6, %r6, %r5; @%p1 bra L; setp.lt.u32 %p1, %r6, 30;"
     "@%p1 bra T; E:",
     1,
     {NULL}},
    // A kernel that ends after a number of reads.
    {"mov.u32 %r4, 0; L: ld.relaxed.gpu.global.u32 %r1, [%out];"
     "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 50000; @%p1 bra L;",
     1,
     {NULL}},
    // One bit of the number in each lane.
    {"mov.u32 %r4, 0; mov.u32 %r6, %laneid; shr.u32 %r7, %t, 5;"
     "setp.ne.u32 %p9, %r7, 0; @%p9 bra E;"
     "L: setp.eq.u32 %p2, %r4, 0; vote.sync.ballot.b32 %r5, %p2, -1;"
     "mov.u32 %r8, %lanemask_lt; and.b32 %r8, %r8, %r5;"
     "setp.eq.u32 %p3, %r8, 0; selp.u32 %r8, 1, 0, %p3; xor.b32 %r4, %r4, %r8;"
     "setp.eq.u32 %p4, %r4, 1; vote.sync.ballot.b32 %r5, %p4, -1;"
     "and.b32 %r5, %r5, 0x8000; setp.eq.u32 %p1, %r5, 0; @%p1 bra L; E:",
     1,
     {NULL}},
};

static void run_row(const Row *row, const char *checks) {
  static const uint32_t zeros[64];
  kit_open();
  CUmodule module = kit_load_body(row->body);
  CUdeviceptr out = kit_upload(zeros, sizeof zeros);
  void *params[] = {&out, &out};
  const KitShape shape = {{row->num_ctas}, {64}, 0};
  const bool told = *checks == 'u';
  const int error = kit_run(module, "k", shape, params);
  const char *text = kit_report_text();
  for (int i = 0; told && i < 3 && row->reports[i]; i++)
    if (!strstr(text, row->reports[i]))
      fail_msg("no '%s' in '%s'", row->reports[i], text);
  if (error != (row->reports[0] ? 719 : 0))
    fail_msg("error %d: %s\n%s", error, row->body, text);
  if (error && !strstr(text, "\"deadlock\"")) fail_msg("%s", text);
  kit_reports();
  kit_close();
  kit_reports();
}

static void test_rows(void **state) {
  (void)state;
  static const char *const checks[] = {"usual", "none"};
  for (int i = 0; i < 2; i++) {
    setenv("TILE_SIM_CHECKS", checks[i], 1);
    for (size_t j = 0; j < sizeof rows / sizeof *rows; j++)
      run_row(&rows[j], checks[i]);
  }
  unsetenv("TILE_SIM_CHECKS");
}

// -- cuda::barrier -----------------------------------------------------------

static int run_in_block(CUmodule module, int expected, int *out) {
  CUdeviceptr result = kit_upload(NULL, 64 * sizeof *out);
  void *params[] = {&result, &expected};
  const int error =
      kit_run(module, "in_block", (KitShape){{1}, {64}, 0}, params);
  if (!error) kit_download(out, result, 64 * sizeof *out);
  return error;
}

static int run_in_grid(CUmodule module, int expected, int *out) {
  static const int zeros[8];
  CUdeviceptr result = kit_upload(NULL, 16 * sizeof *out);
  CUdeviceptr barrier = kit_upload(zeros, 8), flag = kit_upload(zeros, 4);
  void *params[] = {&result, &barrier, &flag, &expected};
  const int error = kit_run(module, "in_grid", (KitShape){{8}, {1}, 0}, params);
  if (!error) kit_download(out, result, 16 * sizeof *out);
  return error;
}

static void test_barrier(void **state) {
  (void)state;
  int out[64];
  kit_open();
  CUmodule module = kit_load("barrier.ptx");
  assert_int_equal(run_in_block(module, 64, out), 0);
  for (int i = 0; i < 64; i++) assert_int_equal(out[i], i + 1 + (i ^ 1) + 1);
  assert_int_equal(run_in_grid(module, 8, out), 0);
  for (int i = 0; i < 8; i++)
    assert_int_equal(out[8 + i], i + 1 + (i + 1) % 8 + 1);
  assert_string_equal(kit_reports(), "");
  assert_int_equal(run_in_block(module, 65, out), 719);
  assert_non_null(
      strstr(kit_report_text(), "the mbarrier at byte 0, to whose phase"));
  kit_close();
  kit_reports();
  kit_open();
  module = kit_load("barrier.ptx");
  assert_int_equal(run_in_grid(module, 9, out), 719);
  assert_non_null(strstr(kit_report_text(), "change of byte 0 of argument 1"));
  kit_close();
  kit_reports();
}

// The number of instructions before a report depends on the budget, which
// otherwise is a minute.
int main(void) {
  setenv("TILE_SIM_BUDGET", "4000000", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_barrier),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
