// test_sim_wgmma.c -- wgmma: every type, number of columns and layout of shared
// memory.
#include <stdio.h>

#include "wgmma_case.h"

// -- Cases -------------------------------------------------------------------

#define K128                                                                   \
  { false, 128, 16, 1024, 0, 0 }

static void test_columns(void **state) {
  (void)state;
  for (unsigned n = 8; n <= 256; n += 8) {
    const WgmmaCase c = {.d = "f32",
                         .a = F16,
                         .b = F16,
                         .columns = n,
                         .a_at = K128,
                         .b_at = K128,
                         .scale_a = 1,
                         .scale_b = 1};
    wgmma_run(&c);
    const WgmmaCase ints = {
        .d = "s32", .a = S8, .b = S8, .columns = n, .a_at = K128, .b_at = K128};
    if (n <= 32 || n % 16 == 0) wgmma_run(&ints);
  }
}

static void test_types(void **state) {
  (void)state;
  static const struct {
    const char *d;
    int a, b;
  } rows[] = {
      {"f32", F16, F16},   {"f16", F16, F16},   {"f32", BF16, BF16},
      {"f32", TF32, TF32}, {"f32", E4M3, E4M3}, {"f32", E4M3, E5M2},
      {"f32", E5M2, E4M3}, {"f32", E5M2, E5M2}, {"f16", E4M3, E4M3},
      {"f16", E5M2, E4M3}, {"s32", S8, S8},     {"s32", S8, U8},
      {"s32", U8, S8},     {"s32", U8, U8},     {"s32", B1, B1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const bool is_int = rows[i].d[0] == 's';
    WgmmaCase c = {.d = rows[i].d,
                   .a = rows[i].a,
                   .b = rows[i].b,
                   .columns = 64,
                   .a_at = K128,
                   .b_at = K128,
                   .scale_a = !is_int,
                   .scale_b = !is_int};
    if (rows[i].a == B1) c.words = ".and.popc";
    wgmma_run(&c);
    c.a_held = true;
    wgmma_run(&c);
  }
}

static void test_layouts(void **state) {
  (void)state;
  static const WgmmaLayout layouts[] = {
      K128,
      {false, 128, 0, 2048, 32, 0}, // k from 16 on; rows further apart
      {false, 128, 16, 1024, 96, 0},
      {false, 64, 16, 512, 0, 0},
      {false, 64, 16, 640, 32, 0},
      {false, 32, 16, 256, 0, 0},
      {false, 32, 16, 384, 0, 0},
      {false, 16, 128, 256, 0, 0},
      {false, 16, 1024, 128, 0, 0},
      {true, 128, 2048, 1024, 0, 0},
      {true, 64, 1024, 512, 0, 0},
      {true, 32, 512, 256, 0, 0},
      {true, 16, 128, 256, 0, 0},
      {true, 16, 1024, 128, 0, 0},
      {false, 128, 16, 1024, 256, 2}, // the pattern starts there
      {false, 64, 16, 512, 128, 1},
  };
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    WgmmaCase c = {.d = "f32",
                   .a = F16,
                   .b = F16,
                   .columns = 64,
                   .a_at = K128,
                   .b_at = K128,
                   .scale_a = 1,
                   .scale_b = 1};
    c.a_at = layouts[i];
    wgmma_run(&c);
    c.b_at = layouts[i];
    wgmma_run(&c);
    c.a = c.b = BF16;
    c.a_held = true;
    wgmma_run(&c);
    if (layouts[i].is_transposed) continue;
    c.a_held = false;
    c.a = c.b = TF32;
    wgmma_run(&c);
    c.a = c.b = E4M3;
    wgmma_run(&c);
  }
}

static void test_operands(void **state) {
  (void)state;
  static const char *const adds[] = {"0", "1", "%p1", "%p2", "!%p2"};
  for (unsigned i = 0; i < 20; i++) {
    WgmmaCase c = {.d = i % 4 ? "f32" : "f16",
                   .a = F16,
                   .b = F16,
                   .columns = 16,
                   .a_at = K128,
                   .b_at = K128,
                   .adds = adds[i % 5]};
    c.scale_a = i & 1 ? -1 : 1;
    c.scale_b = i & 2 ? -1 : 1;
    c.a_held = i >= 10;
    wgmma_run(&c);
  }
}

