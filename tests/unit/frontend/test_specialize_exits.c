// test_specialize_exits.c -- break, continue and return in loops, and `else`.
//
// Each kernel computes the result of the C function below it, over all
// arguments of a small square.
#include "specialize_kit.h"

typedef int32_t Twin(int32_t a, int32_t b);

static void check_at(const char *text, int a, int b, int32_t expected) {
  Kit *kit = kit_specialize_named(text, "k", "*i32, i32, i32");
  int32_t out[8] = {-77};
  if (!kit_interpret(kit, out, sizeof out, (int64_t[]){a, b}))
    fail_msg("%s\n%s", text, kit_messages(kit));
  if (out[0] != expected)
    fail_msg("%s\na = %d, b = %d: wanted %d, found %d\n%s", text, a, b,
             (int)expected, out[0], kit_ir(kit));
  kit_free(kit);
}

static void check(const char *text, Twin *twin) {
  for (int a = -2; a <= 7; a++) {
    for (int b = -2; b <= 7; b++) check_at(text, a, b, twin(a, b));
  }
}

#define K     "@jit\ndef k(out, a, b):\n"
#define STORE "  tl.store(out, s)\n"

// -- For ---------------------------------------------------------------------

static int32_t continue_twin(int32_t a, int32_t b) {
  int32_t s = 0;
  for (int i = 0; i < a; i++) {
    if (i == b) continue;
    s = s * 3 + i;
    if (s % 2) continue;
    s += 100;
  }
  return s;
}

static void continues(void **state) {
  (void)state;
  check(K "  s = 0\n"
          "  for i in range(a):\n"
          "    if i == b: continue\n"
          "    s = s * 3 + i\n"
          "    if s % 2 != 0: continue\n"
          "    s += 100\n" STORE,
        continue_twin);
}

static int32_t break_twin(int32_t a, int32_t b) {
  int32_t s = 0;
  for (int i = 1; i < a; i += 2) {
    s += i;
    if (s > b) {
      s += 1000;
      break;
    }
    s += 10;
  }
  return s;
}

static void breaks(void **state) {
  (void)state;
  check(K "  s = 0\n"
          "  for i in range(1, a, 2):\n"
          "    s += i\n"
          "    if s > b:\n"
          "      s += 1000\n"
          "      break\n"
          "    s += 10\n" STORE,
        break_twin);
}

static int32_t mixed_twin(int32_t a, int32_t b) {
  int32_t s = 0, i = -5;
  for (int n = a; n > -3; n -= 1) {
    i = n;
    if (n > 4) {
      if (b > 2) continue;
      s += 1;
    } else {
      s += 20;
      if (n == b) break;
    }
    s += 300;
  }
  return s * 10 + i;
}

// Only some paths of a branch leave, and the counter keeps its value.
static void mixed_exits(void **state) {
  (void)state;
  check(K "  s = 0\n"
          "  i = -5\n"
          "  for i in range(a, -3, -1):\n"
          "    if i > 4:\n"
          "      if b > 2: continue\n"
          "      s += 1\n"
          "    else:\n"
          "      s += 20\n"
          "      if i == b: break\n"
          "    s += 300\n"
          "  s = s * 10 + i\n" STORE,
        mixed_twin);
}

static int32_t search(int32_t a, int32_t b) {
  for (int i = 0; i < a; i++) {
    for (int j = 0; j < 4; j++) {
      if (i * j == b) return i * 10 + j;
      if (j > i) break;
    }
    if (i == 5) break;
  }
  return -1;
}

static int32_t search_twin(int32_t a, int32_t b) {
  return search(a, b) * 100 + search(b, a);
}

static void returns_from_nested_loops(void **state) {
  (void)state;
  check("@jit\ndef f(a, b):\n"
        "  for i in range(a):\n"
        "    for j in range(4):\n"
        "      if i * j == b: return i * 10 + j\n"
        "      if j > i: break\n"
        "    if i == 5: break\n"
        "  return -1\n" K "  s = f(a, b) * 100 + f(b, a)\n" STORE,
        search_twin);
}

