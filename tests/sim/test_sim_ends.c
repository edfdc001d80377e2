// test_sim_ends.c -- limits: saturation at the least and the largest number of
// a type, and the first and the last byte of an access.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *name;
  int bits;
  bool is_signed;
} Kind;

static const Kind kinds[] = {{"s8", 8, true},   {"u8", 8, false},
                             {"s16", 16, true}, {"u16", 16, false},
                             {"s32", 32, true}, {"u32", 32, false},
                             {"s64", 64, true}, {"u64", 64, false}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

__extension__ typedef __int128 Wide;

static Wide least_of(const Kind *k) {
  return k->is_signed ? -((Wide)1 << (k->bits - 1)) : 0;
}
static Wide most_of(const Kind *k) {
  return ((Wide)1 << (k->bits - k->is_signed)) - 1;
}
static Wide clamp(const Kind *k, Wide x) {
  return x < least_of(k) ? least_of(k) : x > most_of(k) ? most_of(k) : x;
}
// The number of the type that has the low bits of `bits`.
static Wide wrap(const Kind *k, int64_t bits) {
  const Wide x =
      (Wide)((uint64_t)bits & (uint64_t)((((Wide)1) << k->bits) - 1));
  return x > most_of(k) ? x - ((Wide)1 << k->bits) : x;
}

static char letter(const Kind *k) {
  return k->bits <= 16 ? 'h' : k->bits == 32 ? 'r' : 'd';
}

static const int64_t edges[] = {
    0,         1,          -1,          2,          126,        127,
    128,       -127,       -128,        -129,       254,        255,
    256,       -255,       32766,       32767,      32768,      -32768,
    -32769,    65534,      65535,       65536,      2147483646, 2147483647,
    INT32_MIN, 2147483648, -2147483649, 4294967294, 4294967295, 4294967296,
    INT64_MAX, INT64_MIN};
enum { NUM_EDGES = sizeof edges / sizeof *edges };

// out[t] is %d9 after `body`, in[t] is %d1 before it.
static void run_on(const char *body, const void *in, int64_t *out) {
  char text[2048];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d2, %%t, 8; add.u64 %%d3, %%in, %%d2;"
           "add.u64 %%d4, %%out, %%d2; ld.global.u64 %%d1, [%%d3];\n"
           "%s\nst.global.u64 [%%d4], %%d9;",
           body);
  const size_t size = NUM_EDGES * sizeof *out;
  kit_map(kit_load_body(text), NUM_EDGES, in, size, out, size);
}

// Converts each of `edges` to `from`, the result with saturation to `to`, and
// the result of that to 64 bits.
static void convert(const Kind *to, const Kind *from, int64_t *out) {
  char body[512];
  const int n = snprintf(body, sizeof body, "cvt.%s.s64 %%%c5, %%d1;\n",
                         from->name, letter(from));
  snprintf(body + n, sizeof body - (size_t)n,
           "cvt.sat.%s.%s %%%c6, %%%c5;\ncvt.%c64.%s %%d9, %%%c6;", to->name,
           from->name, letter(to), letter(from), to->is_signed ? 's' : 'u',
           to->name, letter(to));
  run_on(body, edges, out);
}

static void test_integers(void **state) {
  (void)state;
  for (int i = 0; i < NUM_KINDS * NUM_KINDS; i++) {
    const Kind *to = &kinds[i / NUM_KINDS], *from = &kinds[i % NUM_KINDS];
    if (least_of(to) <= least_of(from) && most_of(from) <= most_of(to))
      continue; // .sat is an error
    int64_t out[NUM_EDGES];
    convert(to, from, out);
    for (int t = 0; t < NUM_EDGES; t++) {
      const int64_t wanted = (int64_t)clamp(to, wrap(from, edges[t]));
      if (out[t] != wanted)
        fail_msg("cvt.sat.%s.%s of %lld: %lld, not %lld", to->name, from->name,
                 (long long)edges[t], (long long)out[t], (long long)wanted);
    }
  }
}

static const double reals[NUM_EDGES] = {
    0.0,     -0.0,     0.5,     -0.5,     0.999,   -0.999,  1.5,    -1.5,
    126.5,   127.0,    127.5,   128.0,    -127.5,  -128.0,  -128.5, -129.0,
    255.0,   255.75,   256.0,   -1.0,     32767.5, 32768.0, -32768, -32769,
    65535.5, 2.1475e9, 4.295e9, -2.148e9, 1e19,    -1e19,   2e19,   -1e300};

// The result is rounded towards 0 and clamped, as the manual says.
static void test_floats(void **state) {
  (void)state;
  for (int i = 0; i < NUM_KINDS * 2; i++) {
    const Kind *to = &kinds[i / 2];
    const bool is_double = i % 2;
    int64_t out[NUM_EDGES];
    char body[512];
    snprintf(body, sizeof body,
             "mov.b64 %%g1, %%d1; cvt.rn.f32.f64 %%f1, %%g1;\n"
             "cvt.rzi.%s.%s %%%c6, %%%s;\ncvt.%c64.%s %%d9, %%%c6;",
             to->name, is_double ? "f64" : "f32", letter(to),
             is_double ? "g1" : "f1", to->is_signed ? 's' : 'u', to->name,
             letter(to));
    run_on(body, reals, out);
    for (int t = 0; t < NUM_EDGES; t++) {
      double x = is_double ? reals[t] : (double)(float)reals[t];
      x = fmax(fmin(trunc(x), 1e20), -1e20);
      const int64_t wanted = (int64_t)clamp(to, (Wide)x);
      if (out[t] != wanted)
        fail_msg("cvt.rzi.%s of %g: %lld, not %lld", to->name, reals[t],
                 (long long)out[t], (long long)wanted);
    }
  }
}

