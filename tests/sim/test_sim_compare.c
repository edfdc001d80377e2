// test_sim_compare.c -- comparisons, signs, minima and maxima, and classes of
// floats of every type, on all pairs of numbers that are special for one of the
// types.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

enum { NUM_EDGES = 24, THREADS = NUM_EDGES * NUM_EDGES };

static const double edges[NUM_EDGES] = {
    0.0,        -0.0,      1.0,       -1.0, 1.5,  -1.5,  2.0,  0x1p-14,
    -0x1p-14,
    0x1p-16, // subnormal in fp16
    -0x1p-17,   0x1p-126,
    0x1p-128, // in fp32 and bf16
    -0x1p-129,  0x1p-1022,
    0x1p-1040, // in fp64
    -0x1p-1041, INFINITY,  -INFINITY, NAN,  -NAN, 65504, -3.0, 1.0078125};

typedef struct {
  const char *name;
  char letter;     // of its registers
  double least;    // of its normal numbers
  double smallest; // of its numbers
} Kind;

static const Kind kinds[] = {{"f32", 'f', 0x1p-126, 0x1p-149},
                             {"f64", 'g', 0x1p-1022, 0x1p-1074},
                             {"f16", 'h', 0x1p-14, 0x1p-24},
                             {"bf16", 'h', 0x1p-126, 0x1p-133}};
enum { F32, F64, F16, BF16, NUM_KINDS };

static double in[THREADS][3];
static uint64_t out[THREADS];

// Numbers too small for the type become zero, so that each edge is a number of
// the type.
static double of_kind(const Kind *k, double x) {
  if (fabs(x) < k->smallest) return copysign(0, x);
  if (k == &kinds[F16] && isfinite(x)) return fabs(x) < 65505 ? x : INFINITY;
  return k == &kinds[BF16] && fabs(x) == 65504 ? copysign(65536, x) : x;
}

static void fill(const Kind *k) {
  for (int t = 0; t < THREADS; t++) {
    in[t][0] = of_kind(k, edges[t / NUM_EDGES]);
    in[t][1] = of_kind(k, edges[t % NUM_EDGES]);
    in[t][2] = (t * 7 + t / NUM_EDGES) % 3;
  }
}

// @ is the type, #1, #2 and #0 its registers; %p1: the third operand is odd.
// The body makes #0 (result 'x'), %r9 ('r') or %p2 ('p').
static void spell(char *to, const char *from, const Kind *k) {
  for (; *from; from++)
    if (*from == '@')
      to += sprintf(to, "%s", k->name);
    else if (*from == '#')
      to += sprintf(to, "%%%c", k->letter);
    else
      *to++ = *from;
  *to = 0;
}

static const char *convert(const Kind *k, int i) {
  static char text[128];
  switch (k->letter) {
  case 'f': sprintf(text, "cvt.rn.f32.f64 %%f%d, %%g%d;\n", i, i); break;
  case 'h':
    sprintf(text, "cvt.rn.f32.f64 %%f%d, %%g%d; cvt.rn.%s.f32 %%h%d, %%f%d;\n",
            i, i, k->name, i, i);
    break;
  default: *text = 0;
  }
  return text;
}

static const char *take(const Kind *k, char result) {
  if (result == 'p') return "selp.u64 %d9, 1, 0, %p2;";
  if (result == 'r') return "cvt.u64.u32 %d9, %r9;";
  return k->letter == 'f'   ? "mov.b32 %r9, %f0; cvt.u64.u32 %d9, %r9;"
         : k->letter == 'g' ? "mov.b64 %d9, %g0;"
                            : "cvt.u64.u16 %d9, %h0;";
}

