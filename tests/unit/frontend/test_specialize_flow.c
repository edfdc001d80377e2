// test_specialize_flow.c -- control flow: results of kernels, by the
// interpreter, for all relevant values of their arguments.
#include "specialize_kit.h"

enum { SLOTS = 8 };

// Runs `text` with (out, a, b) and compares out[0] with `expected`.
static void check(const char *text, int64_t a, int64_t b, int32_t expected) {
  Kit *kit = kit_specialize_named(text, "k", "*i32, i32, i32");
  int32_t out[SLOTS] = {-77};
  if (!kit_interpret(kit, out, sizeof out, (int64_t[]){a, b}))
    fail_msg("%s\n%s", text, kit_messages(kit));
  if (out[0] != expected)
    fail_msg("%s\na = %d, b = %d: wanted %d, found %d\n%s", text, (int)a,
             (int)b, expected, out[0], kit_ir(kit));
  kit_free(kit);
}

// -- If ----------------------------------------------------------------------

static void branches_join(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  x = 1\n"
                     "  if a > b:\n"
                     "    x = a - b\n"
                     "    y = 10\n"
                     "  elif a == b:\n"
                     "    y = 20\n"
                     "  else:\n"
                     "    x = b\n"
                     "    y = 30\n"
                     "  tl.store(out, x + y)\n";
  check(text, 5, 2, 13);
  check(text, 2, 2, 21);
  check(text, 2, 5, 35);
}

static void numbers_join(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(x, n):\n"
                     "  if n > 5: x = x * 2\n"
                     "  if n > 7: y: tl.constexpr = 1\n"
                     "  else: y: tl.constexpr = 2\n"
                     "  return x + y\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  tl.store(out, f(3, a))\n";
  check(text, 5, 0, 5);
  check(text, 6, 0, 8);
  check(text, 8, 0, 7);
}

static void tuples_join(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  t = (a, (b, 7))\n"
                     "  if a > b:\n"
                     "    t = (b, (a, 9))\n"
                     "  tl.store(out, t[0] * 100 + t[1][0] * 10 + t[1][1])\n";
  check(text, 3, 2, 239);
  check(text, 2, 3, 237);
}

static void conditional_expressions(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  x = a if a > b else b * 2\n"
                     "  x += 100 if True else undefined\n"
                     "  tl.store(out, x)\n";
  check(text, 5, 2, 105);
  check(text, 2, 5, 110);
}

static void logical_operators(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  x = 0\n"
                     "  if a > 0 and b > 0 and True: x += 1\n"
                     "  if a > 0 or b > 0: x += 10\n"
                     "  if not a > 0: x += 100\n"
                     "  if False and undefined: x += undefined\n"
                     "  if True or undefined: x += 1000\n"
                     "  tl.store(out, x)\n";
  check(text, 1, 1, 1011);
  check(text, 0, 1, 1110);
  check(text, 0, 0, 1100);
}

// -- Early return ------------------------------------------------------------

static void early_returns(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  tl.store(out, 1)\n"
                     "  if a == 0:\n"
                     "    return\n"
                     "  tl.store(out, 2)\n"
                     "  if b == 0:\n"
                     "    tl.store(out, 3)\n"
                     "    return\n"
                     "  else:\n"
                     "    a += b\n"
                     "  tl.store(out, a)\n"
                     "  return\n"
                     "  undefined()\n";
  check(text, 0, 0, 1);
  check(text, 1, 0, 3);
  check(text, 5, 6, 11);
}

static void returns_from_else(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(a, b):\n"
                     "  if a > b:\n"
                     "    c = a - b\n"
                     "  else:\n"
                     "    return b\n"
                     "  return c * 2\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  tl.store(out, f(a, b))\n";
  check(text, 5, 2, 6);
  check(text, 2, 5, 5);
}