static void test_sparse(void **state) {
  (void)state;
  static const WgmmaCase cases[] = {
      {.d = "f32", .a = F16, .b = F16, .scale_a = 1, .scale_b = -1},
      {.d = "f16", .a = F16, .b = F16, .scale_a = 1, .scale_b = 1},
      {.d = "f32", .a = BF16, .b = BF16, .scale_a = 1, .scale_b = 1},
      {.d = "f32", .a = TF32, .b = TF32, .scale_a = 1, .scale_b = 1},
      {.d = "f32", .a = E4M3, .b = E5M2, .scale_a = -1, .scale_b = 1},
      {.d = "s32", .a = S8, .b = U8},
  };
  for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
    WgmmaCase c = cases[i / 4];
    c.is_sparse = true;
    c.columns = 32 + (unsigned)i % 4 * 16;
    c.a_at = c.b_at = (WgmmaLayout)K128;
    c.selector = wgmma_types[c.a].bits >= 16 ? (unsigned)i % 2 : 0;
    c.a_held = i / 2 % 2;
    wgmma_run(&c);
  }
  // B has four times eight k.
  WgmmaCase c = cases[0];
  c.is_sparse = true;
  c.columns = 64;
  c.a_at = (WgmmaLayout){true, 128, 2048, 1024, 0, 0};
  c.b_at = (WgmmaLayout){true, 64, 2048, 512, 0, 0};
  wgmma_run(&c);
  c.a_at = (WgmmaLayout){true, 16, 1024, 128, 0, 0};
  c.b_at = (WgmmaLayout){false, 16, 1024, 128, 0, 0};
  wgmma_run(&c);
}

