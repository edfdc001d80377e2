// test_specialize_errors.c -- the messages with which kernels are refused.
#include "specialize_kit.h"

#include <stdio.h>
#include <string.h>

// Kernels "k" over (p: *fp32, n: i32); lines count from the first of `text`.
static void check(const char *text, const char *messages) {
  kit_check_refused(text, "k", messages);
}

#define K "@jit\ndef k(p: *fp32, n: i32):\n  "

#define Q20 "qqqqqqqqqqqqqqqqqqqq"

static void star_parameters(void **state) {
  (void)state;
  check("@jit\ndef k(p: *fp32, *n):\n  return\n",
        "2:18: error: 'n': a kernel's parameters are single values\n");
  check("@jit\ndef k(p: *fp32, **n):\n  return\n",
        "2:19: error: 'n': a kernel's parameters are single values\n");
}

static void names(void **state) {
  (void)state;
  check(K "x = offsts\n", "3:7: error: unknown name 'offsts'\n");
  check(K "offs = 1\n  x = offsts\n",
        "4:7: error: unknown name 'offsts'; did you mean 'offs'?\n");
  check(K "x = tl.arrange(0, 64)\n",
        "3:10: error: there is no 'triton.language.arrange'; did you mean "
        "'arange'?\n");
  check(K "x = n.tto(tl.int64)\n",
        "3:9: error: int32 has no attribute 'tto'; did you mean 'to'?\n");
  check(K "x = tl.mean(n)\n",
        "3:10: error: there is no 'triton.language.mean'\n"
        "0:0: note: the mean is 'tl.sum(x, axis)' divided by the number of its "
        "items\n");
  check(K "x = blockIdx.y\n", "3:7: error: unknown name 'blockIdx'; did you "
                              "mean 'tl.program_id(1)'?\n");
  check(K "x = tl.program_id.x\n",
        "3:21: error: function 'program_id' has no attribute 'x'; did you mean "
        "'program_id(0)'?\n");
  check(K "x = tl.sort(tl.arange(0, 8), reverse=True)\n",
        "3:32: error: 'sort' has no parameter 'reverse'; did you mean "
        "'descending'?\n");
  check(K "x = tl.libdevice.jn(2, n)\n",
        "3:7: error: 'jn' is not supported yet\n");
  check("def host(): pass\n" K "host()\n",
        "4:3: error: 'host' is host code, which a kernel cannot call: it is "
        "not marked @jit\n1:5: note: 'host' is defined here\n");
  check("Q = f(x)\n" K "x = Q\n",
        "1:5: error: unknown name 'f'\n1:7: error: unknown name 'x'\n"
        "4:7: note: 'Q' is needed here; -D Q=VALUE gives its value\n");
}

// Python has these, so that they do not matter to other kernels of the file.
static void numbers(void **state) {
  (void)state;
  check(K "x = 1j\n",
        "3:7: error: imaginary numbers have no meaning in a kernel\n");
  check(K "x = 0x80000000000000000000000000000000\n",
        "3:7: error: this integer does not fit into 128 bits\n");
  check(
      "@jit\ndef other(n: i32):\n  x = 1j + 0x80000000000000000000000000000000"
      "\nBIG = 1j\n" K "x = BIG\n",
      "4:7: error: imaginary numbers have no meaning in a kernel\n"
      "7:7: note: needed here\n");
}

static void changes_in_kernels(void **state) {
  (void)state;
  check(K "x = []\n  x.append(n)\n  y = x[0]\n",
        "4:5: error: lists and dictionaries of a kernel cannot be changed: "
        "'append' is for host code\n"
        "0:0: note: 'x = x + (value,)' makes another one\n");
  check(K "x = {}\n  x.update({1: 2})\n",
        "4:5: error: lists and dictionaries of a kernel cannot be changed: "
        "'update' is for host code\n");
  check(K "x = (n, n)\n  x.shape\n",
        "4:5: error: tuple of 2 has no attribute 'shape'\n");
}

