// test_number.c -- number formats against tables that are made by counting.
//
// The codes of a format are in the order of their values, so each value is the
// one before plus a unit in the last place.  Rounding is a search between two
// neighbours and their midpoint.
#include "ir/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CODES = 1 << 15 };

typedef struct {
  Elem elem;
  int exponent, mantissa; // bits
  bool infinite;          // has infinities
  bool saturates;         // a conversion never overflows to infinity
  int count;              // finite codes without sign
  double value[MAX_CODES];
} Format;

static Format *format_make(Elem elem, int exponent, int mantissa, bool infinite,
                           bool saturates) {
  Format *f = calloc(1, sizeof *f);
  *f = (Format){elem, exponent, mantissa, infinite, saturates, 0, {0}};
  const int per_binade = 1 << mantissa;
  const int top = (1 << exponent) - (infinite ? 1 : 0);
  f->count = top * per_binade - (infinite ? 0 : 1); // the last may be a NaN
  const int bias = (1 << (exponent - 1)) - 1;
  double step = 1;
  for (int i = 0; i < bias - 1 + mantissa; i++) step /= 2;
  for (int code = 1; code < f->count; code++) {
    // The two lowest binades, denormals and the first, share their unit.
    const int before = code - 1;
    if (before >= 2 * per_binade && before % per_binade == 0) step *= 2;
    f->value[code] = f->value[code - 1] + step;
  }
  return f;
}

static const struct {
  Elem elem;
  int exponent, mantissa;
  bool infinite, saturates;
} shapes[] = {
    {ELEM_f8e4nv, 4, 3, false, true},
    {ELEM_f8e5, 5, 2, true, true},
    {ELEM_f16, 5, 10, true, false},
    {ELEM_bf16, 8, 7, true, false},
};
enum { NUM_FORMATS = sizeof shapes / sizeof *shapes };

static Format *format_at(int i) {
  return format_make(shapes[i].elem, shapes[i].exponent, shapes[i].mantissa,
                     shapes[i].infinite, shapes[i].saturates);
}

// -- Encodings ---------------------------------------------------------------

static void check_code(const Format *f, uint64_t code, uint64_t sign) {
  const double value = float_decode(code | sign, f->elem);
  const uint64_t infinity = (uint64_t)f->count;
  if (code < infinity) {
    const double wanted = sign ? -f->value[code] : f->value[code];
    assert_memory_equal(&value, &wanted, sizeof value);
  } else if (code == infinity && f->infinite) {
    assert_true(isinf(value) && (value < 0) == (sign != 0));
  } else {
    assert_true(isnan(value));
    return;
  }
  assert_int_equal(float_encode(value, f->elem), code | sign);
  if (isinf(value) && f->saturates) return; // rounding would clamp it
  const double again = float_round(value, f->elem);
  assert_memory_equal(&again, &value, sizeof value);
}

static void all_codes_decode_and_encode(void **state) {
  (void)state;
  for (int i = 0; i < NUM_FORMATS; i++) {
    Format *f = format_at(i);
    const uint64_t sign = UINT64_C(1) << (f->exponent + f->mantissa);
    for (uint64_t code = 0; code < sign; code++) {
      check_code(f, code, 0);
      check_code(f, code, sign);
    }
    free(f);
  }
}

static void extremes_are_the_known_ones(void **state) {
  (void)state;
  static const double largest[] = {448, 57344, 65504, 0x1.fep127};
  static const double least[] = {0x1p-9, 0x1p-16, 0x1p-24, 0x1p-133};
  for (int i = 0; i < NUM_FORMATS; i++) {
    Format *f = format_at(i);
    assert_true(f->value[f->count - 1] == largest[i]);
    assert_true(f->value[1] == least[i]);
    free(f);
  }
}

