// test_signature.c -- signatures, -D values, and the resulting parameters.
#include "specialize_kit.h"

#include <math.h>

static ArgSpec value_of(Kit *kit, const char *text) {
  ArgSpec spec;
  assert_true(frontend_parse_value(&kit->arena, &kit->diags, "v", text, &spec));
  return spec;
}

static void values(void **state) {
  (void)state;
  Kit *kit = kit_create();
  assert_int_equal(value_of(kit, "64").i, 64);
  assert_int_equal(value_of(kit, " -0x10 ").i, -16);
  assert_int_equal(value_of(kit, "64").kind, ARG_INT);
  assert_true(value_of(kit, "0.5").f == 0.5);
  assert_true(value_of(kit, "-1e-3").f == -1e-3);
  assert_true(value_of(kit, "-1e-3").kind == ARG_FLOAT);
  assert_true(isinf(value_of(kit, "inf").f));
  assert_int_equal(value_of(kit, "None").kind, ARG_NONE);
  assert_int_equal(value_of(kit, "True").i, 1);
  assert_int_equal(value_of(kit, "False").kind, ARG_BOOL);
  assert_string_equal(value_of(kit, "\"a b\"").text, "a b");
  assert_int_equal(value_of(kit, "''").kind, ARG_STRING);
  assert_string_equal(value_of(kit, "tl.float16").text, "float16");
  assert_int_equal(value_of(kit, "*fp32").kind, ARG_DTYPE);
  assert_int_equal(value_of(kit, "relu").kind, ARG_FUNCTION);
  const ArgSpec tuple = value_of(kit, "(1, (2, fp16), )");
  assert_int_equal(tuple.kind, ARG_TUPLE);
  assert_int_equal(tuple.num_items, 2);
  assert_int_equal(tuple.items[1].items[0].i, 2);
  assert_null(tuple.names);
  const ArgSpec named = value_of(kit, "(n = 1, t=(2, 3))");
  assert_string_equal(named.names[0], "n");
  assert_string_equal(named.names[1], "t");
  assert_null(named.items[1].names);
  kit_free(kit);
}

static void bad_values(void **state) {
  (void)state;
  static const char *const texts[] = {"",   "*fp33", "1 2",
                                      "(1", "\"a",   "99999999999999999999",
                                      "1x", "-",     "(((((((((((((((((((((1",
                                      "*",  "i32:",  "64:16"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    Kit *kit = kit_create();
    ArgSpec spec;
    if (frontend_parse_value(&kit->arena, &kit->diags, "v", texts[i], &spec))
      fail_msg("'%s' was read", texts[i]);
    assert_int_equal(kit->diags.num_errors, 1);
    kit_free(kit);
  }
}

static const char kernel[] = "@jit\ndef k(a, b, T: tl.constexpr, c, B: "
                             "tl.constexpr = 4): pass\n";

static void check(const char *signature, const char *expected) {
  Kit *kit = kit_specialize_named(kernel, "k", signature);
  check_contains(kit_ir(kit), expected);
  kit_free(kit);
}

static void signatures(void **state) {
  (void)state;
  check("*fp16:16, u8, fp32, i64:8, 8",
        "(%a: ptr<f16> {argument = 0, divisibility = [16]}, %b: i8 {argument = "
        "1}, %c: i64 {argument = 3, divisibility = [8]})");
  check("1, None, None, 2.5, 8", "kernel @k()");
  check("*fp16, i32, 1, i32", "(%a: ptr<f16> {argument = 0}, %b: i32 {argument "
                              "= 1}, %c: i32 {argument = 3})");
  check("*fp16, i32", "the signature of 'k' wants 5 entries, or 3 without the "
                      "constexpr ones; found 2");
  check("*fp16, i32, i32", "'T': this constexpr parameter has no value");
  check("*fp16:3, i32, 1, i32, 1", "a divisibility is a power of two");
  check("*fp16, fp32:16, 1, i32", "a pointer or an integer can be divisible");
  check("*fp16 i32, 1, i32, 1", "',' is wanted");
}

// A constant for a parameter that has a type is a run-time scalar of it.
static void constants(void **state) {
  (void)state;
  Kit *kit = kit_specialize_named(
      "@jit\ndef k(a: tl.int64, b, f, t, n, B: tl.constexpr):\n"
      "  tl.static_assert(a.dtype == tl.int64 and isinstance(b, int))\n"
      "  tl.static_assert(f == 0.5 and n is None)\n"
      "  tl.static_assert(b == 1 and B == (1, 'x'))\n"
      "  tl.static_assert(t[0].dtype == tl.int32 and t[1].dtype.is_ptr())\n"
      "  tl.store(t[1] + b, a)\n",
      "k", "3, 1, 0.5, (i32, *i64:16), None, (1, 'x')");
  const char *ir = kit_ir(kit);
  check_contains(ir, "kernel @k(%t_0: i32 {argument = 3}, %t_1: ptr<i64> "
                     "{argument = 3, divisibility = [16]})");
  check_contains(ir, "constant {value = 3} : i64");
  kit_free(kit);
}

// The items of a tuple may have names, also those of its constants.
static void names(void **state) {
  (void)state;
  Kit *kit = kit_specialize_named(
      "@jit\ndef k(t, C: tl.constexpr):\n"
      "  tl.static_assert(t.sizes[1] == 8 and C.a == 1 and C.b.c == 'x')\n"
      "  u = t if t.n > 0 else t\n"
      "  tl.store(u.out, t.n)\n",
      "k", "(n=i32, sizes=(i32, 8), out=*i32), (a=1, b=(c='x'))");
  check_contains(kit_ir(kit), "kernel @k(%t_0: i32 {argument = 0}, %t_1_0: i32 "
                              "{argument = 0}, %t_2: ptr<i32> {argument = 0})");
  kit_free(kit);
}

