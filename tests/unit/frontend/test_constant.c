// test_constant.c -- constants of the language are Python's.
//
// Every expression below is true in Python 3.
#include "specialize_kit.h"

static const char *const truths[] = {
    // integers
    "7 // 2 == 3 and -7 // 2 == -4 and 7 // -2 == -4 and -8 // 2 == -4",
    "7 % 3 == 1 and -7 % 3 == 2 and 7 % -3 == -2 and -6 % 3 == 0",
    "2 ** 10 == 1024 and (-2) ** 3 == -8 and 0 ** 0 == 1 and (-1) ** 5 == -1",
    "2 ** -1 == 0.5 and 1 ** 1000000 == 1 and (-1) ** 1000000 == 1",
    "1 << 70 >> 68 == 4 and 0 << 1000 == 0 and -5 >> 1 == -3 and 5 >> 200 == 0",
    "6 & 3 == 2 & 3 and 6 | 1 == 7 and 6 ^ 3 == 5 and ~5 == -6",
    "0xff == 255 and 0b11 == 3 and 0o17 == 15 and 1_000 == 1000",
    "2 ** 64 - 1 == 18446744073709551615 and -(2 ** 64) < 0",
    "True + True == 2 and True & False is False and True | False is True",
    "+5 == 5 and -True == -1 and not 0 and not None and not ''",
    // floats
    "7 / 2 == 3.5 and 7.5 // 2 == 3.0 and -7.5 // 2 == -4.0",
    "7.5 % 2 == 1.5 and -7.5 % 2 == 0.5 and 7.5 % -2 == -0.5",
    "1.0 // 0.1 == 9.0 and -1.0 // 0.1 == -10.0 and divmod(6.0, -4) == (-2, "
    "-2)",
    "str(-0.0 % 3.0) == '0.0' and str(3.0 % -3.0) == '-0.0'",
    "str(-0.0 // 1.0) == '-0.0' and -2.0 // float('inf') == -1.0",
    "-2.0 % float('inf') == float('inf') and 2.0 // float('inf') == 0.0",
    "2.0 ** 0.5 > 1.414 and 1e3 == 1000 and .5 + .25 == 0.75",
    "float('inf') > 1e308 and float('-inf') < 0 and float('nan') != "
    "float('nan')",
    "not float('nan') < 1 and not float('nan') >= 1 and float(3) == 3.0",
    "int(3.9) == 3 and int(-3.9) == -3 and int(True) == 1 and int('12') == 12",
    "-0.5 < 0 and -(-0.5) == 0.5 and abs(-2) == 2 and abs(-2.5) == 2.5",
    // comparisons
    "1 < 2 < 3 and not 1 < 3 < 2 and 1 == 1.0 and True == 1 and 2 >= 2.0",
    "1 != 'a' and None != 0 and (1, 2) == (1, 2) and (1, 2) != (1, 3)",
    "None is None and 3 is not None and True is True and not (1 is True)",
    "2 in (1, 2) and 3 not in (1, 2) and 'b' in 'abc' and 'd' not in 'abc'",
    "(1, (2, 3)) == (1, (2, 3)) and (1,) != (1, 2)",
    // strings
    "'a' + 'b' == 'ab' and 'a' < 'b' and 'a' < 'aa' and len('abc') == 3",
    "f'{1 + 1}' == '2' and f'{0.1}' == '0.1' and f'{1e22}' == '1e+22'",
    "f'{True} {None}' == 'True None' and f\"{'x'!r}\" == \"'x'\"",
    "f'{(1, \"a\", 2.0)}' == \"(1, 'a', 2.0)\" and f'{(1,)}' == '(1,)'",
    "str(1000.0) == '1000.0' and str(-1e5) == '-100000.0'",
    "str(1e15) == '1000000000000000.0' and str(1e16) == '1e+16'",
    "str(0.0001) == '0.0001' and str(0.00001) == '1e-05' and str(1.5e-7) == "
    "'1.5e-07'",
    "float(' +1.5 ') == 1.5 and float('.5') == 0.5 and float('-2.') == -2.0",
    "float('-Infinity') == -float('INF') and str(float('NaN')) == 'nan'",
    "int(' -12\\n') == -12 and int('+7') == 7 and int('010') == 10",
    "str(-12) == '-12' and str(1.0) == '1.0' and str(float('inf')) == 'inf'",
    // formats, as Python prints them
    "f\"{3:>8}\" == '       3'",
    "f\"{3:<8}|\" == '3       |'",
    "f\"{-3:^8}|\" == '   -3   |'",
    "f\"{-3:08d}\" == '-0000003'",
    "f\"{255:x} {255:#X} {5:#b} {8:o}\" == 'ff 0XFF 0b101 10'",
    "f\"{1234567:,} {1234567:_}\" == '1,234,567 1_234_567'",
    "f\"{2.5:.3f} {-2.5:+.1e} {0.25:%}\" == '2.500 -2.5e+00 25.000000%'",
    "f\"{1e-7:g} {123456789.0:.3g}\" == '1e-07 1.23e+08'",
    "f\"{'ab':>5}|{'ab':*^6}|{'abc':.2}\" == '   ab|**ab**|ab'",
    "f\"{True:5}|{True:d}|{True:}\" == '    1|1|True'",
    "f\"{3:+d} {3: d} {3:=+5}\" == '+3  3 +   3'",
    "f\"{2.0:8} {1e22:}|\" == '     2.0 1e+22|'",
    "f\"{12345.678:,.2f}\" == '12,345.68'",
    "f\"{3!r:>4}|{'a'!r:>5}\" == \"   3|  'a'\"",
    "f\"{7:{2 + 3}}\" == '    7'",
    "f\"{-0.0:.1f} {float('nan'):5}|{float('-inf'):6}|\" == '-0.0   nan|  "
    "-inf|'",
    // functions and methods
    "sorted((3, 1, 2)) == (1, 2, 3)",
    "any((0, 1)) and not any(()) and all((1, 2)) and not all((0, 1))",
    "pow(2, 3) == 8 and divmod(-7, 2) == (-4, 1) and (16).bit_length() == 5",
    "'abc'.startswith('ab') and 'abc'.endswith('bc') and not "
    "'a'.startswith('ab')",
    "'aBc'.upper() == 'ABC' and 'aBc'.lower() == 'abc'",
    "'a-b-a'.replace('a', 'xy') == 'xy-b-xy' and 'a_b'.split('_')[1] == 'b'",
    "len(' a  b '.split()) == 2 and (0).bit_length() == 0",
    "tuple(x + 1 for x in (1, 2)) == (2, 3)",
    "tuple(reversed((1, 2, 3))) == (3, 2, 1)",
    // tuples
    "tuple(range(0, 2 ** 63 - 1, 2 ** 62)) == (0, 2 ** 62)",
    "tuple(enumerate((5,), 2 ** 63 - 1)) == ((2 ** 63 - 1, 5),)",
    "[x for x in range(-(2 ** 62), -(2 ** 63), -(2 ** 62))][0] == -(2 ** 62)",
    "(1, 2) + (3,) == (1, 2, 3) and (1, 2) * 2 == (1, 2, 1, 2)",
    "2 * (0,) == (0, 0) and len((1, 2, 3)) == 3 and (1, 2, 3)[-1] == 3",
    "(1, 2, 3)[1:] == (2, 3) and (1, 2, 3)[:2] == (1, 2)",
    "(1, 2, 3)[::-1] == (3, 2, 1) and (1, 2, 3)[::2] == (1, 3)",
    "(1, 2, 3)[-1:0:-1] == (3, 2) and (1, 2, 3)[:-9:-2] == (3, 1)",
    "(1, 2, 3)[5:1] == () and (1, 2, 3)[-2:99] == (2, 3)",
    "(1, 2, 3)[0:3:2] == (1, 3) and (1, 2, 3)[-2:] == (2, 3)",
    "sum((1, 2, 3)) == 6 and sum((1, 2), 10) == 13",
    "max(1, 2.5) == 2.5 and min(3, 1, 2) == 1 and max((4, 9)) == 9",
    "tuple([x * 2 for x in (1, 2, 3) if x > 1]) == (4, 6)",
    "tuple(range(3)) == (0, 1, 2) and tuple(range(4, 0, -2)) == (4, 2)",
    "(lambda_free := 4) + lambda_free == 8",
    // values at the ends
    "{1: 2} != {1: 3} and {1: 2} == {1: 2.0} and {1: 2, 3: 4} == {3: 4, 1: 2}",
    "{1: 2} != {1: 2, 3: 4} and {1: 2, 3: 4} != {1: 2} and {} != {1: 1} and {} "
    "== {}",
    "{1: 2} != {2: 2} and {'a': None} != {'b': None} and {1: (2, 3)} != {1: "
    "(2, 4)}",
    "f'{3:5}|' == '    3|' and f'{2.5:5}|' == '  2.5|' and f'{2.0:5}|' == '  "
    "2.0|'",
    "f'{1.0:g} {1.0} {100000.0:g} {1000000.0:g}' == '1 1.0 100000 1e+06'",
    "f'{0:5d}|{0:x}|{0:b}|{-1:x}|{-0.0}|{0.0:+}' == '    0|0|0|-1|-0.0|+0.0'",
    "f'{999:,} {1000:,} {-1000:,} {999999:_}' == '999 1,000 -1,000 999_999'",
    "f'{0.5:.0f} {1.5:.0f} {2.5:.0f} {9.995:.2f}' == '0 2 2 9.99'",
    "f'{0.999:.0%} {0.5:%}' == '100% 50.000000%' and f'{255:#o}' == '0o377'",
    "f'{\"\":3}|{\"a\":1}|{\"ab\":1}|{\"abc\":.0}|' == '   |a|ab||'",
    "f'{-5:=4}|{5:<1}|{55:>1}|{-5:04}|{-5:<4}|' == '-  5|5|55|-005|-5  |'",
    "(1, 2, 3)[-3] == 1 and (1, 2, 3)[2] == 3 and (1, 2, 3)[3:] == ()",
    "(1, 2, 3)[-9:1] == (1,) and (1, 2, 3)[2:0:-1] == (3, 2)",
    "(1, 2) < (1, 3) and not (1, 2) < (1, 2) and (1,) < (1, 0) and () < (0,)",
    "(1, 2) <= (1, 2) and (1, 2) >= (1, 2) and (2,) > (1, 9) and not () > ()",
    "'a' < 'b' and not 'a' < 'a' and 'a' <= 'a' and 'B' < 'a' and '' < 'a'",
    "min(2, 2.0) is not None and str(min(2, 2.0)) == '2' and str(max(2.0, 2)) "
    "== '2.0'",
    "round(0.5) == 0 and round(1.5) == 2 and round(-2.5) == -2 and "
    "round(2.675, 2) == 2.67",
    "divmod(7, -2) == (-4, -1) and divmod(-7, 2) == (-4, 1) and divmod(-6, 2) "
    "== (-3, 0)",
    "0 % 5 == 0 and 0 // -5 == 0 and -1 // 5 == -1 and -1 % 5 == 4 and 1 % -5 "
    "== -4",
    "2 ** 0 == 1 and 0 ** 1 == 0 and 0.0 ** 0 == 1.0 and (-2) ** -1 == -0.5 "
    "and (-8) ** 2 == 64",
    "1 << 0 == 1 and 1 << 62 >> 62 == 1 and -1 >> 63 == -1 and -8 >> 3 == -1 "
    "and 7 >> 3 == 0",
    "-1 & 255 == 255 and -256 | 255 == -1 and -1 ^ 0 == -1 and ~-1 == 0 and ~0 "
    "== -1",
    "range(5)[4] == 4 and len(range(0, 5, 5)) == 1 and len(range(0, 6, 5)) == "
    "2 and len(range(3, 0)) == 0",
    "tuple(range(5, 0, -5)) == (5,) and tuple(range(5, -1, -5)) == (5, 0) and "
    "tuple(range(1, 1)) == ()",
    "tuple(zip((1, 2), (3,))) == ((1, 3),) and tuple(enumerate((5, 6), 1)) == "
    "((1, 5), (2, 6))",
    "sum(()) == 0 and all(()) and not any(()) and len(()) == 0 and len('') == "
    "0",
    "'a,b,'.split(',') == ['a', 'b', ''] and ''.split(',') == [''] and "
    "len(''.split()) == 0",
    "'abc'.endswith('') and 'aaa'.replace('a', 'b') == 'bbb' and 'ab' * 0 == "
    "'' and 'ab' * -1 == ''",
    "(1).bit_length() == 1 and (255).bit_length() == 8 and (256).bit_length() "
    "== 9 and (-1).bit_length() == 1",
    "isinstance(True, int) and not isinstance(1, bool) and not isinstance(1, "
    "(str, bool)) and not isinstance(1.0, int)",
    "2 ** 63 - 1 == 9223372036854775807 and -(2 ** 63) == -9223372036854775808 "
    "and 2 ** 63 > 2 ** 63 - 1",
    "1 == 1.0 and 2 ** 53 == 2.0 ** 53 and 2 ** 53 + 1 != 2.0 ** 53 and 2 ** "
    "53 + 1 > 2.0 ** 53",
    "0.1 + 0.2 != 0.3 and 1e308 * 10 == float('inf') and -1e308 * 10 == "
    "float('-inf') and 5e-324 > 0",
    "abs(-0.0) == 0 and str(abs(-0.0)) == '0.0' and str(-0.0 + 0) == '0.0' and "
    "str(0.0 * -1) == '-0.0'",
    "int(2.0 ** 53) == 2 ** 53 and int(-0.5) == 0 and int('-0') == 0 and "
    "int(1e18) == 10 ** 18",
    "(0 or 0.0) == 0.0 and str(0 or 0.0) == '0.0' and (None or ()) == () and "
    "('' and 1) == ''",
    "1 in {1: 2} and 2 not in {1: 2} and '' in 'a' and 1.0 in (1,)",
    // short circuits and conditions
    "(1 or undefined) == 1 and (0 and undefined) == 0 and ('' or 'x') == 'x'",
    "(1 and 2) == 2 and (0 or None) is None",
    "(1 if True else undefined) == 1",
    "isinstance(1, int) and isinstance('a', str) and isinstance(1.5, (int, "
    "float))",
    "isinstance(True, bool) and not isinstance(1, str)",
    "bool(3) is True and bool('') is False",
};

