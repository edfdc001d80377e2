// test_sim_numbers.c -- arithmetic and conversions, bit by bit.
//
// The host's results in its rounding modes, or in wider types where they
// are exact, are the reference.  Each row runs on random and special operands.
//
// Backs I3 of runtime/simulator/number.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

// Rounds of random operands, and of all triples of a few small ones.
enum { THREADS = 64, RANDOM_ROUNDS = 4, NUM_SMALL = 6 };
enum {
  ROUNDS = RANDOM_ROUNDS + NUM_SMALL * NUM_SMALL * NUM_SMALL / THREADS + 1
};

typedef struct {
  uint64_t a, b, c;
} Operands;

typedef uint64_t (*Reference)(const Operands *x);

typedef struct {
  const char *ptx; // of %f1..3, %g1..3, %r1..3, %d1..3 or %h1..3 into no. 0
  char in, out;    // register letters
  int mode;        // of the host while the reference runs
  Reference reference;
} Row;

#define REFERENCE(name, result)                                                \
  static uint64_t name(const Operands *x) {                                    \
    volatile float a = single_of(x->a), b = single_of(x->b),                   \
                   c = single_of(x->c);                                        \
    volatile double da = double_of(x->a), db = double_of(x->b),                \
                    dc = double_of(x->c);                                      \
    const uint64_t ia = x->a, ib = x->b, ic = x->c;                            \
    (void)a, (void)b, (void)c, (void)da, (void)db, (void)dc;                   \
    (void)ia, (void)ib, (void)ic;                                              \
    return (uint64_t)(result);                                                 \
  }

static float add_single(float a, float b) {
  volatile float x = a, y = b;
  return x + y;
}

static float mul_single(float a, float b) {
  volatile float x = a, y = b;
  return x * y;
}

// Compilers fold these for the default rounding mode: zeros may have the wrong
// sign.
static double rounded(double x) {
  const int mode = fegetround();
  const double result = mode == FE_DOWNWARD     ? floor(x)
                        : mode == FE_UPWARD     ? ceil(x)
                        : mode == FE_TOWARDZERO ? trunc(x)
                                                : nearbyint(x);
  return copysign(result, x);
}

static int64_t clamped(double x, double low, double high) {
  if (isnan(x)) return 0;
  return x <= low ? (int64_t)low : x >= high ? (int64_t)high : (int64_t)x;
}

// binary16, by the host's conversion of a value that has few bits.
static double from_half(uint64_t bits) {
  const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
  double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                 : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                : ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}

// To the nearest, ties to even, by trying every half's neighbours.
static uint64_t to_half(double x) {
  if (isnan(x)) return 0x7fff;
  const uint64_t sign = signbit(x) ? 0x8000 : 0;
  x = fabs(x);
  if (x >= 65520) return sign | 0x7c00;
  uint64_t low = 0, high = 0x7c00;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    if (from_half(middle) <= x)
      low = middle;
    else
      high = middle;
  }
  const double above = high == 0x7c00 ? 65536 : from_half(high);
  const double down = x - from_half(low), up = above - x;
  return sign | (down < up || (down == up && !(low & 1)) ? low : high);
}

REFERENCE(add, single_bits(add_single(a, b)))
REFERENCE(add_ftz, single_bits(flushed_single(add_single(flushed_single(a),
                                                         flushed_single(b)))))
REFERENCE(sub, single_bits(add_single(a, -b)))
REFERENCE(mul, single_bits(mul_single(a, b)))
REFERENCE(mul_sat, single_bits(fminf(fmaxf(mul_single(a, b), 0), 1)))
REFERENCE(fused, single_bits(fmaf(a, b, c)))
REFERENCE(fused_ftz,
          single_bits(flushed_single(fmaf(flushed_single(a), flushed_single(b),
                                          flushed_single(c)))))
REFERENCE(quotient, single_bits(a / b))
REFERENCE(root, single_bits(sqrtf(a)))
REFERENCE(reciprocal, single_bits(1 / a))
REFERENCE(add_d, double_bits(da + db))
REFERENCE(mul_d, double_bits(da *db))
REFERENCE(fused_d, double_bits(fma(da, db, dc)))
REFERENCE(quotient_d, double_bits(da / db))
REFERENCE(root_d, double_bits(sqrt(da)))
REFERENCE(narrowed, single_bits((float)da))
REFERENCE(widened, double_bits((double)a))
REFERENCE(integral, single_bits((float)rounded((double)a)))
REFERENCE(to_s32,
          (uint32_t)(int32_t)clamped(rounded((double)a), -0x1p31, 0x1p31 - 1))
REFERENCE(to_u8, (uint16_t)clamped(rounded((double)a), 0, 255))
REFERENCE(d_to_s64, isnan(da)       ? 0
                    : da >= 0x1p63  ? INT64_MAX
                    : da <= -0x1p63 ? INT64_MIN
                                    : (int64_t)rounded(da))