// A default is an argument like others: a 1 is a constant, unless the kernel
// says otherwise.
static void defaults(void **state) {
  (void)state;
  Kit *kit = kit_specialize_named(
      "@jit(do_not_specialize=['b'])\n"
      "def k(x, a=1, b=1, c=2, d: tl.int64 = 1, e=True, f=1.0):\n"
      "  tl.static_assert(a == 1 and isinstance(b, tl.tensor))\n"
      "  tl.static_assert(isinstance(c, tl.tensor))\n"
      "  tl.static_assert(d.dtype == tl.int64 and e.dtype == tl.int1)\n"
      "  tl.static_assert(f.dtype == tl.float32)\n",
      "k", "*fp32");
  check_contains(kit_ir(kit), "kernel @k(");
  kit_free(kit);
  kit = kit_specialize_named(
      "@jit\ndef k(x, a, b, c, d):\n"
      "  tl.static_assert(a == float('-inf') and b == 0.5 and c == -0.001)\n"
      "  tl.static_assert(d == 2.0)\n",
      "k", "*fp32, -inf, .5, -1e-3, 2.");
  check_contains(kit_ir(kit), "kernel @k(");
  kit_free(kit);
  kit = kit_specialize_named("@kernel(do_not_specialize=['b'])\n"
                             "def k(x, b=1):\n"
                             "  tl.static_assert(isinstance(b, tl.tensor))\n",
                             "k", "*fp32");
  check_contains(kit_ir(kit), "kernel @k(");
  kit_free(kit);
}

// In and out of tuples.
static void descriptors(void **state) {
  (void)state;
  Kit *kit = kit_specialize_named(
      "@jit\ndef k(d, n, e):\n"
      "  tl.static_assert(d.block_shape == (4, 16) and n.dtype == tl.int32)\n"
      "  tl.static_assert(d.shape[0].dtype == tl.int32)\n"
      "  tl.static_assert(d.strides[0].dtype == tl.int64)\n"
      "  tl.static_assert(isinstance(d, tl.tensor_descriptor))\n"
      "  d.store([n, 0], d.load([0, e[0]]) + e[1].load([0]).sum())\n",
      "k", "tensordesc<fp16[4, 16]>, i32:16, (i32, tensordesc<fp32[8]>:16)");
  check_contains(
      kit_ir(kit),
      "kernel @k(%d: ptr<f16> {argument = 0, divisibility = [16]}, "
      "%d_size_0: i32 {argument = 0}, %d_size_1: i32 {argument = 0}, "
      "%d_stride_0: i64 {argument = 0, divisibility = [8]}, "
      "%n: i32 {argument = 1, divisibility = [16]}, %e_0: i32 {argument = 2}, "
      "%e_1: ptr<f32> {argument = 2, divisibility = [16]}, "
      "%e_1_size_0: i32 {argument = 2, divisibility = [16]})");
  kit_free(kit);
}

static void bad_descriptors(void **state) {
  (void)state;
  check("tensordesc, i32, i32", "'<' is wanted here");
  check("tensordesc<fp16>, i32, i32", "'[' is wanted here");
  check("tensordesc<fp33[8]>, i32, i32", "'fp33' is not a type");
  check("tensordesc<*fp16[8]>, i32, i32", "elements of a plain type");
  check("tensordesc<fp16[8, x]>, i32, i32", "this is no number");
  check("tensordesc<fp16[8, 16, i32, i32", "this is no number");
  check("tensordesc<fp16[8, 16], i32, i32", "'>' is wanted here");
  check("tensordesc<fp16[8], inf>, i32, i32", "'>' is wanted here");
  check("tensordesc<fp16[8]>:3, i32, i32", "a divisibility is a power of two");
  check("tensordesc<fp16[1, 1, 1, 1, 1, 8]>, i32", "1 to 5 whole sizes");
  check("tensordesc<fp16[4, 4]>, i32, 1, i32", "16 bytes");
  check("tensordesc<fp16[4, 12]>, i32, 1, i32", "powers of two");
}

static void defaults_and_annotations(void **state) {
  (void)state;
  Kit *kit = kit_specialize(
      "G = tl.constexpr(3)\n@jit\n"
      "def k(x: \"*fp16\", n: int, s: float, e=1e-6, b: bool = True,\n"
      "      B: tl.constexpr = G * 2, D: tl.constexpr = tl.float16):\n"
      "  tl.static_assert(B == 6 and e.dtype == tl.float32)\n"
      "  tl.static_assert(x.dtype.element_ty == D and b.dtype == tl.int1)\n",
      NULL);
  check_contains(kit_ir(kit), "(%x: ptr<f16> {argument = 0}, %n: i32 "
                              "{argument = 1}, %s: f32 {argument = 2})");
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),
      cmocka_unit_test(bad_values),
      cmocka_unit_test(signatures),
      cmocka_unit_test(constants),
      cmocka_unit_test(names),
      cmocka_unit_test(defaults),
      cmocka_unit_test(descriptors),
      cmocka_unit_test(bad_descriptors),
      cmocka_unit_test(defaults_and_annotations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
