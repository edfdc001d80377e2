// test_host_extremes.c -- the greater and the smaller of all pairs of special
// numbers: signed zeros, NaNs of both kinds, infinities, denormals.
#include "host_kit.h"

enum { SPECIAL = 16, PAIRS = SPECIAL * SPECIAL };

static const uint64_t special_f32[SPECIAL] = {
    0,          0x80000000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345,
    0x7f800000, 0xff800000, 1,          0x80000001, 0x3f800000, 0xbf800000,
    0x7f7fffff, 0xff7fffff, 0x00800000, 0x807fffff};

static const uint64_t special_f64[SPECIAL] = {0,
                                              0x8000000000000000,
                                              0x7ff8000000000000,
                                              0xfff8000000000001,
                                              0x7ff0000000000001,
                                              0xfff0000012345678,
                                              0x7ff0000000000000,
                                              0xfff0000000000000,
                                              1,
                                              0x8000000000000001,
                                              0x3ff0000000000000,
                                              0xbff0000000000000,
                                              0x7fefffffffffffff,
                                              0xffefffffffffffff,
                                              0x0010000000000000,
                                              0x800fffffffffffff};

// How the operands are made from loads: a product is no signalling NaN, unless
// LLVM knows that its factor is 1.
static const char *const made[] = {
    "",
    "  %%one = constant {value = 1.0} : tile<256x%s>\n",
    // Element 160 of x is 1.
    "  %%160 = constant {value = 160} : i32\n"
    "  %%at = addptr %%x, %%160 : ptr<%s>\n"
    "  %%1 = load %%at : %s\n"
    "  %%one = splat %%1 : tile<256x%s>\n",
    // Only LLVM knows that it is 1.
    "  %%id = program_id {axis = 0} : i32\n"
    "  %%3 = constant {value = 3} : i32\n"
    "  %%few = andi %%id, %%3 : i32\n"
    "  %%less = cmpi %%few, %%3 {predicate = le} : i1\n"
    "  %%1 = constant {value = 1.0} : %s\n"
    "  %%2 = constant {value = 2.0} : %s\n"
    "  %%either = select %%less, %%1, %%2 : %s\n"
    "  %%one = splat %%either : tile<256x%s>\n",
};
enum { NUM_MADE = sizeof made / sizeof *made };

// Elements of x at i and at i + 256 to y at i.
static const char *text_of(Arena *arena, const char *op, const char *type,
                           int how) {
  const char *one = arena_printf(arena, made[how], type, type, type, type);
  const char *products =
      how ? arena_printf(arena,
                         "  %%a = mulf %%va, %%one : tile<256x%s>\n"
                         "  %%b = mulf %%vb, %%one : tile<256x%s>\n",
                         type, type)
          : "";
  const char *v = how ? "v" : "";
  return arena_printf(arena,
                      "kernel @f(%%x: ptr<%s>, %%y: ptr<%s>) {\n"
                      "  %%i = arange {start = 0, end = 256} : tile<256xi32>\n"
                      "  %%half = constant {value = 256} : i32\n"
                      "  %%z = addptr %%x, %%half : ptr<%s>\n"
                      "  %%xs = splat %%x : tile<256xptr<%s>>\n"
                      "  %%zs = splat %%z : tile<256xptr<%s>>\n"
                      "  %%ys = splat %%y : tile<256xptr<%s>>\n"
                      "  %%xp = addptr %%xs, %%i : tile<256xptr<%s>>\n"
                      "  %%zp = addptr %%zs, %%i : tile<256xptr<%s>>\n"
                      "  %%yp = addptr %%ys, %%i : tile<256xptr<%s>>\n"
                      "  %%%sa = load %%xp : tile<256x%s>\n"
                      "  %%%sb = load %%zp : tile<256x%s>\n%s%s"
                      "  %%r = %s %%a, %%b : tile<256x%s>\n"
                      "  store %%yp, %%r\n"
                      "  return\n"
                      "}\n",
                      type, type, type, type, type, type, type, type, type, v,
                      type, v, type, one, products, op, type);
}

typedef struct {
  const char *op;
  bool max, nan_wins;
} Extreme;

static double right(const Extreme *k, double a, double b) {
  if (isnan(a) || isnan(b)) {
    if (k->nan_wins) return NAN;
    return isnan(a) ? b : a;
  }
  if (a == b) return signbit(a) != k->max ? a : b;
  return (a > b) == k->max ? a : b;
}

static void check(const Extreme *k, Elem elem, const uint64_t *special,
                  int how) {
  const size_t bytes = (size_t)elem_info[elem].bits / 8;
  uint64_t in[2 * PAIRS], out[PAIRS];
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (size_t i = 0; i < PAIRS; i++) {
    memcpy((char *)in + i * bytes, &special[i / SPECIAL], bytes);
    memcpy((char *)in + (i + PAIRS) * bytes, &special[i % SPECIAL], bytes);
  }
  host_map(text_of(&arena, k->op, elem_info[elem].name, how), PAIRS, PAIRS, in,
           out);
  for (size_t i = 0; i < PAIRS; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)out + i * bytes, bytes);
    const double got = float_decode(bits, elem);
    const double a = float_decode(special[i / SPECIAL], elem);
    const double b = float_decode(special[i % SPECIAL], elem);
    const double want = right(k, a, b);
    if (isnan(want) ? isnan(got) : double_bits(got) == double_bits(want))
      continue;
    fail_msg("%s of %a and %a in %s: %a, expected %a", k->op, a, b,
             elem_info[elem].name, got, want);
  }
  arena_free(&arena);
}

static void knows_special_numbers(void **state) {
  (void)state;
  static const Extreme extremes[] = {{"maxf", true, false},
                                     {"minf", false, false},
                                     {"maximumf", true, true},
                                     {"minimumf", false, true}};
  for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
    for (int how = 0; how < NUM_MADE; how++) {
      check(&extremes[i], ELEM_f32, special_f32, how);
      check(&extremes[i], ELEM_f64, special_f64, how);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(knows_special_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
