// test_sim_wmma.c -- nvcuda::wmma as nvcc compiles it, against whole numbers.
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

typedef enum { F16, BF16, F32, F64, S8, U8, S32 } Element;

typedef struct {
  const char *name; // of the kernel, before the shape
  int m, n, k;
  Element ab, c;
} Case;

#define SHAPES(name, ab, c)                                                    \
  {name, 16, 16, 16, ab, c}, {name, 8, 32, 16, ab, c}, {                       \
    name, 32, 8, 16, ab, c                                                     \
  }

static const Case cases[] = {
    SHAPES("f16_f32", F16, F32),    SHAPES("f16_f16", F16, F16),
    SHAPES("bf16_f32", BF16, F32),  SHAPES("s8_s32", S8, S32),
    SHAPES("u8_s32", U8, S32),      {"tf32_f32", 16, 16, 8, F32, F32},
    {"f64_f64", 8, 8, 4, F64, F64},
};

static size_t size_of(Element element) {
  static const size_t sizes[] = {2, 2, 4, 8, 1, 1, 4};
  return sizes[element];
}

// Writes an element of a matrix of whole numbers of a few bits, which every
// type holds.
static void put(void *array, int index, Element element, int v) {
  const uint16_t half = (uint16_t)half_bits((float)v);
  const uint16_t brain = (uint16_t)(single_bits((float)v) >> 16);
  const uint32_t single = single_bits((float)v);
  const double wide = v;
  const int8_t byte = (int8_t)v;
  const void *from[] = {&half, &brain, &single, &wide, &byte, &byte, &v};
  const size_t size = size_of(element);
  memcpy((char *)array + (size_t)index * size, from[element], size);
}

typedef struct {
  int a[32 * 16], b[16 * 32], c[32 * 32];
} Numbers;

static void draw(const Case *c, Numbers *x) {
  uint32_t seed = 77;
  const int least = c->ab == U8 ? 0 : -3;
  for (int i = 0; i < c->m * c->k; i++)
    x->a[i] = least + (int)(kit_random(&seed) % 7);
  for (int i = 0; i < c->k * c->n; i++)
    x->b[i] = least + (int)(kit_random(&seed) % 7);
  for (int i = 0; i < c->m * c->n; i++)
    x->c[i] = (int)(kit_random(&seed) % 100) - 50;
}

// A matrix in the type, by rows or by columns.
static CUdeviceptr upload(const int *from, int rows, int columns,
                          Element element, bool by_columns) {
  static double memory[32 * 32];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      put(memory, by_columns ? j * rows + i : i * columns + j, element,
          from[i * columns + j]);
  return kit_upload(memory, (size_t)(rows * columns) * size_of(element));
}

static void check(const Case *c, const Numbers *x, const char *kernel,
                  const char *found) {
  for (int i = 0; i < c->m * c->n; i++) {
    double wanted = 0;
    int sum = x->c[i];
    for (int k = 0; k < c->k; k++)
      sum += 2 * x->a[i / c->n * c->k + k] * x->b[k * c->n + i % c->n];
    put(&wanted, 0, c->c, sum);
    if (memcmp(&wanted, found + (size_t)i * size_of(c->c), size_of(c->c)) != 0)
      fail_msg("%s: row %d, column %d", kernel, i / c->n, i % c->n);
  }
}

static void run(CUmodule module, const Case *c, int layouts) {
  static Numbers x;
  static double out[32 * 32];
  static const char *const names[] = {"row_major", "col_major"};
  char kernel[100];
  draw(c, &x);
  snprintf(kernel, sizeof kernel, "%s_%dx%dx%d_%s_%s", c->name, c->m, c->n,
           c->k, names[layouts & 1], names[layouts >> 1]);
  CUdeviceptr a = upload(x.a, c->m, c->k, c->ab, layouts & 1);
  CUdeviceptr b = upload(x.b, c->k, c->n, c->ab, layouts >> 1);
  CUdeviceptr start = upload(x.c, c->m, c->n, c->c, false);
  const size_t size = (size_t)(c->m * c->n) * size_of(c->c);
  CUdeviceptr d = kit_upload(NULL, size);
  void *params[] = {&a, &b, &start, &d};
  assert_int_equal(kit_run(module, kernel, (KitShape){{1}, {32}, 0}, params),
                   0);
  kit_download(out, d, size);
  check(c, &x, kernel, (const char *)out);
  assert_int_equal(cuMemFree_v2(a) | cuMemFree_v2(b) | cuMemFree_v2(start), 0);
}