static void arguments_of_helpers(void **state) {
  (void)state;
#define F "@jit\ndef f(x, count=2): return x\n"
  check(F K "f(1, 2, 3)\n", "5:11: error: 'f' takes 2 arguments, found 3\n"
                            "2:5: note: 'f' is defined here\n");
  check(F K "f()\n", "5:3: error: 'f' wants a value for 'x'\n"
                     "2:5: note: 'f' is defined here\n");
  check(F K "f(1, coumt=3)\n",
        "5:8: error: 'f' has no parameter 'coumt'; did you mean 'count'?\n"
        "2:5: note: 'f' is defined here\n");
  check(F K "f(1, x=3)\n", "5:8: error: 'f' gets 'x' twice\n");
  check(F K "f(*n)\n", "5:6: error: '*' wants a tuple, found int32\n");
#undef F
}

// Errors in the library are reported at the user's call, once for each place.
static void errors_in_the_library(void **state) {
  (void)state;
#define SIDES "a = tl.zeros([2048, 32], tl.bfloat16)\n  b = a.T\n  "
#define CALL  "tl.dot_scaled(a, None, 'bf16', b, None, 'bf16')\n"
#define WHY                                                                    \
  "error: a tile of shape [2048, 2048] is too big: at most 1048576 elements\n"
#define NOTE                                                                   \
  "0:0: note: 'dot_scaled' is made of other functions, one of which reports "  \
  "this\n"
  check(K SIDES "x = " CALL "  x = " CALL, "5:7: " WHY NOTE "6:7: " WHY NOTE);
  check("@jit\ndef f():\n  " SIDES CALL K "f()\n  f()\n",
        "5:3: " WHY NOTE "8:3: note: called from here\n");
#undef NOTE
#undef WHY
#undef CALL
#undef SIDES
}

static void numbers_among_pointers(void **state) {
  (void)state;
  check(K "x = tl.where(n > 0, n, p)\n",
        "3:7: error: 'where' cannot combine int32 and pointer to fp32: it "
        "takes pointers of one type\n");
  check(K "x = tl.where(n > 0, p, 0)\n",
        "3:7: error: 'where' cannot combine pointer to fp32 and constant 0: it "
        "takes pointers of one type\n");
}

// Pointers have no order, so they have no maximum, either.
static void greatest_pointer(void **state) {
  (void)state;
  check(K "x = tl.argmax(p + tl.arange(0, 16), 0)\n",
        "3:17: error: 'argmax' wants numbers, found tile of pointers to fp32 "
        "[16]; 'tl.load' reads the numbers there\n");
}

// A name may be as long as its file.
static void long_names(void **state) {
  (void)state;
  char text[2000], name[1001];
  memset(name, 'q', 1000);
  name[1000] = 0;
  snprintf(text, sizeof text, K "x = %s\n", name);
  check(text, "3:7: error: unknown name '" Q20 Q20 Q20 "...'\n");
}

static void arguments_of_builtins(void **state) {
  (void)state;
  check(K "tl.load()\n", "3:3: error: 'load' wants a value for 'pointer'\n");
  check(K "tl.load(p, maks=n > 0)\n",
        "3:14: error: 'load' has no parameter 'maks'; did you mean 'mask'?\n");
  check(K "tl.program_id(0, 1)\n",
        "3:20: error: too many arguments for 'program_id': it takes 1\n");
  check(K "tl.program_id(3)\n",
        "3:17: error: a grid has axes 0, 1 and 2, found 3\n");
  check(K "tl.program_id(n)\n",
        "3:17: error: 'axis' of 'program_id' wants a constant integer, found "
        "int32\n2:17: note: 'n' is a run-time value; ': tl.constexpr' behind "
        "the parameter makes it a constant\n");
  check(K "tl.load(p, cache_modifier='.xx')\n",
        "3:29: error: 'cache_modifier' of 'load' wants one of '.ca', '.cg', "
        "'.cs', '.cv', '', found string '.xx'\n");
}

static void zeros(void **state) {
  (void)state;
  check(K "x = 1 % (3 - 3)\n", "3:9: error: division by zero\n");
  check(K "for i in range(0, n, 0):\n    n += 1\n",
        "3:24: error: the step of a loop must not be 0\n");
}

static void options(void **state) {
  (void)state;
#define TUNED(options)                                                         \
  "@autotune([Config({}, " options ")], key=[])\n" K "tl.store(p, n)\n"
  check(TUNED("num_warps=3"),
        "1:33: error: num_warps must be a power of two up "
        "to 32, found 3\n");
  check(TUNED("num_stages=99"),
        "1:34: error: num_stages must be 1 to 16, found 99\n");
#undef TUNED
}

