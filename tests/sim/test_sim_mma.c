// test_sim_mma.c -- fragments as the PTX manual's figures place them.
//
// Each row of the table writes the manual's formulas for one shape down again,
// independently of the rule that the simulator uses.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"

// Row and column of element i that a lane holds, by the manual: `g` is the
// lane's group, `t` its place in the group.
typedef void (*Figure)(int g, int t, int i, int *row, int *column);

#define FIGURE(name, row_formula, column_formula)                              \
  static void name(int g, int t, int i, int *row, int *column) {               \
    (void)g, (void)t, (void)i;                                                 \
    *row = (row_formula);                                                      \
    *column = (column_formula);                                                \
  }

FIGURE(a_f16_k8, i < 2 ? g : g + 8, t * 2 + (i & 1))
FIGURE(b_f16_k8, t * 2 + (i & 1), g)
FIGURE(a_f16_k16, (i >= 0 && i < 2) || (i >= 4 && i < 6) ? g : g + 8,
       i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8)
FIGURE(b_f16_k16, i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)
FIGURE(c_m16, i < 2 ? g : g + 8, t * 2 + (i & 1))
FIGURE(a_tf32_k4, i == 0 ? g : g + 8, t)
FIGURE(b_tf32_k4, t, g)
FIGURE(a_tf32_k8, i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4)
FIGURE(b_tf32_k8, i == 0 ? t : t + 4, g)
FIGURE(a_s8_m8, g, t * 4 + i)
FIGURE(b_s8_m8, t * 4 + i, g)
FIGURE(c_m8, g, t * 2 + i)
FIGURE(a_s8_k16, i < 4 ? g : g + 8, t * 4 + (i & 3))
FIGURE(b_s8_k16, t * 4 + i, g)
FIGURE(a_s8_k32, i < 4 || (i >= 8 && i < 12) ? g : g + 8,
       i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16)
FIGURE(b_s8_k32, i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)
FIGURE(a_s4_m8, g, t * 8 + i)
FIGURE(b_s4_m8, t * 8 + i, g)
FIGURE(a_s4_k32, i < 8 ? g : g + 8, t * 8 + (i & 7))
FIGURE(b_s4_k32, t * 8 + i, g)
FIGURE(a_s4_k64, i < 8 || (i >= 16 && i < 24) ? g : g + 8,
       i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32)
FIGURE(b_s4_k64, i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)
FIGURE(a_b1_m8, g, t * 32 + i)
FIGURE(b_b1_m8, t * 32 + i, g)
FIGURE(a_b1_k128, i < 32 ? g : g + 8, t * 32 + (i & 31))
FIGURE(b_b1_k128, t * 32 + i, g)
FIGURE(a_b1_k256, i < 32 || (i >= 64 && i < 96) ? g : g + 8,
       i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128)
FIGURE(b_b1_k256, i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g)

typedef enum { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4, B1 } Element;

typedef struct {
  const char *name, *suffix, *d_type, *a_type, *b_type;
  int m, k, bits;
  Element a_element, b_element;
  Figure a, b, c;
} Case;