static void nans_encode_as_the_canonical_one(void **state) {
  (void)state;
  assert_int_equal(float_encode(NAN, ELEM_f8e4nv), 0x7f);
  assert_int_equal(float_encode(NAN, ELEM_f8e5), 0x7f);
  assert_int_equal(float_encode(-NAN, ELEM_f8e5), 0x7f);
  assert_int_equal(float_encode(NAN, ELEM_f16), 0x7e00);
  assert_int_equal(float_encode(NAN, ELEM_bf16), 0x7fc0);
  assert_int_equal(float_encode(NAN, ELEM_f32), 0x7fc00000);
  assert_true(float_encode(-NAN, ELEM_f64) == UINT64_C(0x7ff8000000000000));
}

// -- Rounding ----------------------------------------------------------------

// The magnitude that the magnitude x rounds to.
static double nearest(const Format *f, double x, bool toward_zero) {
  const int last = f->count - 1;
  int low = 0, high = last; // value[low] <= x
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (f->value[middle] <= x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const double below = f->value[low];
  const double unit = f->value[last] - f->value[last - 1];
  const double above = low < last ? f->value[low + 1] : below + unit;
  const bool up =
      x > (below + above) / 2 || (x == (below + above) / 2 && low % 2 == 1);
  if (toward_zero || !up) return below;
  if (low < last) return above;
  return f->saturates ? below : INFINITY;
}

static void check_round(const Format *f, double x) {
  for (int sign = 1; sign >= -1; sign -= 2) {
    const double wanted = copysign(nearest(f, x, false), sign);
    const double zeroward = copysign(nearest(f, x, true), sign);
    const double got = float_round(sign * x, f->elem);
    const double cut = float_round_to(sign * x, f->elem, ROUNDING_rtz);
    assert_memory_equal(&got, &wanted, sizeof got);
    assert_memory_equal(&cut, &zeroward, sizeof cut);
    assert_true(float_encode(sign * x, f->elem) ==
                float_encode(wanted, f->elem));
  }
}

static void neighbours_and_midpoints_round(void **state) {
  (void)state;
  for (int i = 0; i < NUM_FORMATS; i++) {
    Format *f = format_at(i);
    for (int code = 0; code < f->count; code++) {
      const double x = f->value[code];
      const double next = code + 1 < f->count ? f->value[code + 1]
                                              : x + (x - f->value[code - 1]);
      const double middle = (x + next) / 2;
      check_round(f, x);
      check_round(f, nextafter(x, INFINITY));
      check_round(f, middle);
      check_round(f, nextafter(middle, 0));
      check_round(f, nextafter(middle, INFINITY));
      check_round(f, nextafter(next, 0));
    }
    check_round(f, 1e300);
    check_round(f, 0x1p-1074);
    free(f);
  }
}

static void infinities_keep_or_saturate(void **state) {
  (void)state;
  assert_true(float_round(INFINITY, ELEM_f8e4nv) == 448);
  assert_true(float_round(-INFINITY, ELEM_f8e4nv) == -448);
  assert_true(float_round(INFINITY, ELEM_f8e5) == 57344);
  assert_true(float_encode(-INFINITY, ELEM_f8e5) == 0xfc);
  static const Elem rest[] = {ELEM_f16, ELEM_bf16, ELEM_f32};
  for (int i = 0; i < 3; i++) {
    assert_true(float_round(INFINITY, rest[i]) == INFINITY);
    assert_true(float_round_to(-INFINITY, rest[i], ROUNDING_rtz) == -INFINITY);
    assert_true(isnan(float_round(NAN, rest[i])));
  }
}

// -- f32 and f64 -------------------------------------------------------------

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void check_f32(double x) {
  const float wanted = (float)x;
  const double exact = wanted, got = float_round(x, ELEM_f32);
  assert_memory_equal(&got, &exact, sizeof got);
  uint32_t bits;
  memcpy(&bits, &wanted, sizeof bits);
  assert_true(float_encode(x, ELEM_f32) == bits);
  const double again = float_decode(bits, ELEM_f32);
  assert_memory_equal(&again, &exact, sizeof again);
  const bool away = fabs(exact) > fabs(x);
  const double cut = float_round_to(x, ELEM_f32, ROUNDING_rtz);
  const double zeroward = away ? (double)nextafterf(wanted, 0) : exact;
  assert_memory_equal(&cut, &zeroward, sizeof cut);
}

static void f32_is_the_hardware_s(void **state) {
  (void)state;
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    const uint64_t r = next_random(&random);
    float f;
    double d;
    const uint32_t low = (uint32_t)r;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &r, sizeof d);
    if (isnan(f) || isnan(d)) continue;
    const double next = nextafterf(f, INFINITY), middle = (f + next) / 2;
    check_f32(d);
    check_f32(f);
    if (!isfinite(next) || !isfinite(f)) continue;
    check_f32(middle);
    check_f32(nextafter(middle, INFINITY));
    check_f32(nextafter(middle, -INFINITY));
  }
}