static int32_t early_twin(int32_t a, int32_t b) {
  int32_t s = 7;
  for (int i = 0; i < a; i++) {
    if (i == b) return s + i;
    s += 2;
  }
  return s * 1000;
}

static void kernels_return_from_loops(void **state) {
  (void)state;
  check(K "  s = 7\n"
          "  for i in range(a):\n"
          "    if i == b:\n"
          "      tl.store(out, s + i)\n"
          "      return\n"
          "    s += 2\n"
          "  tl.store(out, s * 1000)\n",
        early_twin);
}

static int32_t else_twin(int32_t a, int32_t b) {
  int32_t s = 0;
  bool broke = false;
  for (int i = 0; i < a && !broke; i++) {
    s += 1;
    broke = i == b;
  }
  return broke ? s : s + 50;
}

static void loops_with_else(void **state) {
  (void)state;
  check(K "  s = 0\n"
          "  for i in range(a):\n"
          "    s += 1\n"
          "    if i == b: break\n"
          "  else:\n"
          "    s += 50\n" STORE,
        else_twin);
  check(K "  s = 0\n"
          "  i = 0\n"
          "  while i < a:\n"
          "    s += 1\n"
          "    if i == b: break\n"
          "    i += 1\n"
          "  else:\n"
          "    s += 50\n" STORE,
        else_twin);
}

// The last turn's `iv + step` would overflow.
static void counters_do_not_overflow(void **state) {
  (void)state;
  const char *text = K "  s = 0\n"
                       "  for i in range(2147483640, 2147483647, a):\n"
                       "    s += 1\n"
                       "    if s == 30: break\n" STORE;
  check_at(text, 3, 0, 3);
  check_at(text, 7, 0, 1);
  check_at(text, 2000000000, 0, 1);
  check_at(text, -1, 0, 0);
  check_at(text, 0, 0, 0);
  text = K "  s = 0\n"
           "  for i in range(-2147483640, -2147483647, a):\n"
           "    s += 1\n"
           "    if s == 30: break\n" STORE;
  check_at(text, -3, 0, 3);
  check_at(text, -2000000000, 0, 1);
  check_at(text, 1, 0, 0);
}

// -- While -------------------------------------------------------------------

static int32_t collatz_twin(int32_t a, int32_t b) {
  int32_t n = a + 9, steps = 0;
  while (true) {
    if (n == 1) break;
    steps++;
    if (steps > b + 3) return steps * 1000 + n;
    if (n % 2 == 0) {
      n /= 2;
      continue;
    }
    n = 3 * n + 1;
  }
  return steps;
}

static void endless_loops(void **state) {
  (void)state;
  check("@jit\ndef f(n, b):\n"
        "  steps = 0\n"
        "  while True:\n"
        "    if n == 1: break\n"
        "    steps += 1\n"
        "    if steps > b + 3: return steps * 1000 + n\n"
        "    if n % 2 == 0:\n"
        "      n = n // 2\n"
        "      continue\n"
        "    n = 3 * n + 1\n"
        "  return steps\n" K "  s = f(a + 9, b)\n" STORE,
        collatz_twin);
}

static int32_t only_return_twin(int32_t a, int32_t b) {
  int32_t i = a;
  while (true) {
    if (i > b) return i * i;
    i += 2;
  }
}

// Nothing follows a loop that only `return` leaves.
static void only_returns(void **state) {
  (void)state;
  check("@jit\ndef f(i, b):\n"
        "  while True:\n"
        "    if i > b: return i * i\n"
        "    i += 2\n" K "  s = f(a, b)\n" STORE,
        only_return_twin);
}

static int32_t condition_twin(int32_t a, int32_t b) {
  int32_t s = 0, x = 0, i = 0;
  while ((x = i * b) < 12 && i < a) {
    i++;
    s += x;
    if (s > 20) break;
  }
  return s * 100 + x;
}

// The condition assigns a name and calls a helper with a loop.
static void conditions_that_compute(void **state) {
  (void)state;
  check("@jit\ndef times(i, b):\n"
        "  s = 0\n"
        "  for j in range(i): s += b\n"
        "  return s\n" K "  s = 0\n"
        "  x = 0\n"
        "  i = 0\n"
        "  while (x := times(i, b)) < 12 and i < a:\n"
        "    i += 1\n"
        "    s += x\n"
        "    if s > 20: break\n"
        "  s = s * 100 + x\n" STORE,
        condition_twin);
}