static const Case cases[] = {
#define FLOATS(d, type, element, bits, k, fa, fb)                              \
  {                                                                            \
    "m16n8k" #k, "", d, type, type, 16, k, bits, element, element, fa, fb,     \
        c_m16                                                                  \
  }
    FLOATS("f32", "f16", F16, 16, 8, a_f16_k8, b_f16_k8),
    FLOATS("f32", "f16", F16, 16, 16, a_f16_k16, b_f16_k16),
    FLOATS("f16", "f16", F16, 16, 8, a_f16_k8, b_f16_k8),
    FLOATS("f16", "f16", F16, 16, 16, a_f16_k16, b_f16_k16),
    FLOATS("f32", "bf16", BF16, 16, 8, a_f16_k8, b_f16_k8),
    FLOATS("f32", "bf16", BF16, 16, 16, a_f16_k16, b_f16_k16),
    FLOATS("f32", "tf32", TF32, 32, 4, a_tf32_k4, b_tf32_k4),
    FLOATS("f32", "tf32", TF32, 32, 8, a_tf32_k8, b_tf32_k8),
    FLOATS("f32", "e4m3", E4M3, 8, 32, a_s8_k32, b_s8_k32),
    FLOATS("f32", "e5m2", E5M2, 8, 32, a_s8_k32, b_s8_k32),
    FLOATS("f16", "e4m3", E4M3, 8, 32, a_s8_k32, b_s8_k32),
    FLOATS("f16", "e5m2", E5M2, 8, 32, a_s8_k32, b_s8_k32),
#define INTS(ta, ea, tb, eb, bits, m, k, fa, fb, fc)                           \
  { "m" #m "n8k" #k, "", "s32", ta, tb, m, k, bits, ea, eb, fa, fb, fc }
// Values of each sign on either side.
#define SIGNS(bits, m, k, fa, fb, fc)                                          \
  INTS("s" #bits, S##bits, "s" #bits, S##bits, bits, m, k, fa, fb, fc),        \
      INTS("s" #bits, S##bits, "u" #bits, U##bits, bits, m, k, fa, fb, fc),    \
      INTS("u" #bits, U##bits, "s" #bits, S##bits, bits, m, k, fa, fb, fc),    \
      INTS("u" #bits, U##bits, "u" #bits, U##bits, bits, m, k, fa, fb, fc)
    SIGNS(8, 8, 16, a_s8_m8, b_s8_m8, c_m8),
    SIGNS(8, 16, 16, a_s8_k16, b_s8_k16, c_m16),
    SIGNS(8, 16, 32, a_s8_k32, b_s8_k32, c_m16),
    SIGNS(4, 8, 32, a_s4_m8, b_s4_m8, c_m8),
    SIGNS(4, 16, 32, a_s4_k32, b_s4_k32, c_m16),
    SIGNS(4, 16, 64, a_s4_k64, b_s4_k64, c_m16),
#define BITS(m, k, fa, fb, fc)                                                 \
  {"m" #m "n8k" #k,                                                            \
   ".xor.popc",                                                                \
   "s32",                                                                      \
   "b1",                                                                       \
   "b1",                                                                       \
   m,                                                                          \
   k,                                                                          \
   1,                                                                          \
   B1,                                                                         \
   B1,                                                                         \
   fa,                                                                         \
   fb,                                                                         \
   fc},                                                                        \
  {                                                                            \
    "m" #m "n8k" #k, ".and.popc", "s32", "b1", "b1", m, k, 1, B1, B1, fa, fb,  \
        fc                                                                     \
  }
    BITS(8, 128, a_b1_m8, b_b1_m8, c_m8),
    BITS(16, 128, a_b1_k128, b_b1_k128, c_m16),
    BITS(16, 256, a_b1_k256, b_b1_k256, c_m16),
};

// The bits and the value of a small number in each type.
static uint32_t encode(Element element, int v, int *value) {
  static const uint8_t e4m3[] = {0x00, 0x38, 0x40, 0x44}; // 0 1 2 3
  static const uint8_t e5m2[] = {0x00, 0x3c, 0x40, 0x42};
  static const uint16_t f16[] = {0x0000, 0x3c00, 0x4000, 0x4200};
  static const uint16_t bf16[] = {0x0000, 0x3f80, 0x4000, 0x4040};
  const bool is_signed =
      element != U8 && element != U4 && element != B1 && v & 4;
  const int n = v & 3;
  *value = is_signed ? -n : element == B1 ? v & 1 : n;
  switch (element) {
  case F16: return f16[n] | (is_signed ? 0x8000u : 0);
  case BF16: return bf16[n] | (is_signed ? 0x8000u : 0);
  // The bits that a tf32 does not have are ignored.
  case TF32:
    return ((uint32_t)bf16[n] << 16) | (is_signed ? 1u << 31 : 0) | 0x1a53;
  case E4M3: return e4m3[n] | (is_signed ? 0x80u : 0);
  case E5M2: return e5m2[n] | (is_signed ? 0x80u : 0);
  case S4: return (uint32_t)*value & 15;
  case S8: return (uint32_t)*value & 255;
  default: return (uint32_t)*value;
  }
}

typedef struct {
  int a[16][256], b[256][8];
  uint32_t regs[32][16]; // a, then b, then c
} Problem;

static void make_list(char *out, int first, int count, char letter) {
  int used = sprintf(out, "{");
  for (int i = 0; i < count; i++)
    used += sprintf(out + used, "%s%%%c%d", i ? "," : "", letter, first + i);
  sprintf(out + used, "}");
}

static void make_problem(const Case *c, Problem *p, int num_a, int num_b) {
  uint32_t seed = 12345;
  const int each = 32 / c->bits;
  memset(p, 0, sizeof *p);
  for (int lane = 0; lane < 32; lane++) {
    const int g = lane / 4, t = lane % 4;
    for (int i = 0; i < (num_a + num_b) * each; i++) {
      int row, column, value;
      const bool is_a = i < num_a * each;
      const uint32_t bits = encode(is_a ? c->a_element : c->b_element,
                                   (int)(kit_random(&seed) >> 7), &value);
      (is_a ? c->a : c->b)(g, t, is_a ? i : i - num_a * each, &row, &column);
      *(is_a ? &p->a[row][column] : &p->b[row][column]) = value;
      p->regs[lane][i / each] |= bits << i % each * c->bits;
    }
  }
}

static int expected(const Case *c, const Problem *p, int row, int column) {
  int sum = row * 100 + column;
  for (int k = 0; k < c->k; k++) {
    const int a = p->a[row][k], b = p->b[k][column];
    sum += c->a_element != B1         ? a * b
           : strstr(c->suffix, "xor") ? a ^ b
                                      : a & b;
  }
  return sum;
}

static bool is_half(const Case *c) {
  return strcmp(c->d_type, "f16") == 0;
}

// An accumulator lies in a register, or two halves in one.
static int num_registers(const Case *c) {
  return is_half(c) ? c->m / 8 : c->m / 4;
}

static void make_body(char *body, const Case *c, int num_a, int num_b) {
  char la[128], lb[64], lc[64];
  const int num_c = num_registers(c);
  const bool is_float = strcmp(c->d_type, "f32") == 0;
  make_list(la, 10, num_a, 'r');
  make_list(lb, 10 + num_a, num_b, 'r');
  make_list(lc, 30, num_c, is_float ? 'f' : 'r');
  int used = sprintf(body, "mul.wide.u32 %%d1, %%t, 64;\n"
                           "add.u64 %%d2, %%in, %%d1;\n");
  for (int i = 0; i < num_a + num_b; i++)
    used += sprintf(body + used, "ld.global.u32 %%r%d, [%%d2+%d];\n", 10 + i,
                    i * 4);
  for (int i = 0; i < num_c; i++)
    used += sprintf(body + used, "ld.global.%s %%%c%d, [%%d2+%d];\n",
                    is_float ? "f32" : "u32", is_float ? 'f' : 'r', 30 + i,
                    (num_a + num_b + i) * 4);
  used += sprintf(body + used,
                  "mma.sync.aligned.%s.row.col.%s.%s.%s.%s%s %s, %s, %s, %s;\n"
                  "mul.wide.u32 %%d3, %%t, 16; add.u64 %%d4, %%out, %%d3;\n",
                  c->name, c->d_type, c->a_type, c->b_type, c->d_type,
                  c->suffix, lc, la, lb, lc);
  for (int i = 0; i < num_c; i++)
    used +=
        sprintf(body + used, "st.global.%s [%%d4+%d], %%%c%d;\n",
                is_float ? "f32" : "u32", i * 4, is_float ? 'f' : 'r', 30 + i);
}

// Whole numbers of up to eleven bits.
static uint16_t half_of(int v) {
  if (!v) return 0;
  const int size = v < 0 ? -v : v;
  int exponent = 0;
  while (size >> (exponent + 1)) exponent++;
  const int fraction = (size << (10 - exponent)) & 0x3ff;
  return (uint16_t)((v < 0 ? 0x8000 : 0) | (15 + exponent) << 10 | fraction);
}

// Accumulator i as it is in the registers.
static void set_accumulator(const Case *c, uint32_t *registers, int i, int v) {
  const float single = (float)v;
  if (is_half(c))
    registers[i / 2] |= (uint32_t)half_of(v) << i % 2 * 16;
  else if (c->d_type[0] == 'f')
    memcpy(&registers[i], &single, 4);
  else
    registers[i] = (uint32_t)v;
}

static void check_lane(const Case *c, const Problem *p, int lane,
                       const uint32_t found[4]) {
  uint32_t wanted[4] = {0};
  for (int i = 0; i < c->m / 4; i++) {
    int row, column;
    c->c(lane / 4, lane % 4, i, &row, &column);
    set_accumulator(c, wanted, i, expected(c, p, row, column));
  }
  for (int i = 0; i < num_registers(c); i++) {
    if (found[i] != wanted[i])
      fail_msg("%s %s %s to %s: lane %d, register %d: 0x%x, not 0x%x", c->name,
               c->a_type, c->b_type, c->d_type, lane, i, found[i], wanted[i]);
  }
}

static void run_case(const Case *c) {
  static Problem p;
  const int num_a = c->m * c->k * c->bits / 1024;
  const int num_b = 8 * c->k * c->bits / 1024;
  char body[4096];
  uint32_t out[32][4];
  make_problem(c, &p, num_a, num_b);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < c->m / 4; i++) {
      int row, column;
      c->c(lane / 4, lane % 4, i, &row, &column);
      set_accumulator(c, &p.regs[lane][num_a + num_b], i, row * 100 + column);
    }
  }
  make_body(body, c, num_a, num_b);
  assert_int_equal(
      kit_map(kit_load_body(body), 32, p.regs, sizeof p.regs, out, sizeof out),
      0);
  for (int lane = 0; lane < 32; lane++) check_lane(c, &p, lane, out[lane]);
}

// m8n8k4 of f64: A row g, column t; B row t, column g; C row g, column 2 t + i.
static void test_double(void **state) {
  (void)state;
  double in[32][4], out[32][2], a[8][4], b[4][8];
  for (int lane = 0; lane < 32; lane++) {
    const int g = lane / 4, t = lane % 4;
    in[lane][0] = a[g][t] = g * 1.5 - t;
    in[lane][1] = b[t][g] = t * 0.25 + g;
    for (int i = 0; i < 2; i++) in[lane][2 + i] = g * 100 + t * 2 + i;
  }
  CUmodule module = kit_load_body(
      "mul.wide.u32 %d1, %t, 32; add.u64 %d2, %in, %d1;\n"
      "ld.global.f64 %g1, [%d2]; ld.global.f64 %g2, [%d2+8];\n"
      "ld.global.f64 %g3, [%d2+16]; ld.global.f64 %g4, [%d2+24];\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64\n"
      "  {%g5, %g6}, {%g1}, {%g2}, {%g3, %g4};\n"
      "mul.wide.u32 %d1, %t, 16; add.u64 %d2, %out, %d1;\n"
      "st.global.f64 [%d2], %g5; st.global.f64 [%d2+8], %g6;\n");
  assert_int_equal(kit_map(module, 32, in, sizeof in, out, sizeof out), 0);
  for (int row = 0; row < 8; row++) {
    for (int column = 0; column < 8; column++) {
      double sum = row * 100 + column; // all of it is exact
      for (int k = 0; k < 4; k++) sum += a[row][k] * b[k][column];
      assert_true(out[row * 4 + column / 2][column % 2] == sum);
    }
  }
}

static void test_figures(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i]);
}

static void test_matmul(void **state) {
  (void)state;
  enum { M = 128, N = 64, K = 160 };
  static uint16_t a[M * K], b[K * N];
  static int ia[M * K], ib[K * N];
  static float c[M * N];
  uint32_t seed = 5;
  for (int i = 0; i < M * K; i++)
    a[i] = half_of(ia[i] = (int)(kit_random(&seed) >> 9 & 15));
  for (int i = 0; i < K * N; i++)
    b[i] = half_of(ib[i] = (int)(kit_random(&seed) >> 9 & 15));
  CUmodule module = kit_load("matmul.ptx");
  CUdeviceptr da = kit_upload(a, sizeof a), db = kit_upload(b, sizeof b);
  CUdeviceptr dc = kit_upload(NULL, sizeof c);
  int n = N, k = K;
  void *params[] = {&da, &db, &dc, &n, &k};
  const unsigned shared = 3 * (64 * 40 + 32 * 72) * 2;
  assert_int_equal(kit_run(module, "matmul",
                           (KitShape){{N / 64, M / 64}, {128}, shared}, params),
                   0);
  kit_download(c, dc, sizeof c);
  cuMemFree_v2(da);
  cuMemFree_v2(db);
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int want = 0;
      for (int x = 0; x < K; x++) want += ia[i * K + x] * ib[x * N + j];
      assert_int_equal((int)c[i * N + j], want);
    }
  }
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_89", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_matmul),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