// The same, of types.
static const char *const type_truths[] = {
    "tl.float32 == tl.float32 and tl.float32 != tl.float16",
    "tl.float16.exponent_bias == 15 and tl.bfloat16.exponent_bias == 127",
    "tl.int8.int_signedness == tl.dtype.SIGNEDNESS.SIGNED",
    "tl.uint8.kind() == tl.dtype.KIND.INTEGRAL",
    "tl.float8e5.kind() == tl.dtype.KIND.FLOATING",
    "tl.block_type(tl.float32, [4, 8]).get_block_shapes() == (4, 8)",
    "tl.block_type(tl.float32, [4, 8]).with_element_ty(tl.int8).nbytes == 32",
    "tl.block_type(tl.float32, [4, 8]).numel == 32",
    "tl.pointer_type(tl.int8).address_space == 1",
    "isinstance(tl.pointer_type(tl.int8), tl.pointer_type)",
    "isinstance(tl.int8, tl.dtype) and not isinstance(tl.int8, "
    "tl.pointer_type)",
    "type((1, 2)) == tl.tuple and type(3) == tl.constexpr",
    "getattr(tl, 'float32') == tl.float32 and hasattr(tl, 'exp')",
    "getattr(tl, 'nothing', 3) == 3 and not hasattr(tl, 'nothing')",
    "tl.dtype('fp16') == tl.float16 and tl.float16.is_fp16()",
    "tl.int8.is_int() and tl.int8.is_int_signed() and tl.uint8.is_uint8()",
    "tl.uint8.is_int_unsigned() and tl.int1.is_bool() and tl.int1.is_int()",
    "tl.float8e5.is_fp8() and tl.float8e4b15.is_fp8() and "
    "tl.float8e4nv.is_fp8e4nv()",
    "tl.float8e5.is_floating() and not tl.float8e5.is_standard_floating()",
    "tl.bfloat16.is_standard_floating() and tl.bfloat16.is_bf16()",
    "tl.int32.primitive_bitwidth == 32 and tl.int64.itemsize == 8",
    "tl.float16.fp_mantissa_width == 10 and tl.int16.int_bitwidth == 16",
    "tl.int8.get_int_max_value() == 127 and tl.int8.get_int_min_value() == "
    "-128",
    "tl.uint64.get_int_max_value() == 2 ** 64 - 1",
    "tl.pointer_type(tl.int8).is_ptr() and not tl.int8.is_ptr()",
    "tl.pointer_type(tl.int8).element_ty == tl.int8",
    "tl.pi32_t.element_ty == tl.int32 and tl.int32.scalar == tl.int32",
    "tl.get_int_dtype(16, False) == tl.uint16 and f'{tl.int64}' == 'int64'",
    "tl.float32.name == 'fp32' and tl.constexpr(3) == 3 and "
    "tl.constexpr(3).value == 3",
    "triton.cdiv(7, 2) == 4 and triton.next_power_of_2(5) == 8",
    "triton.next_power_of_2(0) == 0 and triton.next_power_of_2(-5) == 0",
    "triton.next_power_of_2(2 ** 62 + 1) == 2 ** 63",
    "tl.float8e4b8 == tl.dtype('fp8e4b8')",
    "tl.cdiv(8, 4) == 2 and tl.cdiv(9, 4) == 3",
    "hasattr(tl, 'dot') and not hasattr(tl, 'dott') and hasattr(n, 'to')",
    "isinstance(n, tl.tensor) and not isinstance(3, tl.tensor)",
    "not isinstance(3, tl.constexpr) and isinstance(tl.int8, tl.dtype)",
    "isinstance((1,), tl.tuple) and not tl.target_info.is_hip()",
    "not tl.target_info.is_cuda() and "
    "not tl.target_info.cuda_capability_geq(8, 0)",
    "p.dtype.is_ptr() and p.type.element_ty == tl.float32",
    "n.shape == () and n.dtype == tl.int32 and n.numel == 1",
    "t.shape == (4, 2) and t.type.scalar == tl.int32 and t.type.is_block()",
    "t.type.shape == (4, 2) and t.ndim == 2 and len(t) == 4",
    "t.type.element_ty == tl.int32 and t.T.shape == (2, 4)",
    "b.type.element_ty.element_ty == tl.float32 and b.dtype.is_ptr()",
    "int(n).dtype == tl.int32 and float(n).dtype == tl.float32",
    "bool(n).dtype == tl.int1 and int(n * 1.5).dtype == tl.int32",
    "(n is None) == False and (p is not None) and (n is n)",
};

