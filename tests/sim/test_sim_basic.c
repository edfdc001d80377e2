// test_sim_basic.c -- nvcc's PTX for everyday kernels gives the same results as
// C.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"

static CUmodule module;

static int open_all(void **state) {
  (void)state;
  kit_open();
  module = kit_load("basic.ptx");
  return 0;
}

static int close_all(void **state) {
  (void)state;
  cuModuleUnload(module);
  kit_close();
  return 0;
}

static void test_vector_add(void **state) {
  (void)state;
  static float x[1000], y[1000], z[1000];
  for (int i = 0; i < 1000; i++) x[i] = (float)i, y[i] = 1.0f / (float)(i + 1);
  CUdeviceptr dx = kit_upload(x, sizeof x), dy = kit_upload(y, sizeof y);
  CUdeviceptr dz = kit_upload(NULL, sizeof z);
  int n = 1000;
  void *params[] = {&dx, &dy, &dz, &n};
  assert_int_equal(
      kit_run(module, "vector_add", (KitShape){{8}, {128}, 0}, params), 0);
  kit_download(z, dz, sizeof z);
  for (int i = 0; i < 1000; i++) assert_true(z[i] == x[i] + y[i]);
  cuMemFree_v2(dx);
  cuMemFree_v2(dy);
}

static void test_softmax(void **state) {
  (void)state;
  enum { ROWS = 3, COLUMNS = 777 };
  static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
  uint32_t seed = 7;
  for (int i = 0; i < ROWS * COLUMNS; i++)
    x[i] = (float)(kit_random(&seed) % 2000) / 100.0f - 10.0f;
  CUdeviceptr dx = kit_upload(x, sizeof x), dy = kit_upload(NULL, sizeof y);
  int n = COLUMNS;
  void *params[] = {&dx, &dy, &n};
  assert_int_equal(
      kit_run(module, "softmax", (KitShape){{ROWS}, {256}, 0}, params), 0);
  kit_download(y, dy, sizeof y);
  cuMemFree_v2(dx);
  for (int r = 0; r < ROWS; r++) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++) sum += exp((double)x[r * COLUMNS + i]);
    for (int i = 0; i < COLUMNS; i++) {
      const double want = exp((double)x[r * COLUMNS + i]) / sum;
      assert_true(fabs((double)y[r * COLUMNS + i] - want) < 1e-5 * want);
    }
  }
}

static void test_transpose(void **state) {
  (void)state;
  enum { N = 70 };
  static int in[N * N], out[N * N];
  for (int i = 0; i < N * N; i++) in[i] = i * 3;
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  int n = N;
  void *params[] = {&din, &dout, &n};
  assert_int_equal(
      kit_run(module, "transpose", (KitShape){{3, 3}, {32, 8}, 0}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) assert_int_equal(out[i * N + j], in[j * N + i]);
}

static void test_histogram(void **state) {
  (void)state;
  static unsigned char in[5000];
  int bins[256] = {0}, want[256] = {0};
  uint32_t seed = 3;
  for (int i = 0; i < 5000; i++) {
    in[i] = (unsigned char)(kit_random(&seed) >> 9);
    want[in[i]]++;
  }
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dbins = kit_upload(bins, sizeof bins);
  int n = 5000;
  void *params[] = {&din, &dbins, &n};
  assert_int_equal(
      kit_run(module, "histogram", (KitShape){{4}, {128}, 0}, params), 0);
  kit_download(bins, dbins, sizeof bins);
  cuMemFree_v2(din);
  assert_memory_equal(bins, want, sizeof bins);
}

static void test_spin_lock(void **state) {
  (void)state;
  int most = 0;
  CUdeviceptr out = kit_upload(&most, sizeof most);
  void *params[] = {&out};
  assert_int_equal(
      kit_run(module, "spin_lock", (KitShape){{3}, {64}, 0}, params), 0);
  kit_download(&most, out, sizeof most);
  assert_int_equal(most, 192);
}

static void test_grid_barrier(void **state) {
  (void)state;
  int arrived = 0, seen[40];
  CUdeviceptr a = kit_upload(&arrived, sizeof arrived);
  CUdeviceptr out = kit_upload(NULL, sizeof seen);
  void *params[] = {&a, &out};
  assert_int_equal(
      kit_run(module, "grid_barrier", (KitShape){{40}, {32}, 0}, params), 0);
  kit_download(seen, out, sizeof seen);
  cuMemFree_v2(a);
  for (int i = 0; i < 40; i++) assert_int_equal(seen[i], 40);
}

static void test_votes(void **state) {
  (void)state;
  int in[32];
  unsigned out[32 * 8], ballot = 0, sum = 0;
  for (int i = 0; i < 32; i++) in[i] = i * 5 % 7 - 2;
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(kit_run(module, "votes", (KitShape){{1}, {32}, 0}, params),
                   0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  for (int i = 0; i < 32; i++) {
    ballot |= (unsigned)(in[i] > 0) << i;
    sum += (unsigned)in[i];
  }
  for (int i = 0; i < 32; i++) {
    unsigned same = 0;
    for (int j = 0; j < 32; j++) same |= (unsigned)(in[j] == in[i]) << j;
    const unsigned *o = out + i * 8;
    assert_int_equal(o[0], ballot);
    assert_int_equal(o[1], 0);
    assert_int_equal(o[2], 1);
    assert_int_equal(o[3], same);
    assert_int_equal(o[4], sum);
    assert_int_equal((int)o[5], in[i % 16 >= 3 ? i - 3 : i]);
    assert_int_equal((int)o[6], in[i + 5 < 32 ? i + 5 : i]);
    assert_int_equal((int)o[7], in[i / 8 * 8 + i * 7 % 8]);
  }
}

static long mix(long a, int b) {
  return b % 3 ? a * 31 + b : a ^ (long)((unsigned long)b << 7);
}

static void test_calls(void **state) {
  (void)state;
  long out[64];
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&dout};
  assert_int_equal(kit_run(module, "calls", (KitShape){{1}, {64}, 0}, params),
                   0);
  kit_download(out, dout, sizeof out);
  for (int t = 0; t < 64; t++) {
    long a = t;
    int local[8];
    for (int i = 0; i < 5; i++) a = mix(a, i + t);
    for (int i = 0; i < 8; i++) local[(i * 3 + t) & 7] = (int)a + i;
    assert_int_equal(out[t], a + local[t & 7]);
  }
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = (uint64_t)b << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    const uint32_t s = selector >> 4 * i & 15;
    result |= ((uint32_t)(both >> 8 * (s & 7)) & 0xff) << 8 * i;
  }
  return result;
}

