// test_sim_flow.c -- lanes that diverge reconverge where their paths join, in
// any order of the code; calls through pointers; numbers of registers.
#include <stdio.h>

#include "sim_kit.h"

// Runs a body for one warp; out[lane] is its result.
static void run_body(const char *body, uint32_t out[32]) {
  char text[4096];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d1, %%t, 4; add.u64 %%d2, %%out, %%d1;\n"
           "and.b32 %%r1, %%t, 1; setp.eq.u32 %%p1, %%r1, 1;\n%s",
           body);
  CUmodule module = kit_load_body(text);
  CUdeviceptr address = kit_upload(NULL, 128), in = address;
  void *params[] = {&address, &in};
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {32}, 0}, params), 0);
  kit_download(out, address, 128);
  assert_int_equal(cuModuleUnload(module), 0);
}

// The number of lanes that are active at the last line must be 32 in each lane.
static void expect_all(const char *body) {
  uint32_t out[32];
  char whole[2200];
  snprintf(whole, sizeof whole,
           "%s\nactivemask.b32 %%r9; st.global.u32 [%%d2], %%r9;", body);
  run_body(whole, out);
  for (int i = 0; i < 32; i++)
    if (out[i] != UINT32_MAX) fail_msg("lane %d: %08x\n%s", i, out[i], body);
}

static void test_meets(void **state) {
  (void)state;
  expect_all(
      "@%p1 bra A; add.u32 %r2, %t, 1; bra B; A: add.u32 %r2, %t, 2; B:");
  // A loop with as many trips as the number of the lane.
  expect_all("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1;"
             "setp.le.u32 %p2, %r2, %t; @%p2 bra L;");
  // Nested, and with an early way out.
  expect_all("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; @%p1 bra M;"
             "setp.gt.u32 %p2, %r2, 9; @%p2 bra O; M: setp.le.u32 %p2, %r2, %t;"
             "@%p2 bra L; O:");
}

// In the text the join comes before the two sides.
static void test_meets_behind(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "bra TOP; JOIN: activemask.b32 %r9; st.global.u32 [%d2], %r9; exit;\n"
      "TOP: @%p1 bra B; add.u32 %r2, %t, 1; bra JOIN;\n"
      "B: add.u32 %r2, %t, 2; bra JOIN;",
      // In the text the loop comes behind its exit.
      "mov.u32 %r2, 0; bra HEAD;\n"
      "JOIN: activemask.b32 %r9; st.global.u32 [%d2], %r9; exit;\n"
      "HEAD: setp.ge.u32 %p2, %r2, %t; @%p2 bra JOIN;\n"
      "add.u32 %r2, %r2, 1; bra HEAD;",
      // Two ways of a condition with `or` into one side.
      "setp.lt.u32 %p2, %t, 8; @%p2 bra TEST2; bra YES;\n"
      "JOIN: activemask.b32 %r9; st.global.u32 [%d2], %r9; exit;\n"
      "YES: add.u32 %r2, %t, 1; bra JOIN;\n"
      "TEST2: @%p1 bra YES; add.u32 %r2, %t, 2; bra JOIN;",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    uint32_t out[32];
    run_body(bodies[i], out);
    for (int j = 0; j < 32; j++)
      if (out[j] != UINT32_MAX)
        fail_msg("lane %d: %08x\n%s", j, out[j], bodies[i]);
  }
}

// Lanes that wait for each other make progress, in any order of the code.
static void test_progress(void **state) {
  (void)state;
  uint32_t out[32];
  run_body(".shared .b32 flag; setp.eq.u32 %p2, %t, 0;"
           "@%p2 st.volatile.shared.u32 [flag], 0; bar.warp.sync -1;"
           "setp.eq.u32 %p3, %t, 31; @%p3 bra SET;"
           "W: ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0;"
           "@%p2 bra W; bra DONE; SET: st.volatile.shared.u32 [flag], 5;"
           "mov.u32 %r2, 5; DONE: st.global.u32 [%d2], %r2;",
           out);
  for (int i = 0; i < 32; i++) assert_int_equal(out[i], 5);
}