// -- Unrolled loops ----------------------------------------------------------

static int32_t unrolled_twin(int32_t a, int32_t b) {
  int32_t s = 0;
  bool broke = false;
  for (int i = 0; i < 5; i++) {
    if (i == 3) continue;
    if (i == a) continue;
    s = s * 2 + i;
    if (s > b) {
      broke = true;
      break;
    }
    s += 3;
  }
  return broke ? s : s - 1000;
}

static void unrolled_loops(void **state) {
  (void)state;
  check(K "  s = 0\n"
          "  for i in tl.static_range(5):\n"
          "    if i == 3: continue\n"
          "    if i == a: continue\n"
          "    s = s * 2 + i\n"
          "    if s > b: break\n"
          "    s += 3\n"
          "  else:\n"
          "    s -= 1000\n" STORE,
        unrolled_twin);
}

static int32_t constant_twin(int32_t a, int32_t b) {
  int32_t s = 0;
  for (int i = 0; i < 2; i++) s += a;
  for (int i = 0; i < b; i++) s++;
  return s;
}

// Exits that constants decide leave no trace in the IR.
static void constant_exits(void **state) {
  (void)state;
  const char *text = K "  s = 0\n"
                       "  for i in tl.static_range(4):\n"
                       "    if i == 2: break\n"
                       "    s += a\n"
                       "  else:\n"
                       "    undefined()\n"
                       "  for i in range(b):\n"
                       "    s += 1\n"
                       "    if True: continue\n"
                       "    undefined()\n" STORE;
  check(text, constant_twin);
  Kit *kit = kit_specialize_named(text, "k", "*i32, i32, i32");
  check_lacks(kit_ir(kit), "while");
  check_lacks(kit_ir(kit), "if ");
  kit_free(kit);
}

static int32_t return_unrolled_twin(int32_t a, int32_t b) {
  const int32_t items[] = {3, 5, 1};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < b; j++) {
      if (j > 3) break;
      if (items[i] + j == a) return items[i] * 10 + j;
    }
  }
  return 0;
}

static void returns_from_unrolled_loops(void **state) {
  (void)state;
  check("@jit\ndef f(a, b):\n"
        "  for item in (3, 5, 1):\n"
        "    for j in range(b):\n"
        "      if j > 3: break\n"
        "      if item + j == a: return item * 10 + j\n"
        "  return 0\n" K "  s = f(a, b)\n" STORE,
        return_unrolled_twin);
}

// -- Messages ----------------------------------------------------------------

static void check_message(const char *body, const char *message) {
  Kit *scratch = kit_create();
  const char *text = arena_printf(&scratch->arena, K "%s", body);
  Kit *kit = kit_specialize_named(text, "k", "*i32, i32, i32");
  assert_false(kit->ok);
  check_contains(kit_messages(kit), message);
  kit_free(kit);
  kit_free(scratch);
}

static void messages(void **state) {
  (void)state;
  check_message("  break\n", "3:3: error: 'break' is not in a loop");
  check_message("  if a > b: continue\n", "'continue' is not in a loop");
  check_message("  s = 1\n"
                "  for i in range(a):\n"
                "    if i > 3:\n"
                "      s = 1.5\n"
                "      break\n",
                "4:3: error: 's' is int32 before this loop");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(continues),
      cmocka_unit_test(breaks),
      cmocka_unit_test(mixed_exits),
      cmocka_unit_test(returns_from_nested_loops),
      cmocka_unit_test(kernels_return_from_loops),
      cmocka_unit_test(loops_with_else),
      cmocka_unit_test(counters_do_not_overflow),
      cmocka_unit_test(endless_loops),
      cmocka_unit_test(only_returns),
      cmocka_unit_test(conditions_that_compute),
      cmocka_unit_test(unrolled_loops),
      cmocka_unit_test(constant_exits),
      cmocka_unit_test(returns_from_unrolled_loops),
      cmocka_unit_test(messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