static void shapes(void **state) {
  (void)state;
  check(K "x = tl.arange(0, 100)\n",
        "3:7: error: the size of 'arange' must be a power of two, found 100\n"
        "3:7: note: take 128 and a mask for those past 99\n");
  check(K "x = tl.zeros([3], tl.int32)\n",
        "3:17: error: sizes of a tile are powers of two; dimension 0 of [3] is "
        "not\n3:17: note: take 4 and a mask for those past 2\n");
  check(K "x = tl.zeros([1024, 1024, 1024], tl.int8)\n",
        "3:16: error: a tile of shape [1024, 1024, 1024] is too big: at most "
        "1048576 elements\n");
  check(K "x = tl.arange(0, 8) + tl.arange(0, 4)\n",
        "3:23: error: '+' cannot combine tile of int32 [8] and tile of int32 "
        "[4]: their shapes do not broadcast, 8 against 4 in dimension 0\n");
  check(K "x = tl.arange(0, 8).reshape(4, 4)\n",
        "3:31: error: tile of int32 [8] cannot take the shape [4, 4]: it has 8 "
        "elements, not 16\n");
  check(K "x = tl.arange(0, 8)[0:4]\n",
        "3:23: error: a slice with bounds takes no part of a tile; load that "
        "part alone, or mask the rest with 'tl.where'\n");
  check(K "x = tl.arange(0, 8)[1]\n",
        "3:23: error: a tile is indexed with ':' and None only, found constant "
        "1; 'tl.gather' picks elements\n");
  check(K "tl.store(p, tl.arange(0, 4))\n",
        "3:15: error: the pointer of 'store' is a scalar, so this must be one, "
        "too; "
        "found tile of int32 [4]\n");
}

static void types(void **state) {
  (void)state;
  check(K "tl.load(n + tl.arange(0, 8))\n",
        "3:11: error: 'load' wants a pointer, found tile of int32 [8]\n");
  check(K "x = p + 1.5\n",
        "3:9: error: '+' cannot combine pointer to fp32 and fp32: a pointer "
        "moves by '+' and '-' of integers\n");
  check(K "x = n + None\n", "3:9: error: '+' cannot combine int32 and None\n");
  check(K "x = n << 1.5\n",
        "3:9: error: '<<' is for integers, found int32 and constant 1.5\n");
  check(K "x = n // n.to(tl.uint32)\n",
        "3:9: error: '//' cannot combine int32 and uint32, one signed and one "
        "not: cast one of them\n");
  check(K "x = n.to(tl.int8) + 300\n",
        "3:21: error: constant 300 does not fit into int8; cast one of the "
        "operands\n");
  check(K "x = tl.exp(n)\n",
        "3:14: error: 'exp' wants fp32 or fp64, found int32; convert it with "
        ".to(tl.float32)\n");
  check(K "x = n.to(tl.float8e4b8)\n",
        "3:12: error: fp8e4b8 is not supported yet\n");
  check(K "x = n.to(tl.int64, bitcast=True)\n",
        "3:7: error: a bitcast keeps the width: int32 has 32 bits, int64 has "
        "64\n");
}

// Errors in one item of a result, and the greatest rank.
static void halves(void **state) {
  (void)state;
  check("@aggregate\nclass V:\n  x: tl.tensor\n"
        "  @jit\n  def __floordiv__(self, o): return self.x\n" K
        "a, b = divmod(V(n), 2)\n",
        "8:10: error: '%' cannot combine a 'V' and constant 2\n");
  check("@jit\ndef f(a, b): return a, b\n" K
        "x = tl.zeros([1, 1, 1, 1, 1, 1, 1, 1] + [1, 1, 1, 1, 1, 1, 2, 4], "
        "tl.int32)\n"
        "  tl.map_elementwise(f, x, pack=2)\n",
        "6:3: error: a tile has at most 16 dimensions\n");
}

