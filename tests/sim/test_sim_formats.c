// test_sim_formats.c -- conversions to the small formats of floats and back,
// arithmetic and comparisons in them, beside a model that knows only which
// number a code is.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

__extension__ typedef __float128 Real;

typedef struct {
  const char *name;
  int fraction, bias, last; // bits; the largest code of a number
  bool has_infinity;
  int shift; // position of its bits in a word
  uint32_t nan;
} Format;

static const Format f16 = {"f16", 10, 15, 0x7bff, true, 0, 0x7fff};
static const Format bf16 = {"bf16", 7, 127, 0x7f7f, true, 0, 0x7fff};
static const Format tf32 = {"tf32", 10, 127, 0x3fbff, true, 13, 0x7fffffff};
static const Format e4m3 = {"e4m3", 3, 7, 0x7e, false, 0, 0x7f};
static const Format e5m2 = {"e5m2", 2, 15, 0x7b, true, 0, 0x7f};

static int sign_bit(const Format *f) {
  int bits = 0;
  while (f->last >> bits) bits++;
  return f->has_infinity || f == &e4m3 ? bits : bits + 1;
}

// The code of a magnitude; the code behind the largest has the value that would
// come next.
static double number_of(const Format *f, int code) {
  const int exponent = code >> f->fraction;
  const int fraction = code & ((1 << f->fraction) - 1);
  const int unit = 1 << f->fraction;
  return exponent ? ldexp(unit + fraction, exponent - f->bias - f->fraction)
                  : ldexp(fraction, 1 - f->bias - f->fraction);
}

static double value_of(const Format *f, uint32_t bits) {
  const uint32_t code = bits >> f->shift;
  const int low = (int)(code & ((1u << sign_bit(f)) - 1));
  const double sign = code >> sign_bit(f) & 1 ? -1 : 1;
  if (low == f->last + 1 && f->has_infinity) return sign * (double)INFINITY;
  return low > f->last ? (double)NAN : sign * number_of(f, low);
}

typedef struct {
  char mode; // 'n' to even, 'a' away from zero at a tie, 'z' towards zero
  bool relu, satfinite;
} Rounding;

static uint32_t largest(const Format *f, Rounding r, bool is_infinite) {
  const bool stays = r.satfinite || !f->has_infinity;
  const bool cut = r.mode == 'z' && !is_infinite;
  return (uint32_t)(stays || cut ? f->last : f->last + 1);
}

static uint32_t code_of(const Format *f, Real x, Rounding r) {
  int low = 0, high = f->last + 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (number_of(f, middle) <= x)
      low = middle;
    else
      high = middle;
  }
  const Real down = x - number_of(f, low), up = number_of(f, high) - x;
  const bool ties_up = r.mode == 'a' || low & 1;
  if (r.mode != 'z' && (up < down || (up == down && ties_up))) low = high;
  return low > f->last ? largest(f, r, false) : (uint32_t)low;
}

static uint32_t encode(const Format *f, Real x, bool is_negative, Rounding r) {
  if (x != x) return f->nan;
  if (r.relu && (x < 0 || is_negative)) return 0;
  const uint32_t sign = is_negative ? 1u << sign_bit(f) : 0;
  const Real size = x < 0 ? -x : x;
  const uint32_t code =
      size > DBL_MAX ? largest(f, r, true) : code_of(f, size, r);
  return (sign | code) << f->shift;
}

static uint32_t encode_double(const Format *f, double x, Rounding r) {
  return encode(f, (Real)x, signbit(x), r);
}

// -- Running -----------------------------------------------------------------

enum { THREADS = 1024 };
static uint32_t in[THREADS][4], out[THREADS];