// Lanes of two member masks at one instruction: each set executes it by itself.
static void test_member_masks(void **state) {
  (void)state;
  uint32_t out[32];
  run_body("selp.b32 %r2, 0xaaaaaaaa, 0x55555555, %p1;\n"
           "redux.sync.add.s32 %r3, %t, %r2;\n" // 240 or 256
           "match.any.sync.b32 %r4, %r1, %r2; sub.u32 %r4, %r4, %r2;\n"
           "vote.sync.ballot.b32 %r5, 1, %r2; sub.u32 %r5, %r5, %r2;\n"
           "vote.sync.all.pred %p2, %p1, %r2; selp.u32 %r6, 1000, 0, %p2;\n"
           "shfl.sync.bfly.b32 %r7, %t, 2, 31, %r2; sub.u32 %r7, %r7, %t;\n"
           "bar.warp.sync %r2;\n"
           "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;\n"
           "add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7;\n"
           "st.global.u32 [%d2], %r3;",
           out);
  for (int i = 0; i < 32; i++)
    assert_int_equal(out[i], (i & 1 ? 1256 : 240) + (i & 2 ? -2 : 2));
  // One set waits for its last lanes while the other goes on.
  run_body("selp.b32 %r2, 0xaaaaaaaa, 0x55555555, %p1; mov.u32 %r3, 0;\n"
           "setp.ne.u32 %p2, %t, 31; @%p2 bra M;\n"
           "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 100; @%p2 bra L;\n"
           "M: redux.sync.max.u32 %r4, %r3, %r2; bar.warp.sync %r2;\n"
           "st.global.u32 [%d2], %r4;",
           out);
  for (int i = 0; i < 32; i++) assert_int_equal(out[i], i & 1 ? 100 : 0);
}

// nvcc's calls through pointers; each lane calls another function.
static void test_pointers(void **state) {
  (void)state;
  int which[32], x[32];
  for (int i = 0; i < 32; i++) {
    which[i] = i % 3;
    x[i] = i + 5;
  }
  CUmodule module = kit_load("pointers.ptx");
  CUdeviceptr a = kit_upload(which, sizeof which), b = kit_upload(x, sizeof x);
  void *params[] = {&a, &b};
  const KitShape shape = {{1}, {32}, 0};
  assert_int_equal(kit_run(module, "apply", shape, params), 0);
  assert_int_equal(cuMemcpyDtoH_v2(x, b, sizeof x), 0);
  for (int i = 0; i < 32; i++) {
    const int y = i + 5;
    const int results[3] = {2 * y, y * y, -y};
    assert_int_equal(x[i], results[i % 3]);
  }
  which[7] = 3; // null
  assert_int_equal(cuMemcpyHtoD_v2(a, which, sizeof which), 0);
  assert_int_equal(kit_run(module, "apply", shape, params), 715);
  assert_string_equal(kit_reports(), "invalid ");
}

// Blocks of calls in turn have more memory than a thread gets; the function
// that nothing points to is no target, or it would call itself.
static void test_targets(void **state) {
  (void)state;
  uint32_t out = 0;
  CUmodule module = kit_load_text(
      ".version 8.0 .target sm_80 .address_size 64\n"
      ".func (.param .b32 r) half(.param .b32 x) { .reg .b32 %a;\n"
      ".local .b8 room[300000]; .reg .b64 %p; mov.b64 %p, room;\n"
      "ld.param.b32 %a, [x]; st.local.b32 [room+299996], %a;\n"
      "ld.local.b32 %a, [room+299996]; shr.u32 %a, %a, 1;\n"
      "st.param.b32 [r], %a; ret; }\n"
      ".func (.param .b32 r) other(.param .b32 x) { .reg .b64 %p;\n"
      "mov.b64 %p, half; { .param .b32 y; .param .b32 z;\n"
      "F: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "st.param.b32 [y], 40; call (z), %p, (y), F; .reg .b32 %a;\n"
      "ld.param.b32 %a, [z]; st.param.b32 [r], %a; } ret; }\n"
      ".entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %a<3>;\n"
      "ld.param.b64 %o, [out];\n"
      "{ .param .b32 y; .param .b32 z; st.param.b32 [y], 20;\n"
      "call (z), half, (y); ld.param.b32 %a1, [z]; }\n"
      "{ .param .b32 y; .param .b32 z; st.param.b32 [y], 0;\n"
      "call (z), other, (y); ld.param.b32 %a2, [z]; }\n"
      "add.u32 %a1, %a1, %a2; st.global.u32 [%o], %a1; ret; }");
  CUdeviceptr address = kit_upload(NULL, 4);
  void *params[] = {&address};
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 0);
  kit_download(&out, address, 4);
  assert_int_equal(out, 30);
}

static int registers_of(CUmodule module, const char *kernel) {
  CUfunction function;
  int value = 0;
  assert_int_equal(cuModuleGetFunction(&function, module, kernel), 0);
  assert_int_equal(cuFuncGetAttribute(&value, 4, function), 0);
  return value;
}

// About as many as ptxas gives (12 and 62), and no more than the text allows.
static void test_registers(void **state) {
  (void)state;
  assert_in_range(registers_of(kit_load("basic.ptx"), "vector_add"), 8, 24);
  assert_in_range(registers_of(kit_load("matmul.ptx"), "matmul"), 40, 96);
  const char *ptx = ".version 8.0 .target sm_80 .address_size 64\n"
                    ".entry k() .maxnreg 12 { ret; }";
  assert_int_equal(registers_of(kit_load_text(ptx), "k"), 12);
}