static void products(void **state) {
  (void)state;
  check(K "a = tl.zeros([16, 16], tl.float16)\n"
          "  x = tl.dot(a, a.to(tl.float32))\n",
        "4:7: error: 'dot' wants operands of one type, found fp16 against "
        "fp32: tile of fp16 [16, 16] and tile of fp32 [16, 16]\n");
  check(K "a = tl.zeros([16, 32], tl.float16)\n  x = tl.dot(a, a)\n",
        "4:7: error: 'dot' cannot multiply tile of fp16 [16, 32] by tile of "
        "fp16 [16, 32]: their inner sizes differ, 32 and 16\n");
  check(K "a = tl.zeros([8, 8], tl.float16)\n  x = tl.dot(a, a)\n",
        "4:7: error: 'dot' of fp16 wants K >= 16, found K = 8\n");
  check(K "a = tl.arange(0, 8)\n  x = tl.dot(a, a)\n",
        "4:14: error: 'dot' multiplies int8 and floats, found tile of int32 "
        "[8]\n");
  check(K "a = tl.zeros([32, 32], tl.uint8)\n  x = tl.dot(a, a)\n",
        "4:14: error: 'dot' multiplies int8 and floats, found tile of uint8 "
        "[32, 32]\n");
}

static void constants(void **state) {
  (void)state;
  check(K "x = 5 // 0\n", "3:9: error: division by zero\n");
  check(K "x = 1 << 200\n", "3:9: error: this integer constant is too big\n");
  check(K "x = 2 ** 100\n",
        "3:7: error: constant 1267650600228229401496703205376 does not fit "
        "into 64 bits\n");
  check(K "tl.static_assert(n == 1)\n",
        "3:20: error: 'static_assert' wants a constant, found int1; "
        "'tl.device_assert' checks run-time values\n");
  check("@jit\ndef g(B):\n  tl.static_assert(B == 8, f'B is {B}')\n" K "g(4)\n",
        "3:3: error: static assertion failed: B is 4\n"
        "3:20: note: 'B' is 4\n"
        "6:3: note: called from here, with B = 4\n");
}

static void parameters(void **state) {
  (void)state;
  check("@jit\ndef k(p, n: i32): pass\n",
        "2:7: error: 'p': its type is not known; annotate it or give it in the "
        "signature\n");
  check("@jit\ndef k(B: tl.constexpr): pass\n",
        "2:7: error: 'B': this constexpr parameter has no value; give it with "
        "-D, in the signature or at the launch\n");
}

// A mistake that follows from an error is not reported.
static void several(void **state) {
  (void)state;
  check(K "x = offsts\n  y = x + 1\n  z = y.tto\n  tl.load(n)\n",
        "3:7: error: unknown name 'offsts'\n"
        "6:11: error: 'load' wants a pointer, found int32\n");
  check(K "a, b = tl.load(n), q\n  tl.store(a, b)\n",
        "3:18: error: 'load' wants a pointer, found int32\n"
        "3:22: error: unknown name 'q'\n");
  check(K "x = q1 + q2 * tl.exp(n)\n",
        "3:7: error: unknown name 'q1'\n3:12: error: unknown name 'q2'\n"
        "3:24: error: 'exp' wants fp32 or fp64, found int32; convert it with "
        ".to(tl.float32)\n");
  check("@jit\ndef k(p, q, n: i32): pass\n",
        "2:7: error: 'p': its type is not known; annotate it or give it in the "
        "signature\n2:10: error: 'q': its type is not known; annotate it or "
        "give it in the signature\n");
}

// `value` as an option of a loop; the message follows "'NAME' of 'range' ".
static void check_option(const char *name, const char *value,
                         const char *message) {
  char text[256], wanted[512];
  snprintf(text, sizeof text, K "for i in tl.range(0, n, %s=%s): pass\n", name,
           value);
  snprintf(wanted, sizeof wanted, "3:%zu: error: '%s' of 'range' wants %s\n",
           28 + strlen(name), name, message);
  check(text, wanted);
}

static void options_of_loops(void **state) {
  (void)state;
#define COPIES "a constant integer from 0 to 1024, found "
  check_option("num_stages", "-1", COPIES "constant -1");
  check_option("num_stages", "1025", COPIES "constant 1025");
  check_option("num_stages", "4294967297", COPIES "constant 4294967297");
  check_option("num_stages", "2.0", COPIES "constant 2.0");
  check_option("num_stages", "'2'", COPIES "string '2'");
  check_option("num_stages", "n",
               COPIES "int32\n2:17: note: 'n' is a run-time value; ': "
                      "tl.constexpr' behind the parameter makes it a constant");
  check_option("loop_unroll_factor", "-1", COPIES "constant -1");
  check_option("loop_unroll_factor", "100000", COPIES "constant 100000");
  check_option("flatten", "3", "a constant bool, found constant 3");
  check_option("warp_specialize", "-1", "a constant bool, found constant -1");
  check_option("disable_licm", "'x'", "a constant bool, found string 'x'");
  check_option("disallow_acc_multi_buffer", "2.5",
               "a constant bool, found constant 2.5");
#undef COPIES
}