typedef Wide Exact(Wide a, Wide b);
static Wide sum(Wide a, Wide b) {
  return a + b;
}
static Wide difference(Wide a, Wide b) {
  return a - b;
}
static Wide high(Wide a, Wide b) {
  return (a * b >> 32) + a;
}

static void expect_saturated(const char *body, Exact *exact) {
  const Kind *s32 = &kinds[4];
  for (int other = 0; other < NUM_EDGES; other++) {
    char text[512];
    int64_t out[NUM_EDGES];
    const Wide b = wrap(s32, edges[other]);
    snprintf(text, sizeof text,
             "cvt.u32.u64 %%r1, %%d1; mov.u32 %%r2, %d;\n%s\n"
             "cvt.s64.s32 %%d9, %%r9;",
             (int)b, body);
    run_on(text, edges, out);
    for (int t = 0; t < NUM_EDGES; t++) {
      const Wide a = wrap(s32, edges[t]);
      const int64_t wanted = (int64_t)clamp(s32, exact(a, b));
      if (out[t] != wanted)
        fail_msg("%s of %d and %d: %lld, not %lld", body, (int)a, (int)b,
                 (long long)out[t], (long long)wanted);
    }
  }
}

static void test_sums(void **state) {
  (void)state;
  expect_saturated("add.sat.s32 %r9, %r1, %r2;", sum);
  expect_saturated("sub.sat.s32 %r9, %r1, %r2;", difference);
  expect_saturated("mad.hi.sat.s32 %r9, %r1, %r2, %r1;", high);
}

// -- Bytes of an access ------------------------------------------------------

typedef struct {
  const char *type, *store, *load; // the operands: stored bits, and a register
  int size;
} Access;

// A write of the same value would be no race.
#define H "0x0101"
#define W "0x01010101"
#define D "0x0101010101010101"

static const Access accesses[] = {
    {"u8", "1", "%h1", 1},
    {"u16", H, "%h1", 2},
    {"u32", W, "%r1", 4},
    {"u64", D, "%d1", 8},
    {"v2.u8", "{1, 2}", "{%h1, %h2}", 2},
    {"v2.u32", "{" W ", " W "}", "{%r1, %r2}", 8},
    {"v4.u16", "{" H ", " H ", " H ", " H "}", "{%h1, %h2, %h3, %h4}", 8},
    {"v4.u32", "{" W ", " W ", " W ", " W "}", "{%r1, %r2, %r3, %r4}", 16},
    {"v2.u64", "{" D ", " D "}", "{%d1, %d2}", 16},
};

// One thread accesses 64 bytes behind the start, one of the other warp the byte
// at `at`; one of them stores.
static void expect_race(const char *space, const Access *x, bool stores,
                        int at) {
  char body[1024], wide[128], narrow[128];
  const char *base = space[0] == 's' ? "s" : "%out";
  if (stores)
    snprintf(wide, sizeof wide, "st.%s.%s [%s+64], %s;", space, x->type, base,
             x->store);
  else
    snprintf(wide, sizeof wide, "ld.%s.%s %s, [%s+64];", space, x->type,
             x->load, base);
  snprintf(narrow, sizeof narrow,
           stores ? "ld.%s.u8 %%h9, [%s+%d];" : "st.%s.u8 [%s+%d], 9;", space,
           base, at);
  snprintf(body, sizeof body,
           ".shared .align 16 .b8 s[256];\n"
           "setp.eq.u32 %%p1, %%t, 0; setp.eq.u32 %%p2, %%t, 32;\n"
           "@!%%p1 bra B; st.%s.v4.u32 [%s+48], {0, 0, 0, 0};\n"
           "st.%s.v4.u32 [%s+64], {0, 0, 0, 0};\n"
           "st.%s.v4.u32 [%s+80], {0, 0, 0, 0};\nB: bar.sync 0;\n"
           "@%%p1 %s\n@%%p2 %s",
           space, base, space, base, space, base, wide, narrow);
  char zeros[128] = {0};
  CUdeviceptr out = kit_upload(zeros, sizeof zeros);
  void *params[] = {&out, &out};
  CUmodule module = kit_load_body(body);
  const int error = kit_run(module, "k", (KitShape){{1}, {64}, 0}, params);
  const char *found = kit_reports();
  const bool races = at >= 64 && at < 64 + x->size;
  if (!error == races || (races ? !kit_only_kinds(found, "race") : *found))
    fail_msg("byte %d of %s.%s: '%s'", at - 64, space, x->type, found);
  if (error) {
    kit_reopen(); // a race ends the context
  } else {
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(out), 0);
  }
}

static void test_bytes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
    for (int at = 63; at <= 64 + accesses[i].size; at++) {
      for (int way = 0; way < 4; way++)
        expect_race(way % 2 ? "shared" : "global", &accesses[i], way / 2, at);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers),
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