REFERENCE(s64_to_single, single_bits((float)(int64_t)ia))
REFERENCE(u64_to_single, single_bits((float)ia))
REFERENCE(u64_to_wide, double_bits((double)ia))
REFERENCE(u32_to_half, to_half((double)(uint32_t)ia))
REFERENCE(half_add, to_half(from_half(ia) + from_half(ib)))
REFERENCE(half_mul, to_half(from_half(ia) * from_half(ib)))
REFERENCE(single_to_half, to_half((double)a))
REFERENCE(half_to_single, single_bits((float)from_half(ia)))
REFERENCE(smaller, single_bits(isnan(a)               ? b
                               : isnan(b)             ? a
                               : a == b && signbit(b) ? b
                               : a == b               ? a
                               : a < b                ? a
                                                      : b))
REFERENCE(sat_s8, (uint16_t)(int16_t)((int32_t)ia > 127    ? 127
                                      : (int32_t)ia < -128 ? -128
                                                           : (int32_t)ia))
REFERENCE(carry, (uint32_t)(ia + ib) < (uint32_t)ia)
REFERENCE(mad_wide, (uint64_t)((int64_t)(int32_t)ia *(int32_t)ib) + ic)
REFERENCE(field, (uint32_t)((int32_t)((uint32_t)ia << 19) >> 24))
REFERENCE(logic, (uint32_t)((ia & ib) ^ ic))
REFERENCE(shift_over, 0 * ia)
REFERENCE(shift_sign, (uint32_t)((int32_t)ia >> 31))