static void f64_passes_through(void **state) {
  (void)state;
  uint64_t random = 1234567;
  for (int i = 0; i < 1000; i++) {
    const uint64_t bits = next_random(&random);
    const double x = float_decode(bits, ELEM_f64);
    if (isnan(x)) continue;
    assert_true(float_encode(x, ELEM_f64) == bits);
    const double same = float_round(x, ELEM_f64);
    assert_memory_equal(&same, &x, sizeof x);
  }
}

// From the true value: 1 + 2^-11 + 2^-40 is past f16's midpoint, though f32
// would put it exactly on it.
static void narrowing_rounds_once(void **state) {
  (void)state;
  const double x = 1 + 0x1p-11 + 0x1p-40;
  assert_true(float_round(x, ELEM_f16) == 1 + 0x1p-10);
  assert_true(float_round((float)x, ELEM_f16) == 1);
}

// -- Text and integers -------------------------------------------------------

static void every_value_prints_and_reads_back(void **state) {
  (void)state;
  Arena arena;
  for (int i = 0; i < NUM_FORMATS; i++) {
    arena_init(&arena, &system_allocator);
    Format *f = format_at(i);
    Str text = str_in(&arena);
    for (int code = 0; code < f->count; code++) {
      text.length = 0;
      float_print(-f->value[code], f->elem, &text);
      double again;
      assert_true(float_parse(text.data, text.length, f->elem, &again));
      assert_true(again == -f->value[code] && text.length < 24);
      assert_non_null(strpbrk(text.data, ".e"));
    }
    free(f);
    arena_free(&arena);
  }
}

static void integers_wrap(void **state) {
  (void)state;
  for (int64_t i = -1000; i < 1000; i++) {
    assert_true(int_wrap(i, ELEM_i8) == (int8_t)i);
    assert_true(int_wrap(i * 77, ELEM_i16) == (int16_t)(i * 77));
    assert_true(int_wrap(i * 33554433, ELEM_i32) == (int32_t)(i * 33554433));
    assert_true(int_wrap(i, ELEM_i64) == i);
    assert_true(int_wrap(i, ELEM_i1) == (i & 1));
    assert_true(int_unsigned(i, ELEM_i8) == (uint8_t)i);
    assert_true(int_unsigned(i, ELEM_i32) == (uint32_t)i);
    assert_true(int_unsigned(i, ELEM_i64) == (uint64_t)i);
    assert_true(int_unsigned(int_wrap(i, ELEM_i1), ELEM_i1) ==
                (uint64_t)(i & 1));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_codes_decode_and_encode),
      cmocka_unit_test(extremes_are_the_known_ones),
      cmocka_unit_test(nans_encode_as_the_canonical_one),
      cmocka_unit_test(neighbours_and_midpoints_round),
      cmocka_unit_test(infinities_keep_or_saturate),
      cmocka_unit_test(f32_is_the_hardware_s),
      cmocka_unit_test(f64_passes_through),
      cmocka_unit_test(narrowing_rounds_once),
      cmocka_unit_test(every_value_prints_and_reads_back),
      cmocka_unit_test(integers_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
