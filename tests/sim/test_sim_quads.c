// test_sim_quads.c -- mma.sync.m8n8k4 of f16: four products at once.
//
// The places of elements are the manual's formulas, by the number of the lane.
// All numbers are small integers, so that every sum is exact in f16.
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

enum { LANES = 32, PRODUCTS = 4, M = 8, N = 8, K = 4 };
enum { WORDS = 12 }; // of a lane: A, B, and C in up to eight registers

typedef struct {
  const char *a, *b, *d_type, *c_type; // a, b: "row" or "col"
} Form;

typedef struct {
  int row, column;
} Place;

static bool is_row(const char *layout) {
  return strcmp(layout, "row") == 0;
}

static bool is_half(const char *type) {
  return strcmp(type, "f16") == 0;
}

static Place place_a(const Form *f, int lane, int i) {
  if (is_row(f->a)) return (Place){lane < 16 ? lane % 4 : lane % 4 + 4, i};
  return (Place){lane < 16 ? i : i + 4, lane % 4};
}

static Place place_b(const Form *f, int lane, int i) {
  if (is_row(f->b)) return (Place){lane % 4, lane < 16 ? i : i + 4};
  return (Place){i, lane < 16 ? lane % 4 : lane % 4 + 4};
}

// C and D are placed by their own types.
static Place place_c(const char *type, int lane, int i) {
  if (is_half(type)) return (Place){lane < 16 ? lane % 4 : lane % 4 + 4, i};
  const int x = (lane & 1) + (i & 2);
  return (Place){lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
}

typedef struct {
  int a[M][K], b[K][N], c[M][N];
} Product;

// Lanes 0 to 3 and 16 to 19 have the first product.
static int product_of(int lane) {
  return lane % 16 / 4;
}

static void put_half(uint32_t *words, int i, int value) {
  words[i / 2] |= half_bits((float)value) << (i % 2 * 16);
}

static void fill(const Form *f, const Product *products,
                 uint32_t words[LANES][WORDS]) {
  memset(words, 0, sizeof(uint32_t) * LANES * WORDS);
  for (int lane = 0; lane < LANES; lane++) {
    const Product *p = &products[product_of(lane)];
    for (int i = 0; i < K; i++) {
      const Place a = place_a(f, lane, i), b = place_b(f, lane, i);
      put_half(words[lane], i, p->a[a.row][a.column]);
      put_half(words[lane] + 2, i, p->b[b.row][b.column]);
    }
    for (int i = 0; i < N; i++) {
      const Place at = place_c(f->c_type, lane, i);
      const int c = p->c[at.row][at.column];
      if (is_half(f->c_type))
        put_half(words[lane] + 4, i, c);
      else
        words[lane][4 + i] = single_bits((float)c);
    }
  }
}

static void run(const Form *f, uint32_t in[LANES][WORDS],
                uint32_t out[LANES][N]) {
  const char *d = is_half(f->d_type) ? "{%r21, %r22, %r23, %r24}"
                                     : "{%r21, %r22, %r23, %r24, %r25, %r26, "
                                       "%r27, %r28}";
  const char *c = is_half(f->c_type) ? "{%r5, %r6, %r7, %r8}"
                                     : "{%r5, %r6, %r7, %r8, %r9, %r10, %r11, "
                                       "%r12}";
  char text[4096];
  int length = snprintf(text, sizeof text,
                        "mul.wide.u32 %%d1, %%t, %d; add.u64 %%d2, %%in, %%d1;"
                        "mul.wide.u32 %%d3, %%t, 32; add.u64 %%d4, %%out, %%d3;"
                        "\n",
                        4 * WORDS);
  for (int i = 0; i < WORDS; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "ld.global.u32 %%r%d, [%%d2+%d];\n", i + 1, 4 * i);
  for (int i = 0; i < N; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "mov.u32 %%r%d, 0;\n", 21 + i);
  length += snprintf(text + length, sizeof text - (size_t)length,
                     "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s, "
                     "{%%r1, %%r2}, {%%r3, %%r4}, %s;\n",
                     f->a, f->b, f->d_type, f->c_type, d, c);
  for (int i = 0; i < N; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "st.global.u32 [%%d4+%d], %%r%d;\n", 4 * i, 21 + i);
  assert_int_equal(kit_map(kit_load_body(text), LANES, in,
                           sizeof(uint32_t) * LANES * WORDS, out,
                           sizeof(uint32_t) * LANES * N),
                   0);
}

static uint32_t wanted(const Form *f, const Product *p, Place at) {
  int sum = p->c[at.row][at.column];
  for (int k = 0; k < K; k++) sum += p->a[at.row][k] * p->b[k][at.column];
  return is_half(f->d_type) ? half_bits((float)sum) : single_bits((float)sum);
}

static void check(const Form *f, const Product *products) {
  static uint32_t in[LANES][WORDS], out[LANES][N];
  fill(f, products, in);
  run(f, in, out);
  const bool half = is_half(f->d_type);
  for (int lane = 0; lane < LANES; lane++) {
    for (int i = 0; i < N; i++) {
      const uint32_t have =
          half ? out[lane][i / 2] >> (i % 2 * 16) & 0xffff : out[lane][i];
      const Place at = place_c(f->d_type, lane, i);
      const uint32_t want = wanted(f, &products[product_of(lane)], at);
      if (have != want)
        fail_msg("%s.%s.%s.%s: lane %d, element %d: %x, not %x", f->a, f->b,
                 f->d_type, f->c_type, lane, i, have, want);
    }
  }
}

static void draw(Product *p, uint32_t *seed) {
  for (int i = 0; i < M; i++)
    for (int k = 0; k < K; k++) p->a[i][k] = (int)(kit_random(seed) >> 8) % 7;
  for (int k = 0; k < K; k++)
    for (int j = 0; j < N; j++) p->b[k][j] = (int)(kit_random(seed) >> 8) % 9;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) p->c[i][j] = (int)(kit_random(seed) >> 8) % 99;
  for (int i = 0; i < K; i++) p->a[i][i] -= 5, p->b[i][i] -= 3;
}

static void test_products(void **state) {
  (void)state;
  static const char *const layouts[] = {"row", "col"};
  static const char *const types[][2] = {
      {"f16", "f16"}, {"f32", "f16"}, {"f32", "f32"}};
  Product products[PRODUCTS];
  uint32_t seed = 11;
  for (int i = 0; i < PRODUCTS; i++) draw(&products[i], &seed);
  for (int i = 0; i < 12; i++)
    check(&(Form){layouts[i & 1], layouts[i >> 1 & 1], types[i >> 2][0],
                  types[i >> 2][1]},
          products);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