static const Row rows[] = {
    {"add.rn.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, add},
    {"add.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, add},
    {"add.rz.f32 %f0, %f1, %f2;", 'f', 'f', FE_TOWARDZERO, add},
    {"add.rm.f32 %f0, %f1, %f2;", 'f', 'f', FE_DOWNWARD, add},
    {"add.rp.f32 %f0, %f1, %f2;", 'f', 'f', FE_UPWARD, add},
    {"add.ftz.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, add_ftz},
    {"add.rm.ftz.f32 %f0, %f1, %f2;", 'f', 'f', FE_DOWNWARD, add_ftz},
    {"sub.rz.f32 %f0, %f1, %f2;", 'f', 'f', FE_TOWARDZERO, sub},
    {"sub.rm.f32 %f0, %f1, %f2;", 'f', 'f', FE_DOWNWARD, sub},
    {"mul.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, mul},
    {"mul.rz.f32 %f0, %f1, %f2;", 'f', 'f', FE_TOWARDZERO, mul},
    {"mul.rp.f32 %f0, %f1, %f2;", 'f', 'f', FE_UPWARD, mul},
    {"mul.sat.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, mul_sat},
    {"fma.rn.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_TONEAREST, fused},
    {"fma.rz.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_TOWARDZERO, fused},
    {"fma.rm.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_DOWNWARD, fused},
    {"fma.rp.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_UPWARD, fused},
    {"fma.rn.ftz.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_TONEAREST, fused_ftz},
    {"fma.rm.ftz.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_DOWNWARD, fused_ftz},
    {"mad.rm.f32 %f0, %f1, %f2, %f3;", 'f', 'f', FE_DOWNWARD, fused},
    {"div.rn.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, quotient},
    {"div.rm.f32 %f0, %f1, %f2;", 'f', 'f', FE_DOWNWARD, quotient},
    {"sqrt.rn.f32 %f0, %f1;", 'f', 'f', FE_TONEAREST, root},
    {"rcp.rp.f32 %f0, %f1;", 'f', 'f', FE_UPWARD, reciprocal},
    {"min.f32 %f0, %f1, %f2;", 'f', 'f', FE_TONEAREST, smaller},
    {"add.rn.f64 %g0, %g1, %g2;", 'g', 'g', FE_TONEAREST, add_d},
    {"add.rm.f64 %g0, %g1, %g2;", 'g', 'g', FE_DOWNWARD, add_d},
    {"mul.rp.f64 %g0, %g1, %g2;", 'g', 'g', FE_UPWARD, mul_d},
    {"fma.rn.f64 %g0, %g1, %g2, %g3;", 'g', 'g', FE_TONEAREST, fused_d},
    {"fma.rm.f64 %g0, %g1, %g2, %g3;", 'g', 'g', FE_DOWNWARD, fused_d},
    {"fma.rz.f64 %g0, %g1, %g2, %g3;", 'g', 'g', FE_TOWARDZERO, fused_d},
    {"div.rz.f64 %g0, %g1, %g2;", 'g', 'g', FE_TOWARDZERO, quotient_d},
    {"sqrt.rn.f64 %g0, %g1;", 'g', 'g', FE_TONEAREST, root_d},
    {"cvt.rn.f32.f64 %f0, %g1;", 'g', 'f', FE_TONEAREST, narrowed},
    {"cvt.rz.f32.f64 %f0, %g1;", 'g', 'f', FE_TOWARDZERO, narrowed},
    {"cvt.rp.f32.f64 %f0, %g1;", 'g', 'f', FE_UPWARD, narrowed},
    {"cvt.f64.f32 %g0, %f1;", 'f', 'g', FE_TONEAREST, widened},
    {"cvt.rni.f32.f32 %f0, %f1;", 'f', 'f', FE_TONEAREST, integral},
    {"cvt.rmi.f32.f32 %f0, %f1;", 'f', 'f', FE_DOWNWARD, integral},
    {"cvt.rni.s32.f32 %r0, %f1;", 'f', 'r', FE_TONEAREST, to_s32},
    {"cvt.rzi.s32.f32 %r0, %f1;", 'f', 'r', FE_TOWARDZERO, to_s32},
    {"cvt.rpi.s32.f32 %r0, %f1;", 'f', 'r', FE_UPWARD, to_s32},
    {"cvt.rzi.u8.f32 %h0, %f1;", 'f', 'h', FE_TOWARDZERO, to_u8},
    {"cvt.rzi.s64.f64 %d0, %g1;", 'g', 'd', FE_TOWARDZERO, d_to_s64},
    {"cvt.rn.f32.s64 %f0, %d1;", 'd', 'f', FE_TONEAREST, s64_to_single},
    {"cvt.rz.f32.s64 %f0, %d1;", 'd', 'f', FE_TOWARDZERO, s64_to_single},
    {"cvt.rp.f32.u64 %f0, %d1;", 'd', 'f', FE_UPWARD, u64_to_single},
    {"cvt.rm.f64.u64 %g0, %d1;", 'd', 'g', FE_DOWNWARD, u64_to_wide},
    {"cvt.rn.f16.u32 %h0, %r1;", 'r', 'h', FE_TONEAREST, u32_to_half},
    {"add.f16 %h0, %h1, %h2;", 'h', 'h', FE_TONEAREST, half_add},
    {"mul.rn.f16 %h0, %h1, %h2;", 'h', 'h', FE_TONEAREST, half_mul},
    {"cvt.rn.f16.f32 %h0, %f1;", 'f', 'h', FE_TONEAREST, single_to_half},
    {"cvt.f32.f16 %f0, %h1;", 'h', 'f', FE_TONEAREST, half_to_single},
    {"cvt.sat.s8.s32 %h0, %r1;", 'r', 'h', FE_TONEAREST, sat_s8},
    {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, 0, 0;", 'r', 'r', FE_TONEAREST,
     carry},
    {"mad.wide.s32 %d0, %r1, %r2, %d3;", 'd', 'd', FE_TONEAREST, mad_wide},
    {"bfe.s32 %r0, %r1, 5, 8;", 'r', 'r', FE_TONEAREST, field},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0x6a;", 'r', 'r', FE_TONEAREST, logic},
    {"shl.b32 %r0, %r1, 32;", 'r', 'r', FE_TONEAREST, shift_over},
    {"shr.s32 %r0, %r1, 77;", 'r', 'r', FE_TONEAREST, shift_sign},
};

// Operands in another order and other groups: the difference of the results is
// 0, also of NaNs with payloads of their own.
#define NANS(i)                                                                \
  "mov.b64 %d" i ", %g" i "; or.b64 %d" i ", %d" i ", 0x7ff0000000000001;"     \
  "mov.b64 %g" i ", %d" i ";"
#define DIFFERENCE "mov.b64 %d4, %g4; mov.b64 %d5, %g5; xor.b64 %d0, %d4, %d5;"
static uint64_t nothing(const Operands *x) {
  (void)x;
  return 0;
}

#define ORDERS(first, second)                                                  \
  {                                                                            \
    NANS("1")                                                                  \
    NANS("2")                                                                  \
    NANS("3") first second DIFFERENCE, 'g', 'd', FE_TONEAREST, nothing         \
  }
static const Row orders[] = {
    ORDERS("add.f64 %g4, %g1, %g2;", "add.f64 %g5, %g2, %g1;"),
    ORDERS("mul.f64 %g4, %g1, %g2;", "mul.f64 %g5, %g2, %g1;"),
    ORDERS("fma.rn.f64 %g4, %g1, %g2, %g3;", "fma.rn.f64 %g5, %g2, %g1, %g3;"),
    ORDERS("add.f64 %g4, %g1, %g2; add.f64 %g4, %g4, %g3;",
           "add.f64 %g5, %g3, %g2; add.f64 %g5, %g1, %g5;"),
};

static uint64_t operand(char kind, uint32_t *seed, int round) {
  static const uint32_t singles[] = {
      0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
      0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0x4f000000, 0xcf000000,
      0x3f000000, 0x40200000, 0x437f8000, 0xbfc00000};
  const uint64_t high = kit_random(seed), low = kit_random(seed);
  const uint64_t bits = high << 32 | low;
  const uint32_t special = singles[low >> 8 & 15];
  if (round == 0 && kind == 'f') return special;
  if (round == 0 && kind == 'g') return double_bits((double)single_of(special));
  // Near each other, so that sums cancel and round.
  if (round == 1 && kind == 'f') return (bits & 0x83ffffff) | 0x3c000000;
  if (round == 1 && kind == 'g')
    return (bits & 0x803fffffffffffff) | 0x3fc0000000000000;
  if (kind == 'h') return bits & 0xffff;
  if (round == 2) return bits >> (low & 63);
  return bits;
}

// Zeros, ones and the least numbers: sums cancel, products vanish.
static uint64_t small_operand(char kind, uint32_t i) {
  static const uint64_t magnitudes[3][NUM_SMALL / 2] = {
      {0, 0x3f800000, 1}, {0, 0x3ff0000000000000, 1}, {0, 0x3c00, 1}};
  const int row = kind == 'g' ? 1 : kind == 'h' ? 2 : 0;
  const uint64_t sign = kind == 'g'   ? (uint64_t)1 << 63
                        : kind == 'h' ? 0x8000
                                      : 0x80000000;
  return magnitudes[row][i % NUM_SMALL / 2] | (i % 2 ? sign : 0);
}

static Operands make_operands(char kind, uint32_t *seed, int round, int i) {
  if (round < RANDOM_ROUNDS) {
    const uint64_t a = operand(kind, seed, round);
    const uint64_t b = operand(kind, seed, round);
    return (Operands){a, b, operand(kind, seed, round)};
  }
  const uint32_t n = (uint32_t)((round - RANDOM_ROUNDS) * THREADS + i);
  return (Operands){small_operand(kind, n), small_operand(kind, n / NUM_SMALL),
                    small_operand(kind, n / NUM_SMALL / NUM_SMALL)};
}

static void make_body(char *body, size_t size, const Row *row) {
  static const char letters[] = "fgrdh";
  static const char *const types[] = {"f32", "f64", "u32", "u64", "u16"};
  const int in = (int)(strchr(letters, row->in) - letters);
  const int out = (int)(strchr(letters, row->out) - letters);
  int used = snprintf(body, size,
                      "mul.wide.u32 %%d10, %%t, 24; add.u64 %%d11, %%in, %%d10;"
                      "mul.wide.u32 %%d12, %%t, 8; add.u64 %%d13, %%out, "
                      "%%d12; mov.u64 %%d14, 0; st.global.u64 [%%d13], "
                      "%%d14;\n");
  // A row may mix 32-bit and 64-bit integers.
  if (row->in == 'd')
    used += snprintf(body + used, size - (size_t)used,
                     "ld.global.u32 %%r1, [%%d11]; ld.global.u32 %%r2, "
                     "[%%d11+8];\n");
  for (int i = 0; i < 3; i++)
    used += snprintf(body + used, size - (size_t)used,
                     "ld.global.%s %%%c%d, [%%d11+%d];\n", types[in], row->in,
                     i + 1, i * 8);
  snprintf(body + used, size - (size_t)used, "%s\nst.global.%s [%%d13], %%%c0;",
           row->ptx, types[out], row->out);
}

static void run_row(const Row *row) {
  char body[2048];
  Operands in[THREADS];
  uint64_t out[THREADS];
  uint32_t seed = 2024;
  make_body(body, sizeof body, row);
  CUmodule module = kit_load_body(body);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < THREADS; i++)
      in[i] = make_operands(row->in, &seed, round, i);
    CUdeviceptr din = kit_upload(in, sizeof in);
    CUdeviceptr dout = kit_upload(NULL, sizeof out);
    void *params[] = {&dout, &din};
    assert_int_equal(
        kit_run(module, "k", (KitShape){{1}, {THREADS}, 0}, params), 0);
    kit_download(out, dout, sizeof out);
    cuMemFree_v2(din);
    for (int i = 0; i < THREADS; i++) {
      fesetround(row->mode);
      const uint64_t want = row->reference(&in[i]);
      fesetround(FE_TONEAREST);
      if (row->out == 'g' && isnan(double_of(want)) && isnan(double_of(out[i])))
        continue;
      if (out[i] != want)
        fail_msg("%s of %llx %llx %llx: %llx, not %llx", row->ptx,
                 (unsigned long long)in[i].a, (unsigned long long)in[i].b,
                 (unsigned long long)in[i].c, (unsigned long long)out[i],
                 (unsigned long long)want);
    }
  }
  cuModuleUnload(module);
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) run_row(&rows[i]);
}

static void test_orders(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    run_row(&orders[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
