// test_sim_roles.c -- elect.sync, setmaxnreg and stmatrix, which kernels for
// sm_90a use to give their warps different work.
//
// Each row's body sets %r9 to the expected out[tid].
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
  const int error = kit_map(kit_load_text(text), row->threads, NULL, 64, out,
                            4 * row->threads);
  snprintf(kinds, 100, "%s", kit_reports());
  if (error) kit_reopen();
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
  const Row was_on = {"",
                      "setp.eq.u32 %p1, %t, %t; elect.sync _|%p1, -1;"
                      "@%p1 mov.u32 %r9, 100;",
                      64, ""};
  check_row(&was_on, first_lane);
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

// -- setmaxnreg --------------------------------------------------------------

// Three groups of 128 threads with 168 registers each: the first returns
// registers until it has `first`, the others ask for `rest`.
#define SPLIT(first, rest)                                                     \
  "setp.lt.u32 %p1, %t, 128; @%p1 bra P;"                                      \
  "setmaxnreg.inc.sync.aligned.u32 " rest "; bra E;"                           \
  "P: setmaxnreg.dec.sync.aligned.u32 " first "; E: mov.u32 %r9, %t;"

static uint32_t number(uint32_t thread) {
  return thread;
}

static void test_setmaxnreg(void **state) {
  (void)state;
  static const Row rows[] = {
      {".maxntid 384 .minnctapersm 1", SPLIT("40", "232"), 384, ""},
      {".maxntid 384 .minnctapersm 1", SPLIT("24", "240"), 384, ""},
      {".maxntid 384 .minnctapersm 1", SPLIT("24", "168"), 384, ""},
      // Registers that are never returned
      {".maxntid 384 .minnctapersm 1", SPLIT("40", "240"), 384, "deadlock "},
      {".maxntid 384 .minnctapersm 1", SPLIT("168", "176"), 384, "deadlock "},
      {".reqntid 384 .minnctapersm 1", SPLIT("32", "240"), 384, "deadlock "},
      {".maxnreg 160", SPLIT("24", "232"), 384, "deadlock "},
      {".maxnreg 160", SPLIT("24", "224"), 384, ""},
      {".maxntid 384 .minnctapersm 1", SPLIT("176", "240"), 384, "invalid "},
      {".maxntid 384 .minnctapersm 1", SPLIT("160", "160"), 384, ""},
      {".maxntid 384 .minnctapersm 1",
       "setp.lt.u32 %p1, %t, 128; @%p1 bra E; setmaxnreg.inc.sync.aligned.u32"
       " 160; setmaxnreg.dec.sync.aligned.u32 24; bar.sync 1, 256;"
       "setmaxnreg.inc.sync.aligned.u32 152;"
       "setmaxnreg.inc.sync.aligned.u32 144; E: mov.u32 %r9, %t;",
       384, "invalid "},
      // If the number of registers is not given, it does nothing, as with
      // ptxas.
      {"", SPLIT("40", "256"), 384, ""},
      {".maxntid 384", SPLIT("40", "256"), 384, ""},
      {".maxntid 128 .minnctapersm 4",
       "setp.ge.u32 %p1, %t, 64; @%p1 bra W;"
       "setmaxnreg.dec.sync.aligned.u32 24; bra E;"
       "W: setmaxnreg.inc.sync.aligned.u32 232; E: mov.u32 %r9, %t;",
       128, ""},
      {".maxntid 128 .minnctapersm 4",
       "setp.ge.u32 %p1, %t, 64; @%p1 bra W;"
       "setmaxnreg.dec.sync.aligned.u32 24; bra E;"
       "W: setmaxnreg.inc.sync.aligned.u32 240; E: mov.u32 %r9, %t;",
       128, "deadlock "},
      // Registers are given back, taken, and given back again for the others
      {".maxnreg 64",
       "setp.ge.u32 %p1, %t, 64; @%p1 bra W;"
       "setmaxnreg.dec.sync.aligned.u32 24; bar.sync 0;"
       "setmaxnreg.inc.sync.aligned.u32 64; bra E;"
       "W: setmaxnreg.inc.sync.aligned.u32 104; bar.sync 0;"
       "setmaxnreg.dec.sync.aligned.u32 64; E: mov.u32 %r9, %t;",
       128, ""},
      // A warp that polls a word that the waiting warp would write
      {".maxnreg 64",
       "mov.u32 %r1, 0; setp.eq.u32 %p2, %t, 0;"
       "@%p2 st.volatile.shared.u32 [s], 0; bar.sync 0;"
       "setp.ge.u32 %p1, %t, 32; @%p1 bra W;"
       "L: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 0;"
       "@%p1 bra L; bra E;"
       "W: setmaxnreg.inc.sync.aligned.u32 72;"
       "st.volatile.shared.u32 [s], 1; E:",
       64, "deadlock deadlock "},
      {".maxnreg 64",
       "setp.lt.u32 %p1, %t, 7; @%p1 setmaxnreg.dec.sync.aligned.u32 24;", 32,
       "barrier-divergence "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_row(&rows[i], strstr(rows[i].body, "%r9") ? number : NULL);
}

// -- stmatrix ----------------------------------------------------------------

// Row j of matrix i has 8 halves; lane 4 j + k has those at 2k and 2k + 1.
// With .trans they are in column j.
static void check_matrix(int count, bool trans, uint32_t which) {
  char body[2000];
  snprintf(body, sizeof body,
           "and.b32 %%r2, %%t, %d; shl.b32 %%r3, %%r2, 4; mov.u32 %%r4, s;"
           "add.u32 %%r3, %%r3, %%r4; add.u32 %%r5, %%t, 0x01000100;"
           "add.u32 %%r6, %%r5, 0x00200020; add.u32 %%r7, %%r5, 0x00400040;"
           "add.u32 %%r8, %%r5, 0x00600060; shl.b32 %%r10, %%t, 16;"
           "add.u32 %%r5, %%r5, %%r10; add.u32 %%r6, %%r6, %%r10;"
           "add.u32 %%r7, %%r7, %%r10; add.u32 %%r8, %%r8, %%r10;"
           "add.u32 %%r5, %%r5, 0x80000000; add.u32 %%r6, %%r6, 0x80000000;"
           "add.u32 %%r7, %%r7, 0x80000000; add.u32 %%r8, %%r8, 0x80000000;"
           "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r3], {%s};"
           "shl.b32 %%r2, %%t, 2; add.u32 %%r4, %%r4, %%r2; bar.sync 0;"
           "ld.shared.u32 %%r9, [%%r4+%u];",
           8 * count - 1, count, trans ? ".trans" : "",
           count == 1   ? "%r5"
           : count == 2 ? "%r5, %r6"
                        : "%r5, %r6, %r7, %r8",
           128 * which);
  uint32_t out[1024];
  char kinds[100];
  const Row row = {"", body, 32, ""};
  assert_int_equal(run_kernel(&row, out, kinds), 0);
  assert_string_equal(kinds, "");
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t r = trans ? i % 8 : i / 8, c = trans ? i / 8 : i % 8;
    const uint32_t lane = r * 4 + c / 2;
    const uint32_t high = c % 2 ? 0x8000 : 0;
    const uint32_t half = 0x100 + lane + 0x20 * which + high;
    assert_int_equal(out[i / 2] >> i % 2 * 16 & 0xffff, half);
  }
}

static void test_stmatrix(void **state) {
  (void)state;
  for (int count = 1; count <= 4; count *= 2) {
    for (uint32_t which = 0; which < (uint32_t)count; which++) {
      check_matrix(count, false, which);
      check_matrix(count, true, which);
    }
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_elect),
                                     cmocka_unit_test(test_setmaxnreg),
                                     cmocka_unit_test(test_stmatrix)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
