// test_dtype.c -- the type that two types are computed in, pair by pair.
//
// The tables were read off Triton's own rules, not off ours.
#include "frontend/value/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TYPES = 13 };

static const char *const names[TYPES] = {"i1",   "i8",   "i16", "i32", "i64",
                                         "u8",   "u16",  "u32", "u64", "fp16",
                                         "bf16", "fp32", "fp64"};

// Row x, column y: the type of x + y.
static const char *const sums[TYPES] = {
    "i1   i8   i16  i32  i64  u8   u16  u32  u64  fp16 fp32 fp32 fp64",
    "i8   i8   i16  i32  i64  u8   u16  u32  u64  fp16 fp32 fp32 fp64",
    "i16  i16  i16  i32  i64  i16  u16  u32  u64  fp16 fp32 fp32 fp64",
    "i32  i32  i32  i32  i64  i32  i32  u32  u64  fp16 fp32 fp32 fp64",
    "i64  i64  i64  i64  i64  i64  i64  i64  u64  fp16 fp32 fp32 fp64",
    "u8   u8   i16  i32  i64  u8   u16  u32  u64  fp16 fp32 fp32 fp64",
    "u16  u16  u16  i32  i64  u16  u16  u32  u64  fp16 fp32 fp32 fp64",
    "u32  u32  u32  u32  i64  u32  u32  u32  u64  fp16 fp32 fp32 fp64",
    "u64  u64  u64  u64  u64  u64  u64  u64  u64  fp16 fp32 fp32 fp64",
    "fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp32 fp64",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp16 bf16 fp32 fp64",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64",
    "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64",
};

// The type that x / y, x // y and x % y start from; -: an error.
static const char *const quotients[TYPES] = {
    "i1   -    -    -    -    u8   u16  u32  u64  fp32 fp32 fp32 fp64",
    "-    i8   i16  i32  i64  -    -    -    -    fp32 fp32 fp32 fp64",
    "-    i16  i16  i32  i64  -    -    -    -    fp32 fp32 fp32 fp64",
    "-    i32  i32  i32  i64  -    -    -    -    fp32 fp32 fp32 fp64",
    "-    i64  i64  i64  i64  -    -    -    -    fp32 fp32 fp32 fp64",
    "u8   -    -    -    -    u8   u16  u32  u64  fp32 fp32 fp32 fp64",
    "u16  -    -    -    -    u16  u16  u32  u64  fp32 fp32 fp32 fp64",
    "u32  -    -    -    -    u32  u32  u32  u64  fp32 fp32 fp32 fp64",
    "u64  -    -    -    -    u64  u64  u64  u64  fp32 fp32 fp32 fp64",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64",
    "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64",
};

// A number of the source beside a run-time value of each type.
static const struct {
  const char *literal, *sums, *quotients;
} weak[] = {
    {"i1", "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64",
     "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp32 fp32 fp32 fp64"},
    {"i32", "i32 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64",
     "- i8 i16 i32 i64 u8 u16 u32 u64 fp32 fp32 fp32 fp64"},
    {"u32", "u32 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64",
     "u32 i8 i16 i32 i64 u8 u16 u32 u64 fp32 fp32 fp32 fp64"},
    {"i64", "i64 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64",
     "- i8 i16 i32 i64 u8 u16 u32 u64 fp32 fp32 fp32 fp64"},
    {"fp32", "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp16 bf16 fp32 fp64",
     "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64"},
    {"fp64", "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp16 bf16 fp32 fp64",
     "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp32 fp32 fp32 fp64"},
};

static Dtype parse(const char *name) {
  Dtype d;
  assert_true(dtype_parse(name, &d));
  return d;
}

// Word `n` of `row`.
static const char *word(const char *row, int n) {
  static char text[8];
  for (; n > 0; n--) {
    row += strcspn(row, " ");
    row += strspn(row, " ");
  }
  snprintf(text, sizeof text, "%.*s", (int)strcspn(row, " "), row);
  return text;
}

static void check(const char *x, const char *y, bool is_weak, bool is_division,
                  const char *expected) {
  Dtype d;
  const bool ok =
      dtype_compute(parse(x), false, parse(y), is_weak, is_division, &d);
  const char *found = ok ? dtype_info[d.id].signature : "-";
  if (strcmp(found, expected))
    fail_msg("%s with %s%s: wanted %s, found %s", x, is_weak ? "a weak " : "",
             y, expected, found);
}

static void pairs(void **state) {
  (void)state;
  for (int i = 0; i < TYPES; i++) {
    for (int k = 0; k < TYPES; k++) {
      check(names[i], names[k], false, false, word(sums[i], k));
      check(names[i], names[k], false, true, word(quotients[i], k));
    }
  }
}

static void literals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
    for (int k = 0; k < TYPES; k++) {
      check(names[k], weak[i].literal, true, false, word(weak[i].sums, k));
      check(names[k], weak[i].literal, true, true, word(weak[i].quotients, k));
    }
  }
}

static void notations(void **state) {
  (void)state;
  Dtype d = parse("*kfp16");
  assert_true(d.is_pointer && d.is_const && d.id == DTYPE_FP16);
  assert_int_equal(parse("u1").id, DTYPE_INT1);
  assert_int_equal(parse("float8e4nv").id, DTYPE_FP8E4NV);
  assert_int_equal(parse("uint16").id, DTYPE_UINT16);
  assert_false(dtype_parse("i33", &d));
  assert_false(dtype_parse("void", &d));
  assert_false(dtype_parse("*", &d));
  assert_false(dtype_parse("**fp32", &d));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pairs),
                                     cmocka_unit_test(literals),
                                     cmocka_unit_test(notations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