// The places of single elements of B, by the figures of the manual: the byte
// gets a 1, and element k of each row of A is k + 1.
static void test_places(void **state) {
  (void)state;
  static const struct {
    WgmmaLayout layout;
    unsigned column, k, byte;
  } rows[] = {
      // Not swizzled: 8 columns of 16 bytes in a row.
      {{false, 16, 128, 256, 0, 0}, 0, 7, 14},
      {{false, 16, 128, 256, 0, 0}, 0, 8, 128},
      {{false, 16, 128, 256, 0, 0}, 7, 0, 112},
      {{false, 16, 128, 256, 0, 0}, 9, 9, 256 + 128 + 16 + 2},
      // Columns of 32 bytes; from the fifth on their halves are exchanged.
      {{false, 32, 16, 256, 0, 0}, 3, 8, 112},
      {{false, 32, 16, 256, 0, 0}, 4, 0, 144},
      {{false, 32, 16, 256, 0, 0}, 4, 8, 128},
      {{false, 32, 16, 256, 0, 0}, 8, 1, 258},
      // A swizzle of 64 bytes: every two columns another order.
      {{false, 64, 16, 512, 0, 0}, 1, 8, 80},
      {{false, 64, 16, 512, 0, 0}, 2, 0, 144},
      {{false, 64, 16, 512, 0, 0}, 4, 8, 256 + 48},
      {{false, 64, 16, 512, 0, 0}, 7, 0, 448 + 48},
      // A swizzle of 128 bytes: every column another order.
      {{false, 128, 16, 1024, 0, 0}, 1, 0, 144},
      {{false, 128, 16, 1024, 0, 0}, 3, 8, 384 + 32},
      {{false, 128, 16, 1024, 0, 0}, 7, 0, 1008},
      {{false, 128, 16, 1024, 0, 0}, 17, 1, 2048 + 128 + 18},
      // The second quarter of the 128 bytes.
      {{false, 128, 16, 1024, 32, 0}, 1, 0, 128 + 48},
      {{false, 128, 16, 1024, 32, 0}, 2, 8, 256 + 16},
      // Transposed: eight columns of one k lie in a row.
      {{true, 16, 128, 256, 0, 0}, 5, 0, 10},
      {{true, 16, 128, 256, 0, 0}, 0, 3, 48},
      {{true, 16, 128, 256, 0, 0}, 8, 0, 256},
      {{true, 16, 128, 256, 0, 0}, 0, 8, 128},
      {{true, 32, 1024, 512, 0, 0}, 8, 0, 16},
      {{true, 32, 1024, 512, 0, 0}, 8, 4, 128},
      {{true, 32, 1024, 512, 0, 0}, 16, 1, 1024 + 32},
      {{true, 64, 2048, 512, 0, 0}, 31, 2, 128 + 32 + 14},
      {{true, 64, 2048, 512, 0, 0}, 32, 9, 2048 + 512 + 64},
      {{true, 128, 2048, 1024, 0, 0}, 0, 1, 144},
      {{true, 128, 2048, 1024, 0, 0}, 8, 1, 128},
      {{true, 128, 2048, 1024, 0, 0}, 63, 15, 1024 + 896 + 14},
      {{true, 128, 4096, 1024, 0, 0}, 64, 0, 4096},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    wgmma_run_place(&rows[i].layout, rows[i].byte, rows[i].column, 128,
                    rows[i].k + 1);
}

// A base offset of b says that the pattern starts at 128 b behind a multiple of
// 1,024 bytes; otherwise it starts at a multiple of 1,024, 512 or 256.
static void test_pattern_starts(void **state) {
  (void)state;
  static const struct {
    WgmmaLayout layout;
    unsigned column, k, byte;
  } rows[] = {
      // The first line of the pattern is not exchanged, wherever it is.
      {{false, 128, 16, 1024, 128, 1}, 0, 8, 128 + 16},
      {{false, 128, 16, 1024, 384, 3}, 0, 0, 384},
      {{false, 128, 16, 1024, 384, 3}, 1, 0, 384 + 128 + 16},
      {{false, 128, 16, 1024, 384, 3}, 5, 8, 384 + 640 + 64},
      {{false, 128, 16, 1024, 896, 7}, 7, 0, 896 + 896 + 112},
      {{false, 128, 16, 1024, 896 + 32, 7}, 2, 0, 896 + 256},
      {{false, 128, 16, 1024, 640, 5}, 9, 0, 640 + 1024 + 128 + 16},
      {{false, 64, 16, 512, 128, 1}, 2, 0, 128 + 128 + 16},
      {{false, 64, 16, 512, 128, 1}, 7, 8, 128 + 448 + 32},
      {{false, 64, 16, 512, 384, 3}, 5, 0, 384 + 320 + 32},
      {{false, 64, 16, 512, 896, 7}, 3, 0, 896 + 192 + 16},
      {{false, 32, 16, 256, 128, 1}, 3, 0, 128 + 96},
      {{false, 32, 16, 256, 128, 1}, 4, 0, 128 + 128 + 16},
      {{false, 32, 16, 256, 640, 5}, 6, 8, 640 + 192},
      {{true, 128, 2048, 1024, 256, 2}, 8, 0, 256 + 16},
      {{true, 128, 2048, 1024, 256, 2}, 8, 1, 256 + 128},
      {{true, 64, 2048, 512, 128, 1}, 0, 2, 128 + 128 + 16},
      {{true, 32, 1024, 512, 384, 3}, 8, 4, 384 + 128},
      // Without an offset, a matrix that starts within the pattern.
      {{false, 128, 16, 1024, 384, 0}, 0, 0, 384 + 48},
      {{false, 128, 16, 1024, 384, 0}, 5, 0, 1024},
      {{false, 128, 16, 1024, 384, 0}, 6, 0, 1024 + 128 + 16},
      {{false, 64, 16, 512, 128, 0}, 0, 0, 128 + 16},
      {{false, 64, 16, 512, 128, 0}, 6, 8, 512 + 16},
      {{false, 32, 16, 256, 128, 0}, 0, 0, 128 + 16},
      {{false, 32, 16, 256, 128, 0}, 4, 0, 256},
      {{true, 128, 2048, 1024, 128, 0}, 0, 0, 128 + 16},
      // Without a swizzle the base offset says nothing.
      {{false, 16, 128, 256, 128, 5}, 0, 8, 128 + 128},
      {{true, 16, 128, 256, 384, 3}, 8, 0, 384 + 256},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    wgmma_run_place(&rows[i].layout, rows[i].byte, rows[i].column, 128,
                    rows[i].k + 1);
}

// Parts of a matrix lie in the same place where an offset is 0.
static void test_zero_offsets(void **state) {
  (void)state;
  static const struct {
    WgmmaLayout layout;
    unsigned byte, column, period, sum;
  } rows[] = {
      {{false, 128, 0, 0, 0, 0}, 128 + 16, 1, 8, 1},
      {{false, 64, 0, 0, 0, 0}, 128 + 16, 2, 8, 1},
      {{false, 32, 0, 0, 0, 0}, 128, 4, 8, 9},
      {{false, 16, 128, 0, 0, 0}, 128 + 16, 1, 8, 9},
      // The elements 0 and 8 of k, 1 and 9 in A.
      {{false, 16, 0, 128, 0, 0}, 0, 0, 128, 1 + 9},
      {{false, 16, 0, 0, 0, 0}, 18, 1, 8, 2 + 10},
      {{true, 128, 0, 1024, 0, 0}, 0, 0, 64, 1},
      {{true, 64, 0, 512, 0, 0}, 512 + 2, 1, 32, 9},
      {{true, 32, 0, 256, 0, 0}, 16, 8, 16, 1},
      {{true, 128, 2048, 0, 0, 0}, 2048, 64, 128, 1 + 9},
      {{true, 16, 128, 0, 0, 0}, 128 + 16, 0, 8, 10},
      {{true, 16, 0, 128, 0, 0}, 128 + 16, 8, 128, 2 + 10},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    wgmma_run_place(&rows[i].layout, rows[i].byte, rows[i].column,
                    rows[i].period, rows[i].sum);
}

// B, of ones, lies near the end of the largest shared memory, at an address of
// more than the 17 bits that 128 KB need.
static int run_at_end(unsigned distance) {
  enum { SHARED = 227 * 1024 };
  static char text[4096];
  static float out[128];
  snprintf(text, sizeof text,
           ".version 8.5\n.target sm_90a\n.address_size 64\n"
           ".extern .shared .align 1024 .b8 s[];\n"
           ".visible .entry k(.param .u64 out_p) {\n"
           ".reg .b32 %%a, %%r<9>, %%t; .reg .b64 %%d<9>, %%out;\n"
           ".reg .f32 %%f<4>; .reg .pred %%p;\n"
           "ld.param.u64 %%out, [out_p]; mov.u32 %%t, %%tid.x;\n"
           "mul.wide.u32 %%d1, %%t, 4; add.u64 %%out, %%out, %%d1;\n"
           "mov.b32 %%a, 0x3c003c00; mov.u32 %%r1, s;\n"
           "add.u32 %%r2, %%r1, %u; mad.lo.u32 %%r3, %%t, 4, %%r2;\n"
           "setp.ge.u32 %%p, %%t, 64; @!%%p st.shared.b32 [%%r3], %%a;\n"
           "add.u32 %%r2, %%r1, %u; shr.u32 %%r2, %%r2, 4;\n"
           "cvt.u64.u32 %%d2, %%r2; add.u64 %%d2, %%d2, 0x0000001000080000;\n"
           "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\n"
           "{%%f0, %%f1, %%f2, %%f3}, {%%a, %%a, %%a, %%a}, %%d2, 0, 1, 1, 0;\n"
           "wgmma.commit_group.sync.aligned;\n"
           "wgmma.wait_group.sync.aligned 0;\n"
           "st.global.f32 [%%out], %%f0; ret; }\n",
           SHARED - 256, SHARED - distance);
  CUmodule module = kit_load_text(text);
  CUdeviceptr memory = kit_upload(NULL, sizeof out);
  void *params[] = {&memory};
  const int error =
      kit_run(module, "k", (KitShape){{1}, {128}, SHARED}, params);
  if (error) return error;
  kit_download(out, memory, sizeof out);
  cuMemFree_v2(memory);
  cuModuleUnload(module);
  for (int i = 0; i < 128; i++) assert_true(out[i] == 16);
  return 0;
}

static void test_end(void **state) {
  (void)state;
  assert_int_equal(run_at_end(256), 0);
  assert_string_equal(kit_reports(), "");
  assert_int_equal(run_at_end(240), 700);
  assert_string_equal(kit_reports(), "out-of-bounds ");
  kit_reopen();
}

// A term is lost if it is a certain number of bits below the largest number.
static void test_cut_sums(void **state) {
  (void)state;
  WgmmaCase c = {.d = "f32",
                 .a = E4M3,
                 .b = E5M2,
                 .columns = 16,
                 .a_at = K128,
                 .b_at = K128,
                 .scale_a = 1,
                 .scale_b = 1};
  c.start = 16384;
  wgmma_run(&c);
  setenv("TILE_SIM_SUM", "hardware", 1);
  c.unit = 2;
  wgmma_run(&c);
  unsetenv("TILE_SIM_SUM");
}

// All forms, on zeros.
static void test_forms(void **state) {
  (void)state;
  static uint32_t out[128];
  CUmodule module = kit_load("wgmma_forms.ptx");
  CUdeviceptr memory = kit_upload(NULL, sizeof out);
  void *params[] = {&memory};
  assert_int_equal(kit_run(module, "forms", (KitShape){{1}, {128}, 0}, params),
                   0);
  kit_download(out, memory, sizeof out);
  cuModuleUnload(module);
  for (int i = 0; i < 128; i++) assert_int_equal(out[i], 0);
  assert_string_equal(kit_reports(), "");
}

static uint16_t half_of(int value) {
  int exponent = 0;
  while (value >> (exponent + 1)) exponent++;
  const int fraction = value << (10 - exponent) & 0x3ff;
  return (uint16_t)(value ? (15 + exponent) << 10 | fraction : 0);
}

// A kernel that nvcc has compiled, with two groups of warps.
static void test_matmul(void **state) {
  (void)state;
  enum { M = 256, N = 128, K = 320 };
  static uint16_t a[M * K], b[N * K];
  static int ia[M * K], ib[N * K];
  static float c[M * N];
  uint32_t seed = 5;
  for (int i = 0; i < M * K; i++)
    a[i] = half_of(ia[i] = (int)(kit_random(&seed) >> 9 & 15));
  for (int i = 0; i < N * K; i++)
    b[i] = half_of(ib[i] = (int)(kit_random(&seed) >> 9 & 15));
  CUmodule module = kit_load("wgmma.ptx");
  CUdeviceptr da = kit_upload(a, sizeof a), db = kit_upload(b, sizeof b);
  CUdeviceptr dc = kit_upload(NULL, sizeof c);
  int n = N, k = K;
  void *params[] = {&da, &db, &dc, &n, &k};
  const KitShape shape = {{N / 128, M / 128}, {256}, 3 * 256 * 64 * 2};
  assert_int_equal(kit_run(module, "matmul", shape, params), 0);
  kit_download(c, dc, sizeof c);
  cuMemFree_v2(da);
  cuMemFree_v2(db);
  cuModuleUnload(module);
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int want = 0;
      for (int x = 0; x < K; x++) want += ia[i * K + x] * ib[j * K + x];
      if ((int)c[i * N + j] != want)
        fail_msg("%d, %d: %g, not %d", i, j, (double)c[i * N + j], want);
    }
  }
  assert_string_equal(kit_reports(), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_pattern_starts),
      cmocka_unit_test(test_zero_offsets),
      cmocka_unit_test(test_end),
      cmocka_unit_test(test_operands),
      cmocka_unit_test(test_sparse),
      cmocka_unit_test(test_cut_sums),
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_matmul),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