// The body computes %r9 from %r1 to %r3, whose low halves are %h1 to %h3.
static void run(const char *body) {
  char text[1024];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d2, %%t, 16; add.u64 %%d3, %%in, %%d2;"
           "mul.wide.u32 %%d4, %%t, 4; add.u64 %%d5, %%out, %%d4;"
           "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%d3];"
           "cvt.u16.u32 %%h1, %%r1; cvt.u16.u32 %%h2, %%r2;"
           "cvt.u16.u32 %%h3, %%r3; mov.b32 %%f1, %%r1; mov.b32 %%f2, %%r2;"
           "\n%s\nst.global.u32 [%%d5], %%r9;",
           body);
  kit_map(kit_load_body(text), THREADS, in, sizeof in, out, sizeof out);
}

static void expect(const char *body, int t, uint32_t wanted) {
  // tf32 leaves the low bits of its words open.
  const uint32_t mask = strstr(body, "tf32") ? ~UINT32_C(0x1fff) : UINT32_MAX;
  if ((out[t] ^ wanted) & mask)
    fail_msg("%s of %x, %x, %x: %x, not %x", body, in[t][0], in[t][1], in[t][2],
             out[t], wanted);
}

// Singles at, between and beside the numbers of a format.
static uint32_t near(const Format *f, int i) {
  static const uint32_t special[] = {0x7f800000, 0x7fc00000, 0x7f7fffff, 1};
  const uint32_t sign = i & 1 ? 0x80000000 : 0;
  const int codes = f->last + 2, step = codes > 200 ? codes / 200 : 1;
  const int code = i / 5 * step;
  if (code >= codes) return sign | special[i / 2 & 3];
  const double low = number_of(f, code), high = number_of(f, code + 1);
  const float at = (float)low, between = (float)((low + high) / 2);
  const float x = i % 5 == 0   ? at
                  : i % 5 == 1 ? between
                  : i % 5 == 2 ? nextafterf(between, 0)
                  : i % 5 == 3 ? nextafterf(between, INFINITY)
                               : nextafterf(at, INFINITY);
  return sign | single_bits(x);
}

static void fill(const Format *f) {
  for (int t = 0; t < THREADS; t++) {
    in[t][0] = near(f, t);
    in[t][1] = near(f, (t * 7 + 1) % THREADS);
  }
}

// -- Conversions -------------------------------------------------------------

typedef struct {
  const Format *format;
  const char *body;
  Rounding rounding;
  bool is_pair; // the first operand in the upper half
} Narrow;

#define TO(type, words)   "cvt." words "." type ".f32 "
#define HALF(type, words) TO(type, words) "%h9, %f1; cvt.u32.u16 %r9, %h9;"
#define WORD(type, words) TO(type, words) "%r9, %f1;"
#define PAIR(type, words) TO(type, words) "%r9, %f1, %f2;"
#define BYTES(type, words)                                                     \
  TO(type, words) "%h9, %f1, %f2; cvt.u32.u16 %r9, %h9;"

static const Narrow narrow[] = {
    {&f16, HALF("f16", "rn"), {'n', false, false}, false},
    {&f16, HALF("f16", "rz"), {'z', false, false}, false},
    {&f16, HALF("f16", "rn.relu"), {'n', true, false}, false},
    {&f16, PAIR("f16x2", "rn"), {'n', false, false}, true},
    {&f16, PAIR("f16x2", "rz"), {'z', false, false}, true},
    {&f16, PAIR("f16x2", "rn.relu"), {'n', true, false}, true},
    {&f16, PAIR("f16x2", "rz.relu"), {'z', true, false}, true},
    {&bf16, HALF("bf16", "rn"), {'n', false, false}, false},
    {&bf16, HALF("bf16", "rz"), {'z', false, false}, false},
    {&bf16, HALF("bf16", "rz.relu"), {'z', true, false}, false},
    {&bf16, PAIR("bf16x2", "rn"), {'n', false, false}, true},
    {&bf16, PAIR("bf16x2", "rz"), {'z', false, false}, true},
    {&bf16, PAIR("bf16x2", "rn.relu"), {'n', true, false}, true},
    {&tf32, WORD("tf32", "rna"), {'a', false, false}, false},
    {&tf32, WORD("tf32", "rn"), {'n', false, false}, false},
    {&tf32, WORD("tf32", "rz"), {'z', false, false}, false},
    {&tf32, WORD("tf32", "rn.relu"), {'n', true, false}, false},
    {&e4m3, BYTES("e4m3x2", "rn.satfinite"), {'n', false, true}, true},
    {&e4m3, BYTES("e4m3x2", "rn.satfinite.relu"), {'n', true, true}, true},
    {&e5m2, BYTES("e5m2x2", "rn.satfinite"), {'n', false, true}, true},
    {&e5m2, BYTES("e5m2x2", "rn.satfinite.relu"), {'n', true, true}, true},
};