__extension__ typedef unsigned __int128 Uint128;

static void check_integers(uint32_t a, uint32_t b, const uint64_t *o) {
  const uint64_t w = (uint64_t)a << 32 | b;
  const int32_t sa = (int32_t)a, sb = (int32_t)b;
  uint32_t reversed = 0;
  for (int i = 0; i < 32; i++) reversed |= (a >> i & 1) << (31 - i);
  assert_int_equal(o[0], (uint64_t)a * b >> 32);
  assert_int_equal(o[1], (uint32_t)((int64_t)sa * sb >> 32));
  assert_int_equal(o[2], (uint32_t)(__builtin_popcount(a) |
                                    (b ? __builtin_clz(b) : 32) << 8 |
                                    __builtin_ffs(sa) << 16));
  assert_int_equal(o[3], reversed);
  // The intrinsic clears bit 3 of each choice.
  assert_int_equal(o[4], permute(a, b, 0x5231));
  const uint64_t ba = (uint64_t)b << 32 | a;
  assert_int_equal(o[5], (uint32_t)(ba << (a & 31) >> 32));
  assert_int_equal(o[6], (uint32_t)(ba >> ((b & 63) > 32 ? 32 : b & 63)));
  assert_int_equal(o[7], b ? a / b + (uint64_t)(a % b) * 7 : 0);
  assert_int_equal(o[8], (uint64_t)((int64_t)w / (sb | 1)));
  assert_int_equal(o[9], (uint64_t)((Uint128)w * (w + 12345) >> 64));
  int dot = 77;
  for (int i = 0; i < 32; i += 8) dot += (int8_t)(a >> i) * (int8_t)(b >> i);
  assert_int_equal(o[10], (uint64_t)(int64_t)dot);
  assert_int_equal(o[11], (uint32_t)(sa >> (b & 31)) + (w * 3 >> 17));
}