static void several_in_branches_and_loops(void **state) {
  (void)state;
  check(K "x = 1\n  if n > 0:\n    x = q1\n  else:\n    x = q2\n"
          "  y = x + None\n  q3\n",
        "5:9: error: unknown name 'q1'\n7:9: error: unknown name 'q2'\n"
        "9:3: error: unknown name 'q3'\n");
  check(K "x = 1\n  for i in range(n):\n    x += q1\n    for j in range(i):\n"
          "      q2\n    n += x\n  tl.store(p, x + n)\n  q3\n",
        "5:10: error: unknown name 'q1'\n7:7: error: unknown name 'q2'\n"
        "10:3: error: unknown name 'q3'\n");
  check(K "for i in tl.static_range(4):\n    q1\n    tl.load(i)\n  q2\n",
        "4:5: error: unknown name 'q1'\n"
        "5:13: error: 'load' wants a pointer, found constant 0\n"
        "6:3: error: unknown name 'q2'\n");
  check(K "if n > 0:\n    return q1\n    q2\n  q3\n",
        "4:12: error: unknown name 'q1'\n6:3: error: unknown name 'q3'\n");
}

static void several_in_helpers(void **state) {
  (void)state;
#define F "@jit\ndef f(x, B):\n  y = q1\n  tl.load(x)\n  return y\n"
  check(F K "x = f(n, B=4)\n  f(x, 1)\n  f(n, B=4)\n  q2\n",
        "3:7: error: unknown name 'q1'\n"
        "8:7: note: called from here, with B = 4\n"
        "4:11: error: 'load' wants a pointer, found int32\n"
        "8:7: note: called from here, with B = 4\n"
        "11:3: error: unknown name 'q2'\n");
#undef F
}

static void combinations(void **state) {
  (void)state;
  check("@jit\ndef f(a, b): return a + tl.sum(tl.arange(0, 2))\n" K
        "x = tl.reduce(tl.arange(0, 4), 0, f)\n",
        "2:32: error: the function of a 'reduce' computes on scalars, without "
        "tiles, memory or loops\n"
        "5:7: note: it is used here\n");
  check("@jit\ndef f(a, b): return a * 1.5\n" K
        "x = tl.reduce(tl.arange(0, 4), 0, f)\n",
        "5:37: error: the function of 'reduce' gives fp32, wanted int32\n"
        "2:21: note: this is its result\n");
  check(K "for i in range(4):\n    tl.arange(0, i)\n",
        "4:18: error: 'end' of 'arange' wants a constant integer, found "
        "int32\n"
        "0:0: note: a loop over 'range' counts at run time; 'tl.static_range' "
        "counts in constants\n");
  check(K "x = tl.load(p + n / 2)\n",
        "3:17: error: '+' cannot combine pointer to fp32 and fp32: a pointer "
        "moves by '+' and '-' of integers\n"
        "3:19: note: '/' makes a float of two integers, '//' an integer\n");
  check(K "x = tl.arange(None, 8)\n",
        "3:17: error: 'start' of 'arange' wants a constant integer, found "
        "None\n");
  check(K "x = tl.arange(0, 8).sum(0, 1, 2, 3, 4)\n",
        "3:36: error: too many arguments for 'sum': it takes 3\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(star_parameters),
      cmocka_unit_test(names),
      cmocka_unit_test(numbers),
      cmocka_unit_test(changes_in_kernels),
      cmocka_unit_test(long_names),
      cmocka_unit_test(greatest_pointer),
      cmocka_unit_test(numbers_among_pointers),
      cmocka_unit_test(errors_in_the_library),
      cmocka_unit_test(arguments_of_helpers),
      cmocka_unit_test(arguments_of_builtins),
      cmocka_unit_test(zeros),
      cmocka_unit_test(options),
      cmocka_unit_test(shapes),
      cmocka_unit_test(types),
      cmocka_unit_test(halves),
      cmocka_unit_test(products),
      cmocka_unit_test(constants),
      cmocka_unit_test(parameters),
      cmocka_unit_test(several),
      cmocka_unit_test(options_of_loops),
      cmocka_unit_test(several_in_branches_and_loops),
      cmocka_unit_test(several_in_helpers),
      cmocka_unit_test(combinations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