static void test_narrow(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    const Narrow *row = &narrow[i];
    const int half = row->format == &e4m3 || row->format == &e5m2 ? 8 : 16;
    fill(row->format);
    run(row->body);
    for (int t = 0; t < THREADS; t++) {
      const uint32_t one = encode_double(
          row->format, (double)single_of(in[t][0]), row->rounding);
      const uint32_t other = encode_double(
          row->format, (double)single_of(in[t][1]), row->rounding);
      expect(row->body, t, row->is_pair ? one << half | other : one);
    }
  }
}

// Every code of 16 bits, or every pair of 8-bit codes.
static void test_wide(void **state) {
  (void)state;
  static const Format *const formats[] = {&f16, &bf16, &e4m3, &e5m2};
  static const char *const bodies[] = {
      "cvt.f32.f16 %f9, %h1; mov.b32 %r9, %f9;",
      "cvt.f32.bf16 %f9, %h1; mov.b32 %r9, %f9;",
      "cvt.rn.f16x2.e4m3x2 %r9, %h1;", "cvt.rn.f16x2.e5m2x2 %r9, %h1;"};
  for (int i = 0; i < 4; i++)
    for (uint32_t part = 0; part < (i < 2 ? 64 : 8); part++) {
      const Format *f = formats[i];
      for (uint32_t t = 0; t < THREADS; t++)
        in[t][0] = part * THREADS + t + (i < 2 ? 0 : t << 9 & 0xff00);
      run(bodies[i]);
      for (int t = 0; t < THREADS; t++) {
        const uint32_t x = in[t][0] & 0xffff;
        const Rounding even = {'n', false, false};
        expect(bodies[i], t,
               i < 2 ? single_bits((float)value_of(f, x))
                     : encode_double(&f16, value_of(f, x >> 8), even) << 16 |
                           encode_double(&f16, value_of(f, x & 255), even));
      }
    }
}

// -- Arithmetic --------------------------------------------------------------

typedef struct {
  const Format *format;
  const char *body;
  char what; // of + - * f(used), < least, > most
  char how;  // 0, 's'aturates to 0 ... 1, 'r'elu, 'n': NaNs stay
  bool is_pair;
} Sum;

#define ONE(words, operands) words " %h9, " operands "; cvt.u32.u16 %r9, %h9;"
#define TWO(words, operands) words " %r9, " operands ";"
#define H2                   "%h1, %h2"
#define H3                   "%h1, %h2, %h3"
#define R2                   "%r1, %r2"
#define R3                   "%r1, %r2, %r3"