// A kernel that makes `count` values, adds them up, and then does the same with
// as many other values; the code may have labels between.
static int registers_for(const char *type, int count, const char *before_first,
                         const char *before_second, const char *at_end) {
  static char text[1 << 14];
  const char *const heads[] = {before_first, before_second};
  char *end = text;
  end += sprintf(end,
                 ".version 8.0 .target sm_80 .address_size 64\n"
                 ".entry k() {\n.reg .b%s %%r<%d>; .reg .pred %%p;\n",
                 type, 2 * count);
  for (int half = 0; half < 2; half++) {
    const int first = half * count;
    for (int k = 0; k < count; k++)
      end += sprintf(end, "mov.b%s %%r%d, 1;\n", type, first + k);
    end += sprintf(end, "%s\n", heads[half]);
    for (int k = 1; k < count; k++)
      end += sprintf(end, "add.u%s %%r%d, %%r%d, %%r%d;\n", type, first, first,
                     first + k);
  }
  sprintf(end, "%s\nret; }", at_end);
  return registers_of(kit_load_text(text), "k");
}

// A value of 64 bits needs two registers, a smaller one needs one.  A loop
// keeps the values that it reads to its end, and no others.
static void test_register_needs(void **state) {
  (void)state;
  const int once = registers_for("32", 32, "", "", "");
  const int twice = registers_for("32", 64, "", "", "");
  assert_int_equal(twice - once, 32);
  assert_int_equal(registers_for("16", 32, "", "", ""), once);
  assert_int_equal(registers_for("64", 32, "", "", ""), twice);
  assert_int_equal(registers_for("32", 32, "A:", "", "@%p bra A;"), twice);
  assert_int_equal(registers_for("32", 32, "", "B:", "@%p bra B;"), once);
  assert_int_equal(registers_for("32", 32, "A:", "B:", "@%p bra B; @%p bra A;"),
                   twice);
}

// The limit leaves room for the threads that the directives ask for.
static void test_register_limits(void **state) {
  (void)state;
  static const struct {
    const char *directives;
    int registers;
  } rows[] = {{"", 104},
              {".reqntid 512", 104},
              {".reqntid 1024", 64},
              {".maxntid 8, 8, 16", 64},
              {".maxntid 2147483647, 2147483647, 2147483647", 104},
              {".maxntid 128 .minnctapersm 4", 104},
              {".maxntid 128 .minnctapersm 6", 80},
              {".reqntid 1024 .maxnreg 40", 40}};
  enum { VALUES = 100 };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[VALUES * 64], *end = text;
    end += sprintf(end,
                   ".version 8.0 .target sm_80 .address_size 64\n"
                   ".entry k() %s {\n.reg .b32 %%r<%d>;\n",
                   rows[i].directives, VALUES);
    for (int k = 0; k < VALUES; k++)
      end += sprintf(end, "mov.u32 %%r%d, %d;\n", k, k);
    for (int k = 1; k < VALUES; k++)
      end += sprintf(end, "add.u32 %%r0, %%r0, %%r%d;\n", k);
    sprintf(end, "ret; }");
    assert_int_equal(registers_of(kit_load_text(text), "k"), rows[i].registers);
  }
}

// A text with many backward branches loads quickly.
static void test_many_loops(void **state) {
  (void)state;
  enum { LOOPS = 100000 };
  static char text[LOOPS * 12 + 200];
  size_t used = (size_t)sprintf(text, ".version 8.0 .target sm_80\n"
                                      ".address_size 64 .entry k() {\n"
                                      ".reg .pred %%p; L:\n");
  for (int i = 0; i < LOOPS; i++)
    used += (size_t)sprintf(text + used, "@%%p bra L;\n");
  sprintf(text + used, "ret; }");
  assert_in_range(registers_of(kit_load_text(text), "k"), 8, 24);
}

// So does a text with many shuffles that some lanes skip.
static void test_many_shuffles(void **state) {
  (void)state;
  enum { SHUFFLES = 30000 };
  static char text[SHUFFLES * 64 + 200];
  size_t used = (size_t)sprintf(text, ".version 8.0 .target sm_80\n"
                                      ".address_size 64 .entry k() {\n"
                                      ".reg .pred %%p; .reg .b32 %%r; L:\n");
  for (int i = 0; i < SHUFFLES; i++)
    used += (size_t)sprintf(
        text + used,
        "@%%p shfl.sync.idx.b32 %%r, %%r, 0, 31, -1; @%%p bra L;\n");
  sprintf(text + used, "ret; }");
  assert_int_equal(cuModuleUnload(kit_load_text(text)), 0);
}

static int open_all(void **state) {
  (void)state;
  unsetenv("TILE_SIM_SCHEDULE"); // else lanes part for a while
  kit_open();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_meets),
      cmocka_unit_test(test_meets_behind),
      cmocka_unit_test(test_progress),
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_register_needs),
      cmocka_unit_test(test_register_limits),
      cmocka_unit_test(test_many_loops),
      cmocka_unit_test(test_member_masks),
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_many_shuffles),
      cmocka_unit_test(test_pointers),
  };
  return cmocka_run_group_tests(tests, open_all, kit_teardown);
}