static void run(const char *body, const Kind *k, char result) {
  char text[2048], own[512];
  spell(own, body, k);
  int n =
      sprintf(text, "mul.wide.u32 %%d2, %%t, 24; add.u64 %%d3, %%in, %%d2;"
                    "mul.wide.u32 %%d4, %%t, 8; add.u64 %%d5, %%out, %%d4;"
                    "ld.global.f64 %%g1, [%%d3]; ld.global.f64 %%g2, [%%d3+8];"
                    "ld.global.f64 %%g3, [%%d3+16];"
                    "setp.eq.f64 %%p1, %%g3, 0d3ff0000000000000;\n");
  n += sprintf(text + n, "%s", convert(k, 1));
  n += sprintf(text + n, "%s", convert(k, 2));
  sprintf(text + n, "%s\n%s\nst.global.u64 [%%d5], %%d9;", own,
          take(k, result));
  fill(k);
  kit_map(kit_load_body(text), THREADS, in, sizeof in, out, sizeof out);
}

static uint64_t bits_of(const Kind *k, double x) {
  const uint32_t bits = single_bits((float)x);
  if (k->letter == 'g') return double_bits(x);
  if (k == &kinds[BF16]) return bits >> 16;
  if (k->letter == 'f') return bits;
  if (isnan(x)) return 0x7fff;
  const uint64_t sign = signbit(x) ? 0x8000 : 0;
  const double size = fabs(x);
  if (isinf(x)) return sign | 0x7c00;
  if (size < k->least) return sign | (uint64_t)(size / k->smallest);
  int exponent;
  const double fraction = frexp(size, &exponent) * 2;
  return sign | (uint64_t)(exponent + 14) << 10 |
         (uint64_t)((fraction - 1) * 1024);
}

static double flushed(const Kind *k, double x) {
  return fabs(x) < k->least ? copysign(0, x) : x;
}

static void expect(const char *body, const Kind *k, int t, uint64_t wanted) {
  if (out[t] != wanted)
    fail_msg("%s of %s %a, %a: %llx, not %llx", body, k->name, in[t][0],
             in[t][1], (unsigned long long)out[t], (unsigned long long)wanted);
}

// -- Comparisons -------------------------------------------------------------

static bool holds(int comparison, double a, double b) {
  const bool no_order = isnan(a) || isnan(b);
  switch (comparison % 7) {
  case 0: return comparison < 7 ? a == b : no_order || a == b;
  case 1: return comparison < 7 ? !no_order && a != b : no_order || a != b;
  case 2: return comparison < 7 ? a < b : no_order || a < b;
  case 3: return comparison < 7 ? a <= b : no_order || a <= b;
  case 4: return comparison < 7 ? a > b : no_order || a > b;
  case 5: return comparison < 7 ? a >= b : no_order || a >= b;
  default: return comparison < 7 ? !no_order : no_order;
  }
}

static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                          "ge",  "num", "equ", "neu", "ltu",
                                          "leu", "gtu", "geu", "nan"};

static void compare(const Kind *k, int i, bool ftz, int join) {
  static const char *const joins[] = {"", ".and", ".or", ".xor"};
  char body[256];
  snprintf(body, sizeof body, "setp.%s%s%s.@ %%p2, #1, #2%s;", comparisons[i],
           joins[join], ftz ? ".ftz" : "", join ? ", %p1" : "");
  run(body, k, 'p');
  for (int t = 0; t < THREADS; t++) {
    const double a = ftz ? flushed(k, in[t][0]) : in[t][0];
    const double b = ftz ? flushed(k, in[t][1]) : in[t][1];
    const bool it = holds(i, a, b), odd = in[t][2] == 1;
    expect(body, k, t,
           join == 0   ? it
           : join == 1 ? it && odd
           : join == 2 ? it || odd
                       : it != odd);
  }
}

static void test_comparisons(void **state) {
  (void)state;
  for (int i = 0; i < 14; i++)
    for (int kind = 0; kind < NUM_KINDS; kind++) {
      const bool has_ftz = kind == F32 || kind == F16;
      compare(&kinds[kind], i, false, i % 4);
      if (has_ftz) compare(&kinds[kind], i, true, 0);
    }
}