static const Sum sums[] = {
    {&f16, ONE("add.f16", H2), '+', 0, false},
    {&f16, ONE("add.rn.sat.f16", H2), '+', 's', false},
    {&f16, ONE("sub.f16", H2), '-', 0, false},
    {&f16, ONE("mul.f16", H2), '*', 0, false},
    {&f16, ONE("mul.sat.f16", H2), '*', 's', false},
    {&f16, ONE("fma.rn.f16", H3), 'f', 0, false},
    {&f16, ONE("fma.rn.relu.f16", H3), 'f', 'r', false},
    {&f16, ONE("min.f16", H2), '<', 0, false},
    {&f16, ONE("max.f16", H2), '>', 0, false},
    {&f16, ONE("min.NaN.f16", H2), '<', 'n', false},
    {&f16, ONE("max.NaN.f16", H2), '>', 'n', false},
    {&f16, TWO("add.f16x2", R2), '+', 0, true},
    {&f16, TWO("sub.sat.f16x2", R2), '-', 's', true},
    {&f16, TWO("mul.f16x2", R2), '*', 0, true},
    {&f16, TWO("fma.rn.f16x2", R3), 'f', 0, true},
    {&f16, TWO("fma.rn.sat.f16x2", R3), 'f', 's', true},
    {&f16, TWO("min.f16x2", R2), '<', 0, true},
    {&f16, TWO("max.NaN.f16x2", R2), '>', 'n', true},
    {&bf16, ONE("add.bf16", H2), '+', 0, false},
    {&bf16, ONE("sub.bf16", H2), '-', 0, false},
    {&bf16, ONE("mul.bf16", H2), '*', 0, false},
    {&bf16, ONE("fma.rn.bf16", H3), 'f', 0, false},
    {&bf16, ONE("fma.rn.relu.bf16", H3), 'f', 'r', false},
    {&bf16, ONE("min.bf16", H2), '<', 0, false},
    {&bf16, ONE("max.NaN.bf16", H2), '>', 'n', false},
    {&bf16, TWO("add.bf16x2", R2), '+', 0, true},
    {&bf16, TWO("mul.bf16x2", R2), '*', 0, true},
    {&bf16, TWO("fma.rn.bf16x2", R3), 'f', 0, true},
    {&bf16, TWO("max.bf16x2", R2), '>', 0, true},
    {&bf16, TWO("min.NaN.bf16x2", R2), '<', 'n', true},
};

static Real of_three(const Sum *row, double a, double b, double c) {
  const Real x = a, y = b, z = c;
  switch (row->what) {
  case '+': return x + y;
  case '-': return x - y;
  case '*': return x * y;
  default: return x * y + z;
  }
}

static uint32_t sum_of(const Sum *row, uint32_t x, uint32_t y, uint32_t z) {
  const Rounding r = {'n', row->how == 'r', false};
  const double a = value_of(row->format, x), b = value_of(row->format, y);
  if (row->what == '<' || row->what == '>')
    return encode_double(
        row->format, extreme_of(a, b, row->what == '<', row->how == 'n'), r);
  const Real exact = of_three(row, a, b, value_of(row->format, z));
  if (row->how == 's' && !(exact > 0)) return 0;
  if (row->how == 's' && exact > 1) return encode(row->format, 1, false, r);
  return encode(row->format, exact, signbit((double)exact), r);
}

static void draw_operands(const Format *f, uint32_t *seed) {
  static const uint32_t halves[] = {
      0,      0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e01, 1,      0x8001,
      0x7bff, 0x3c01, 0x3f80, 0x7f80, 0xff80, 0x7f7f, 0x0400, 0xbf80};
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < 3; i++) {
      const uint32_t x = kit_random(seed), y = kit_random(seed);
      // Exponents near that of 1.0, so that sums cancel and round.
      const uint32_t low =
          f == &f16 ? (x & 0x8fff) | 0x3000 : (x & 0x81ff) | 0x3e00;
      const int how = t < 256 ? 0 : t < 900 ? 1 : 2;
      const uint32_t mine = how == 0   ? halves[t >> 4 * (i % 2) & 15]
                            : how == 1 ? low
                                       : y & 0xffff;
      in[t][i] = mine | (t % 3 ? halves[y >> 9 & 15] : y >> 8) << 16;
    }
}

static void test_sums(void **state) {
  (void)state;
  uint32_t seed = 19;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    const Sum *row = &sums[i];
    draw_operands(row->format, &seed);
    run(row->body);
    for (int t = 0; t < THREADS; t++) {
      const uint32_t *x = in[t];
      const uint32_t low =
          sum_of(row, x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff);
      const uint32_t high = sum_of(row, x[0] >> 16, x[1] >> 16, x[2] >> 16);
      expect(row->body, t, row->is_pair ? high << 16 | low : low);
    }
  }
}

static int set_up(void **state) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_narrow),
                                     cmocka_unit_test(test_wide),
                                     cmocka_unit_test(test_sums)};
  return cmocka_run_group_tests(tests, set_up, kit_teardown);
}