static void test_shapes(void **state) {
  CUmodule module = kit_load("wmma.ptx");
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int layouts = 0; layouts < 4; layouts++)
      run(module, &cases[i], layouts);
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

// -- Less than a byte --------------------------------------------------------

static int field(const uint32_t *words, int index, int bits, bool is_signed) {
  const int each = 32 / bits;
  const uint32_t all = (1u << bits) - 1;
  const int v = (int)(words[index / each] >> index % each * bits & all);
  return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

typedef enum { PRODUCT, XOR, AND } Term;

static void run_small(CUmodule module, const char *kernel, int bits,
                      bool is_signed, Term term) {
  uint32_t a[32], b[32], seed = 3;
  int start[64], out[64];
  const int k = 1024 / bits / 8;
  for (int i = 0; i < 32; i++)
    a[i] = kit_random(&seed), b[i] = kit_random(&seed);
  for (int i = 0; i < 64; i++) start[i] = (int)(kit_random(&seed) % 1000);
  CUdeviceptr da = kit_upload(a, sizeof a), db = kit_upload(b, sizeof b);
  CUdeviceptr dc = kit_upload(start, sizeof start);
  CUdeviceptr dd = kit_upload(NULL, sizeof out);
  void *params[] = {&da, &db, &dc, &dd};
  assert_int_equal(kit_run(module, kernel, (KitShape){{1}, {32}, 0}, params),
                   0);
  kit_download(out, dd, sizeof out);
  for (int i = 0; i < 64; i++) {
    int sum = start[i];
    for (int j = 0; j < k; j++) {
      const int x = field(a, i / 8 * k + j, bits, is_signed);
      const int y = field(b, i % 8 * k + j, bits, is_signed);
      sum += term == PRODUCT ? x * y : term == XOR ? x ^ y : x & y;
    }
    assert_int_equal(out[i], sum);
  }
  assert_int_equal(cuMemFree_v2(da) | cuMemFree_v2(db) | cuMemFree_v2(dc), 0);
}

static void test_small(void **state) {
  CUmodule module = kit_load("wmma.ptx");
  (void)state;
  run_small(module, "s4_s32", 4, true, PRODUCT);
  run_small(module, "u4_s32", 4, false, PRODUCT);
  run_small(module, "b1_xor", 1, false, XOR);
  run_small(module, "b1_and", 1, false, AND);
  cuModuleUnload(module);
}

// Through shared memory with padding; C and D by columns.
static void test_padded(void **state) {
  static const Case c = {"padded", 16, 16, 16, F16, F32};
  static Numbers x;
  float out[256];
  CUmodule module = kit_load("wmma.ptx");
  (void)state;
  draw(&c, &x);
  CUdeviceptr a = upload(x.a, 16, 16, F16, false);
  CUdeviceptr b = upload(x.b, 16, 16, F16, true);
  CUdeviceptr start = upload(x.c, 16, 16, F32, true);
  CUdeviceptr d = kit_upload(NULL, sizeof out);
  void *params[] = {&a, &b, &start, &d};
  assert_int_equal(kit_run(module, "padded", (KitShape){{1}, {32}, 0}, params),
                   0);
  kit_download(out, d, sizeof out);
  for (int i = 0; i < 256; i++) {
    int sum = x.c[i];
    for (int k = 0; k < 16; k++)
      sum += x.a[i / 16 * 16 + k] * x.b[k * 16 + i % 16];
    assert_int_equal((int)out[i % 16 * 16 + i / 16], sum);
  }
  assert_int_equal(cuMemFree_v2(a) | cuMemFree_v2(b) | cuMemFree_v2(start), 0);
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_small),
      cmocka_unit_test(test_padded),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