// Some paths of a branch return and others do not.
static void mixed_returns(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(a, b):\n"
                     "  x = 1000\n"
                     "  if a > 0:\n"
                     "    if b > 0:\n"
                     "      return a\n"
                     "    x = a * 10\n"
                     "    y = 5\n"
                     "  else:\n"
                     "    y = 6\n"
                     "    if b > 1:\n"
                     "      if b > 2:\n"
                     "        return 77\n"
                     "      y = 7\n"
                     "  if b < -1:\n"
                     "    return y\n"
                     "  return x + y\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  tl.store(out, f(a, b) + f(a, 0))\n";
  for (int a = -1; a <= 2; a++) {
    for (int b = -3; b <= 3; b++) {
      int f[2];
      for (int i = 0; i < 2; i++) {
        const int c = i ? 0 : b;
        int x = 1000, y = a > 0 ? 5 : 6;
        if (a > 0) x = a * 10;
        if (a <= 0 && c > 1) y = 7;
        f[i] = c < -1 ? y : x + y;
        if (a > 0 && c > 0) f[i] = a;
        if (a <= 0 && c > 2) f[i] = 77;
      }
      check(text, a, b, f[0] + f[1]);
    }
  }
}

static void every_path_returns(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(a, b):\n"
                     "  if a > b:\n"
                     "    return a, 1\n"
                     "  elif a == b:\n"
                     "    return a, 2\n"
                     "  else:\n"
                     "    return b, 3\n"
                     "  undefined\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  x, y = f(a, b)\n"
                     "  tl.store(out, x * 10 + y)\n";
  check(text, 5, 2, 51);
  check(text, 2, 2, 22);
  check(text, 2, 5, 53);
}

// -- Loops -------------------------------------------------------------------

static void carried_values(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  x, y = 0, 1\n"
                     "  for i in range(a, b):\n"
                     "    x, y = y, x + y\n"
                     "    z = i\n"
                     "  tl.store(out, x)\n";
  check(text, 0, 10, 55);
  check(text, 3, 3, 0);
  check(text, 3, -3, 0);
}

static void steps(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  for i in range(a, b, 3): s = s * 10 + i\n"
                     "  for i in range(b, a, -2): s = s * 10 + i\n"
                     "  for i in tl.range(3): s += i\n"
                     "  tl.store(out, s)\n";
  check(text, 1, 6, 14642 + 3);
  check(text, 6, 1, 3);
}

// Counters keep their last value, as in Python; a name that was no integer
// before the loop is an integer after it.
static void counters_keep_their_last_value(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  i = 77\n"
                     "  j = 0.5\n"
                     "  for i in range(a):\n"
                     "    for i in range(b): s += i\n"
                     "    s += i * 100\n"
                     "  for j in range(a): s += j\n"
                     "  tl.store(out, s * 100 + i + (j * 2).to(tl.int32))\n";
  check(text, 0, 3, 78);
  check(text, 1, 0, 1);
  check(text, 3, 0, (300 + 3) * 100 + 2 + 1);
  check(text, 2, 4, (12 + 600 + 1) * 100 + 3 + 1);
}

static void nested_loops(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  for i in range(a):\n"
                     "    t = 0\n"
                     "    for j in range(i + 1):\n"
                     "      u = 1\n"
                     "      for l in range(b):\n"
                     "        u += l\n"
                     "        if u > 5: u = 2\n"
                     "      t += u\n"
                     "    s += t\n"
                     "  tl.store(out, s)\n";
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 5; b++) {
      int s = 0;
      for (int i = 0; i < a; i++) {
        int t = 0;
        for (int j = 0; j < i + 1; j++) {
          int u = 1;
          for (int l = 0; l < b; l++) u = u + l > 5 ? 2 : u + l;
          t += u;
        }
        s += t;
      }
      check(text, a, b, s);
    }
  }
}