static void check(const char *expr) {
  Kit *scratch = kit_create();
  const char *text = arena_printf(
      &scratch->arena,
      "@jit\ndef k(p: *fp32, n: i32):\n  t = tl.zeros([4, 2], tl.int32)\n"
      "  b = tl.make_block_ptr(p, (4,), (1,), (0,), (4,), (0,))\n"
      "  tl.static_assert(%s)\n",
      expr);
  Kit *kit = kit_specialize(text, NULL);
  if (!kit->ok) fail_msg("%s\n%s", expr, kit_messages(kit));
  kit_free(kit);
  kit_free(scratch);
}

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) check(truths[i]);
}

static void test_types(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof type_truths / sizeof *type_truths; i++)
    check(type_truths[i]);
}

static const struct {
  const char *expr, *message;
} errors[] = {
    {"1 // 0", "division by zero"},
    {"1.5 % 0", "division by zero"},
    {"1 << -1", "negative shift count"},
    {"2 ** 127", "this integer constant is too big"},
    {"-(2 ** 126) * 4", "this integer constant is too big"},
    {"1 + 'a'", "'+' cannot combine constant 1 and string 'a'"},
    {"None < 3", "'<' cannot combine None and constant 3"},
    {"2 @ 3", "'@' cannot combine constant 2 and constant 3"},
    {"2.0 @ 3", "'@' cannot combine constant 2.0 and constant 3"},
    {"-'a'", "'-' does not apply to string 'a'"},
    {"~1.5", "'~' is for integers, found constant 1.5"},
    {"1 in 2", "'in' cannot combine constant 1 and constant 2"},
    {"abs(-(2 ** 126) * 2)", "this integer constant is too big"},
    {"(1,) * 100000", "this tuple is too long"},
    {"tuple(range(0, 1, 0))", "the step of a loop must not be 0"},
    {"tl.zeros([16], 'fp8e4b8')", "fp8e4b8 is not supported yet"},
    {"1.5 << 2", "'<<' is for integers, found constant 1.5 and constant 2"},
    {"(1, 2)[5]", "index 5 is out of range: the length of the tuple is 2"},
    {"(1, 2)[n]", "the index of a tuple is a constant integer, found int32"},
    {"len(3)", "constant 3 has no length"},
    {"divmod(7, n)", "'divmod' wants constants"},
    {"divmod(n, 7)", "'divmod' wants constants"},
    {"pow(2, n, 3)", "'pow' wants constants"},
    {"pow(2, 5, n)", "'pow' wants constants"},
    {"pow(n, 5, 3)", "'pow' wants constants"},
    {"int('x')", "'x' is no number"},
    {"int('1.5')", "'1.5' is no number"},
    {"int('0x10')", "'0x10' is no number"},
    {"int('+-1')", "'+-1' is no number"},
    {"float('0x10')", "'0x10' is no number"},
    {"float('--1')", "'--1' is no number"},
    {"float('.')", "'.' is no number"},
    {"float('')", "'' is no number"},
    {"(3).foo", "int32 has no attribute 'foo'"},
    {"None.foo", "None has no attribute 'foo'"},
    {"tl.int8.foo", "type int8 has no attribute 'foo'"},
    {"f'{n}'", "an f-string shows constants only, found int32"},
    {"f'{1:>3.2x}'", "is no format for constant 1"},
    {"{1, 2}", "set is not supported"},
    {"[x for x in 3]", "a comprehension goes over a tuple, found constant 3"},
    {"n in (1, 2)", "'in' looks constants up, found int32 and tuple"},
    {"tl.float32.get_int_max_value()", "type fp32 is no integer"},
    {"tl.get_int_dtype(7, True)", "there is no integer of 7 bits"},
    {"tl.pointer_type(tl.pi32_t)", "pointers to pointers are not supported"},
    {"3(4)", "constant 3 cannot be called"},
    {"range(10 ** 6)", "this range is too long for a tuple"},
};

static void test_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    Kit *scratch = kit_create();
    const char *text = arena_printf(
        &scratch->arena, "@jit\ndef k(n: i32):\n  x = %s\n", errors[i].expr);
    Kit *kit = kit_specialize(text, NULL);
    if (kit->ok) fail_msg("%s: no message", errors[i].expr);
    check_contains(kit_messages(kit), errors[i].message);
    kit_free(kit);
    kit_free(scratch);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