static void test_integers(void **state) {
  (void)state;
  uint32_t in[128], seed = 99;
  uint64_t out[64 * 12];
  for (int i = 0; i < 128; i++)
    in[i] = i < 8 ? (uint32_t) - (i & 1) >> (i / 2) : kit_random(&seed);
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(
      kit_run(module, "integers", (KitShape){{1}, {64}, 0}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  for (int i = 0; i < 64; i++)
    check_integers(in[2 * i], in[2 * i + 1], out + i * 12);
}

static void test_swizzled(void **state) {
  (void)state;
  static float in[1024], out[1024];
  for (int i = 0; i < 1024; i++) in[i] = (float)i;
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(
      kit_run(module, "swizzled", (KitShape){{1}, {64}, 0}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  for (int i = 0; i < 256; i++)
    for (int k = 0; k < 4; k++)
      assert_true(out[i * 4 + k] == in[(i % 32 * 8 + i / 32) * 4 + k]);
}

static void test_prints(void **state) {
  (void)state;
  int n = 3;
  void *params[] = {&n};
  fflush(stdout);
  assert_int_equal(kit_run(module, "prints", (KitShape){{1}, {32}, 0}, params),
                   0);
}

static void test_dynamic(void **state) {
  (void)state;
  int in[64], out[64];
  for (int i = 0; i < 64; i++) in[i] = i * i;
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(
      kit_run(module, "dynamic", (KitShape){{1}, {64}, sizeof in}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  for (int i = 0; i < 64; i++)
    assert_int_equal(out[i], in[63 - i] + i % 4 * 100);
}

static double single_reference(int function, double x) {
  switch (function) {
  case 0: return sin(x);
  case 1: return cos(x);
  case 2: return tan(x);
  case 3: return exp(x);
  case 4: return log(fabs(x));
  case 5: return pow(fabs(x), 1.5);
  case 6: return tanh(x);
  case 7: return erf(x);
  case 8: return fmod(x, (double)0.7f);
  case 9: return atan2(x, 2);
  case 10: return cbrt(x);
  case 11: return 1 / sqrt(fabs(x));
  case 12: return floor(x) + rint(x);
  case 13: return x / 3;
  case 14: return log1p(fabs(x));
  default: return x * 8;
  }
}

static double double_reference(int function, double x) {
  switch (function) {
  case 0: return sin(x);
  case 1: return exp(x);
  case 2: return log(fabs(x));
  case 3: return pow(fabs(x), 1.5);
  case 4: return sqrt(fabs(x));
  case 5: return x / 3;
  case 6: return fmod(x, 0.7);
  default: return tanh(x);
  }
}

static void test_math_single(void **state) {
  (void)state;
  float in[64], out[64 * 16];
  for (int i = 0; i < 64; i++) in[i] = (float)(i - 30) * 1.37f + 0.11f;
  in[0] = 123456.0f; // a long reduction of the angle
  CUmodule math = kit_load("math.ptx");
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(
      kit_run(math, "math_single", (KitShape){{1}, {64}, 0}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  cuModuleUnload(math);
  for (int i = 0; i < 64 * 16; i++) {
    const double want = single_reference(i % 16, (double)in[i / 16]);
    const double error = fabs((double)out[i] - want);
    if (isinf((float)want) ? (float)want != out[i]
                           : error > 4e-6 * fabs(want) + 1e-37)
      fail_msg("function %d of %g: %g, not %g", i % 16, (double)in[i / 16],
               (double)out[i], want);
  }
}

static void test_math_double(void **state) {
  (void)state;
  double in[64], out[64 * 8];
  for (int i = 0; i < 64; i++) in[i] = (i - 30) * 1.37 + 0.11;
  CUmodule math = kit_load("math.ptx");
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, sizeof out);
  void *params[] = {&din, &dout};
  assert_int_equal(
      kit_run(math, "math_double", (KitShape){{1}, {64}, 0}, params), 0);
  kit_download(out, dout, sizeof out);
  cuMemFree_v2(din);
  cuModuleUnload(math);
  for (int i = 0; i < 64 * 8; i++) {
    const double want = double_reference(i % 8, in[i / 8]);
    if (fabs(out[i] - want) > 1e-14 * fabs(want))
      fail_msg("function %d of %g: %.17g, not %.17g", i % 8, in[i / 8], out[i],
               want);
  }
}

static void test_forms(void **state) {
  (void)state;
  cuModuleUnload(kit_load("forms.ptx"));
}

// The alignment after .ptr is that of the pointer's target.
static void test_pointer_parameter(void **state) {
  (void)state;
  static const char ptx[] =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .f32 a,\n"
      "                  .param .u64 .ptr .global .align 1 to) {\n"
      ".reg .f32 %f; .reg .b64 %d;\n"
      "ld.param.f32 %f, [a]; ld.param.u64 %d, [to]; st.global.f32 [%d], %f;\n"
      "ret;\n}\n";
  const float given = 1.5f;
  float got = 0;
  CUmodule text = kit_load_text(ptx);
  CUdeviceptr to = kit_upload(NULL, sizeof got);
  void *params[] = {(void *)(uintptr_t)&given, &to};
  assert_int_equal(kit_run(text, "k", (KitShape){{1}, {1}, 0}, params), 0);
  kit_download(&got, to, sizeof got);
  assert_true(got == given);
  cuModuleUnload(text);
}

// A register may have the name of a function, which it hides.
static void test_hidden_function(void **state) {
  (void)state;
  uint64_t value = 0;
  CUmodule own = kit_load_text(
      ".version 8.0 .target sm_80 .address_size 64\n"
      ".func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }\n"
      ".entry k(.param .u64 out) { .reg .b64 %o, twice, %d;\n"
      "ld.param.u64 %o, [out]; mov.u64 twice, 5; add.u64 %d, twice, 2;\n"
      "st.global.u64 [%o], %d; ret; }");
  CUdeviceptr address = kit_upload(NULL, sizeof value);
  void *params[] = {&address};
  assert_int_equal(kit_run(own, "k", (KitShape){{1}, {1}, 0}, params), 0);
  kit_download(&value, address, sizeof value);
  assert_int_equal(value, 7);
  assert_int_equal(cuModuleUnload(own), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vector_add),
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_transpose),
      cmocka_unit_test(test_histogram),
      cmocka_unit_test(test_spin_lock),
      cmocka_unit_test(test_grid_barrier),
      cmocka_unit_test(test_votes),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_integers),
      cmocka_unit_test(test_swizzled),
      cmocka_unit_test(test_math_single),
      cmocka_unit_test(test_math_double),
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_prints),
      cmocka_unit_test(test_dynamic),
      cmocka_unit_test(test_pointer_parameter),
      cmocka_unit_test(test_hidden_function),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