// The trial walks of nested loops must not multiply.
static void deep_loops(void **state) {
  (void)state;
  enum { DEPTH = 24 };
  Kit *scratch = kit_create();
  Str text = str_in(&scratch->arena);
  str_add(&text, "@jit\ndef k(out, a, b):\n  s = 0\n");
  for (int i = 0; i < DEPTH; i++) {
    str_add_repeat(&text, ' ', (size_t)i + 2);
    str_addf(&text, "for i%d in range(a):\n", i);
  }
  str_add_repeat(&text, ' ', DEPTH + 2);
  str_add(&text, "s += b\n  tl.store(out, s)\n");
  check(str_text(&text), 1, 7, 7);
  kit_free(scratch);
}

static void unrolled_loops(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  for i in tl.static_range(4):\n"
                     "    W: tl.constexpr = 2 ** i\n"
                     "    if i % 2 == 0:\n"
                     "      s += tl.sum(tl.full([W], i, tl.int32))\n"
                     "  for x in (a, b, 5): s = s * 10 + x\n"
                     "  tl.store(out, s)\n";
  check(text, 1, 2, 8125);
}

static void while_loops(void **state) {
  (void)state;
  const char *text = "@jit\ndef k(out, a, b):\n"
                     "  while b != 0:\n"
                     "    t = a % b\n"
                     "    a = b\n"
                     "    b = t\n"
                     "  tl.store(out, a)\n";
  check(text, 12, 18, 6);
  check(text, 7, 0, 7);
}

// A helper's number is a constant until a loop changes it.
static void numbers_become_carried(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(x, n):\n"
                     "  for i in range(n):\n"
                     "    for j in range(n):\n"
                     "      x += 1\n"
                     "  return x\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  tl.store(out, f(0, a) + f(10, b))\n";
  check(text, 2, 3, 23);
}

static void loops_in_helpers(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(x, n, TWICE: tl.constexpr):\n"
                     "  for i in range(n):\n"
                     "    if TWICE:\n"
                     "      for j in range(i): x += 1\n"
                     "    else:\n"
                     "      x += 2\n"
                     "  return x\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  for i in range(b):\n"
                     "    s = f(s, a, True)\n"
                     "    s = f(s, a, TWICE=False)\n"
                     "  tl.store(out, s)\n";
  check(text, 4, 2, 28);
}

static void returns_in_helpers_in_loops(void **state) {
  (void)state;
  const char *text = "@jit\ndef f(i, b):\n"
                     "  if i > b: return 0\n"
                     "  return i\n"
                     "@jit\ndef k(out, a, b):\n"
                     "  s = 0\n"
                     "  for i in range(a): s += f(i, b)\n"
                     "  tl.store(out, s)\n";
  check(text, 10, 4, 10);
}

// -- Names -------------------------------------------------------------------

static void check_message(const char *body, const char *message) {
  Kit *scratch = kit_create();
  const char *text =
      arena_printf(&scratch->arena, "@jit\ndef k(out, a, b):\n%s", body);
  Kit *kit = kit_specialize_named(text, "k", "*i32, i32, i32");
  assert_false(kit->ok);
  check_contains(kit_messages(kit), message);
  kit_free(kit);
  kit_free(scratch);
}

static void names_that_are_gone(void **state) {
  (void)state;
  check_message("  if a > b: y = 1\n  tl.store(out, y)\n",
                "4:17: error: 'y' is assigned in only one branch of an 'if' "
                "above");
  check_message("  for i in range(a): y = 1\n  tl.store(out, y)\n",
                "4:17: error: 'y' is assigned only inside a loop above");
  check_message("  for i in range(a): y = 1\n  tl.store(out, i)\n",
                "4:17: error: 'i' is assigned only inside a loop above");
  check_message("  y = 1\n  if a > b: y = 1.5\n  tl.store(out, y)\n",
                "5:17: error: 'y' has two types after an 'if' above: fp32 and "
                "int32");
  check_message("  y = 1.5\n  for i in range(a):\n    if i > b: break\n"
                "  else: y = 1\n  tl.store(out, y)\n",
                "7:17: error: 'y' has two types after the 'else' of a loop "
                "above: fp32 and int32");
  check_message("  for i in range(a):\n    if i > b: break\n"
                "  else: y = 1\n  tl.store(out, y)\n",
                "6:17: error: 'y' is assigned only in the 'else' of a loop "
                "above");
}

