// test_sim_hopper.c -- the arithmetic and the atomics that sm_90 adds.
//
// Expected values are worked out by hand from the manual's text.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *body; // leaves its result in %r9
  uint32_t result;
} Row;

static const Row rows[] = {
    // 1 + 1.5 units of bf16; 2^16, which f16 does not have
    {"mov.b16 %h1, 0x3c0c; cvt.bf16.f16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x3f82},
    {"mov.b16 %h1, 0x3c0c; cvt.rz.bf16.f16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x3f81},
    {"mov.b16 %h1, 0x3f81; cvt.f16.bf16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x3c08},
    {"mov.b16 %h1, 0x4780; cvt.f16.bf16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x7c00},
    {"mov.b16 %h1, 0x4780; cvt.rz.f16.bf16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x7bff},
    {"mov.b16 %h1, 1; cvt.f32.bf16 %f1, %h1; mov.b32 %r9, %f1;", 0x10000},
    {"mov.b16 %h1, 1; cvt.ftz.f32.bf16 %f1, %h1; mov.b32 %r9, %f1;", 0},
    // Pairs of integers
    {"mov.b32 %r1, 0x7fff0001; mov.b32 %r2, 0x0001ffff; add.s16x2 %r9, %r1, "
     "%r2;",
     0x80000000},
    {"mov.b32 %r1, 0x00010002; mov.b32 %r2, 0xffff0003; add.u16x2 %r9, %r1, "
     "%r2;",
     0x00000005},
    {"mov.b32 %r1, 0x80000005; mov.b32 %r2, 0x0001fffe; min.s16x2 %r9, %r1, "
     "%r2;",
     0x8000fffe},
    {"mov.b32 %r1, 0x80000005; mov.b32 %r2, 0x0001fffe; max.s16x2 %r9, %r1, "
     "%r2;",
     0x00010005},
    {"mov.b32 %r1, 0x80000005; mov.b32 %r2, 0x0001fffe; min.u16x2 %r9, %r1, "
     "%r2;",
     0x00010005},
    {"mov.b32 %r1, 0x80000005; mov.b32 %r2, 0x0001fffe; max.u16x2 %r9, %r1, "
     "%r2;",
     0x8000fffe},
    {"mov.b32 %r1, 0x00078000; mov.b32 %r2, 0x00050003; min.relu.s16x2 %r9, "
     "%r1, %r2;",
     0x00050000},
    {"mov.b32 %r1, 0x80000005; mov.b32 %r2, 0xfffffffe; max.relu.s16x2 %r9, "
     "%r1, %r2;",
     0x00000005},
    {"min.relu.s32 %r9, -5, 3;", 0},
    {"max.relu.s32 %r9, -5, 3;", 3},
    // Vectors: 3 + 1 in the last of four; 2 + 1 in the last of eight
    {"mov.b32 %f1, 0f40400000; mov.b32 %f2, 0f3f800000;"
     "st.global.v4.f32 [%in], {%f2, %f2, %f2, %f1};"
     "red.global.add.v4.f32 [%in], {%f1, %f1, %f1, %f2};"
     "ld.global.u32 %r9, [%in+12];",
     0x40800000},
    {"mov.b32 %r1, 0x40003f80; mov.b16 %h1, 0x3f80;"
     "st.global.v4.b32 [%in], {%r1, %r1, %r1, %r1};"
     "red.relaxed.gpu.global.add.noftz.v8.bf16 [%in],"
     "{%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1}; ld.global.u32 %r9, [%in+12];",
     0x40404000},
    {"mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3c004000;"
     "st.global.v2.b32 [%in], {%r1, %r1};"
     "red.global.max.noftz.v2.f16x2 [%in], {%r2, %r2};"
     "ld.global.u32 %r9, [%in+4];",
     0x40004000},
    {"mov.b32 %f1, 0f40400000; mov.b32 %f2, 0f3f800000;"
     "st.global.v2.f32 [%in], {%f2, %f1};"
     "atom.global.add.v2.f32 {%f3, %f4}, [%in], {%f1, %f2};"
     "ld.global.v2.f32 {%f5, %f6}, [%in]; sub.f32 %f7, %f6, %f3;"
     "add.f32 %f7, %f7, %f4; mov.b32 %r9, %f7;", // (4 - 1) + 3
     0x40c00000},
    {"mov.b32 %f1, 0f40400000; createpolicy.fractional.L2::evict_first.b64 %d1;"
     "st.global.v2.f32 [%in], {%f1, %f1};"
     "red.global.add.L2::cache_hint.v2.f32 [%in], {%f1, %f1}, %d1;"
     "ld.global.u32 %r9, [%in+4];",
     0x40c00000},
};

static uint32_t run_row(const char *body, int *error) {
  char text[2048];
  uint32_t out = 0;
  snprintf(text, sizeof text, "%s\nst.global.u32 [%%out], %%r9;", body);
  *error = kit_map(kit_load_body(text), 1, NULL, 64, &out, sizeof out);
  return out;
}

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int error;
    const uint32_t out = run_row(rows[i].body, &error);
    if (error || out != rows[i].result)
      fail_msg("0x%x, not 0x%x: %s", out, rows[i].result, rows[i].body);
  }
  assert_string_equal(kit_reports(), "");
}

// A vector lies at a multiple of its size.
static void test_misaligned(void **state) {
  (void)state;
  int error;
  run_row("mov.b32 %f1, 0f40400000; mov.b32 %r9, 0;"
          "red.global.add.v2.f32 [%in+4], {%f1, %f1};",
          &error);
  assert_int_not_equal(error, 0);
  assert_string_equal(kit_reports(), "misaligned ");
  kit_reopen();
}

// Products of f64: value i of a lane in A is in row g + 8 (i % 2) and column
// t + 4 (i / 2), in B in row t + 4 i of column g.
static void make_doubles(char *text, size_t size, int k) {
  int n = snprintf(text, size,
                   "mul.wide.u32 %%d1, %%t, 128; add.u64 %%d2, %%in, %%d1;\n"
                   "mul.wide.u32 %%d1, %%t, 32; add.u64 %%d3, %%out, %%d1;\n");
  for (int i = 0; i < 3 * k / 4 + 4; i++)
    n += snprintf(text + n, size - (size_t)n,
                  "ld.global.f64 %%g%d, [%%d2+%d];\n", i, 8 * i);
  n += snprintf(text + n, size - (size_t)n,
                "mma.sync.aligned.m16n8k%d.row.col.f64.f64.f64.f64\n"
                "{%%g50, %%g51, %%g52, %%g53}, {",
                k);
  for (int i = 0; i < 3 * k / 4 + 4; i++)
    n += snprintf(text + n, size - (size_t)n, "%s%%g%d",
                  !i                                 ? ""
                  : i == k / 2 || i == k / 2 + k / 4 ? "}, {"
                                                     : ", ",
                  i);
  n += snprintf(text + n, size - (size_t)n, "};\n");
  for (int i = 0; i < 4; i++)
    n += snprintf(text + n, size - (size_t)n,
                  "st.global.f64 [%%d3+%d], %%g%d;\n", 8 * i, 50 + i);
}

static void check_doubles(int k) {
  double in[32][16] = {{0}}, out[32][4], a[16][16], b[16][8];
  for (int lane = 0; lane < 32; lane++) {
    const int g = lane / 4, t = lane % 4;
    for (int i = 0; i < k / 2; i++) {
      const int row = g + 8 * (i % 2), column = t + 4 * (i / 2);
      in[lane][i] = a[row][column] = row * 1.5 - column;
    }
    for (int i = 0; i < k / 4; i++)
      in[lane][k / 2 + i] = b[t + 4 * i][g] = (t + 4 * i) * 0.25 + g;
    for (int i = 0; i < 4; i++)
      in[lane][3 * k / 4 + i] = (g + i / 2 * 8) * 100 + t * 2 + i % 2;
  }
  char text[4096];
  make_doubles(text, sizeof text, k);
  assert_int_equal(
      kit_map(kit_load_body(text), 32, in, sizeof in, out, sizeof out), 0);
  for (int row = 0; row < 16; row++) {
    for (int column = 0; column < 8; column++) {
      double sum = row * 100 + column; // all of it is exact
      for (int i = 0; i < k; i++) sum += a[row][i] * b[i][column];
      assert_true(out[row % 8 * 4 + column / 2][row / 8 * 2 + column % 2] ==
                  sum);
    }
  }
}

static void test_doubles(void **state) {
  (void)state;
  for (int k = 4; k <= 16; k *= 2) check_doubles(k);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_misaligned),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