// Comparisons give masks or ones, by the type of the result.
static void test_sets(void **state) {
  (void)state;
  static const char *const types[] = {"u32", "s32", "f32"};
  for (int i = 0; i < 14; i++)
    for (int kind = 0; kind < NUM_KINDS - 1; kind++) {
      const char *type = types[(i + kind) % 3];
      char body[256];
      snprintf(body, sizeof body, "set.%s.%s.@ %s, #1, #2;%s", comparisons[i],
               type, *type == 'f' ? "%f9" : "%r9",
               *type == 'f' ? "mov.b32 %r9, %f9;" : "");
      if (*type == 'f' && kind == F16) continue; // there is none
      run(body, &kinds[kind], 'r');
      for (int t = 0; t < THREADS; t++)
        expect(body, &kinds[kind], t,
               !holds(i, in[t][0], in[t][1]) ? 0
               : *type == 'f'                ? 0x3f800000
                                             : 0xffffffff);
    }
}

// -- One number of two -------------------------------------------------------

static void expect_number(const char *body, const Kind *k, int t,
                          double wanted) {
  const uint64_t infinity = UINT64_C(0x7ff) << 53;
  if (k->letter == 'g' && isnan(wanted) && out[t] << 1 > infinity) return;
  expect(body, k, t, bits_of(k, wanted));
}

static void test_extremes(void **state) {
  (void)state;
  for (int i = 0; i < NUM_KINDS * 8; i++) {
    const Kind *k = &kinds[i % NUM_KINDS];
    const bool is_least = i / NUM_KINDS % 2, keeps = i / NUM_KINDS / 2 % 2;
    const bool ftz = i / NUM_KINDS / 4;
    if ((ftz && (k == &kinds[F64] || k == &kinds[BF16])) ||
        (keeps && k == &kinds[F64]))
      continue;
    char body[128];
    snprintf(body, sizeof body, "%s%s%s.@ #0, #1, #2;",
             is_least ? "min" : "max", ftz ? ".ftz" : "", keeps ? ".NaN" : "");
    run(body, k, 'x');
    for (int t = 0; t < THREADS; t++) {
      const double a = ftz ? flushed(k, in[t][0]) : in[t][0];
      const double b = ftz ? flushed(k, in[t][1]) : in[t][1];
      expect_number(body, k, t, extreme_of(a, b, is_least, keeps));
    }
  }
}

static void test_signs(void **state) {
  (void)state;
  for (int i = 0; i < NUM_KINDS; i++) {
    const Kind *k = &kinds[i];
    static const char *const bodies[] = {"abs.@ #0, #1;", "neg.@ #0, #1;",
                                         "copysign.@ #0, #1, #2;"};
    for (int n = 0; n < (i <= F64 ? 3 : 2); n++) {
      run(bodies[n], k, 'x');
      for (int t = 0; t < THREADS; t++) {
        const double a = in[t][0];
        if (isnan(a) || isnan(in[t][1])) continue; // the sign is open
        expect(bodies[n], k, t,
               bits_of(k, n == 0   ? fabs(a)
                          : n == 1 ? -a
                                   : copysign(in[t][1], a)));
      }
    }
  }
}

static void test_classes(void **state) {
  (void)state;
  static const char *const names[] = {"finite",     "infinite", "number",
                                      "notanumber", "normal",   "subnormal"};
  for (int i = 0; i < 12; i++) {
    const Kind *k = &kinds[i % 2];
    char body[128];
    snprintf(body, sizeof body, "testp.%s.@ %%p2, #1;", names[i / 2]);
    run(body, k, 'p');
    for (int t = 0; t < THREADS; t++) {
      const double x = in[t][0], size = fabs(x);
      const bool is[] = {isfinite(x),
                         isinf(x),
                         !isnan(x),
                         isnan(x),
                         isfinite(x) && size >= k->least,
                         size > 0 && size < k->least};
      expect(body, k, t, is[i / 2]);
    }
  }
}

static int set_up(void **state) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_comparisons), cmocka_unit_test(test_sets),
      cmocka_unit_test(test_extremes),    cmocka_unit_test(test_signs),
      cmocka_unit_test(test_classes),
  };
  return cmocka_run_group_tests(tests, set_up, kit_teardown);
}