static void names_that_change_type(void **state) {
  (void)state;
  check_message("  y = 1\n  for i in range(a): y = y * 1.5\n",
                "4:3: error: 'y' is int32 before this loop and becomes fp32 in "
                "it; a name that a loop changes keeps its type\n"
                "3:7: note: 'y' is int32 here\n"
                "4:26: note: this is its new value\n"
                "0:0: note: begin 'y' with '1.0'");
  check_message("  y = None\n  for i in range(a): y = a\n",
                "'y' is None before this loop and becomes int32 in it");
  check_message("  y = None\n  for i in range(a): y = a\n",
                "0:0: note: begin 'y' with '0'");
  check_message("  y = 0\n  for i in range(a): y = a.to(tl.int64)\n",
                "0:0: note: begin 'y' with 'tl.full([], 0, tl.int64)'");
  check_message(
      "  y = a\n  for i in range(a): y = y * 1.5\n",
      "0:0: note: '.to(tl.float32)' before the loop gives 'y' the type "
      "that the loop makes");
  check_message("  y = a\n  for i in range(a): y = y.to(tl.int8)\n",
                "0:0: note: '.to(tl.int32)' in the loop keeps the type of 'y'");
  check_message("  y = 0\n  for i in range(a): y += tl.arange(0, 16)\n",
                "0:0: note: begin 'y' with 'tl.zeros([16], tl.int32)'");
  check_message("  y = a\n  for i in range(a): y += tl.arange(0, 16)\n",
                "0:0: note: begin 'y' with 'y + tl.zeros([16], tl.int32)'");
  check_message("  y = (0, 1)\n  for i in range(a): y = (1.5, 1)\n",
                "0:0: note: begin 'y[0]' with '0.0'");
  check_message("  y = 1\n  for i in range(a):\n    if i > b: y = 1.5\n"
                "    else: y = 2\n",
                "4:3: error: 'y' is int32 before this loop and becomes fp32 or "
                "int32 in it; a name that a loop changes keeps its type\n"
                "3:7: note: 'y' is int32 here\n"
                "5:19: note: this is its new value");
}

static void returns_that_differ(void **state) {
  (void)state;
  check_message("  return a\n", "a kernel returns nothing, but 'k' returns "
                                "int32");
}

static void statements_that_are_not_supported(void **state) {
  (void)state;
  check_message("  raise ValueError()\n",
                "this 'raise' is reached unless a constant condition rules it "
                "out");
  check_message("  if a + tl.arange(0, 2) > 1: pass\n",
                "the condition of an 'if' is one value, found tile of int1 "
                "[2]; use 'where'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_join),
      cmocka_unit_test(numbers_join),
      cmocka_unit_test(tuples_join),
      cmocka_unit_test(conditional_expressions),
      cmocka_unit_test(logical_operators),
      cmocka_unit_test(early_returns),
      cmocka_unit_test(returns_from_else),
      cmocka_unit_test(mixed_returns),
      cmocka_unit_test(every_path_returns),
      cmocka_unit_test(carried_values),
      cmocka_unit_test(steps),
      cmocka_unit_test(counters_keep_their_last_value),
      cmocka_unit_test(nested_loops),
      cmocka_unit_test(deep_loops),
      cmocka_unit_test(unrolled_loops),
      cmocka_unit_test(while_loops),
      cmocka_unit_test(numbers_become_carried),
      cmocka_unit_test(loops_in_helpers),
      cmocka_unit_test(returns_in_helpers_in_loops),
      cmocka_unit_test(names_that_are_gone),
      cmocka_unit_test(names_that_change_type),
      cmocka_unit_test(returns_that_differ),
      cmocka_unit_test(statements_that_are_not_supported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
