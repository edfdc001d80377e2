// test_specialize_limits.c -- kernels that nest too deeply, and kernels with
// endless errors.
//
// Backs I4 of frontend and I6 of frontend/core.
#include "specialize_kit.h"

#include <string.h>

// Kernels "k" over (p: *fp32, n: i32); lines count from the first of `text`.
static void check(const char *text, const char *messages) {
  kit_check_refused(text, "k", messages);
}

#define K "@jit\ndef k(p: *fp32, n: i32):\n  "

static void recursion(void **state) {
  (void)state;
  check("@jit\ndef f(x): return f(x + 1)\n" K "f(1)\n",
        "2:18: error: calls nest more than 100 deep: 'f' calls itself\n"
        "5:3: note: called from here, with x = 1\n");
}

static void chain_of_helpers(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  for (int i = 0; i < 101; i++)
    str_addf(&text, "@jit\ndef f%d(): return f%d()\n", i, i + 1);
  str_add(&text, K "f0()\n");
  Kit *kit = kit_specialize_named(str_text(&text), "k", NULL);
  assert_non_null(strstr(kit_messages(kit),
                         "200:19: error: calls nest more than 100 deep with "
                         "this one of 'f100'\n"));
  kit_free(kit);
  arena_free(&arena);
}

// The walk ends if there would be no end of errors.
static void limits(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  str_add(&text, K "pass\n");
  for (int i = 0; i < 30; i++) str_addf(&text, "  q%d\n", i);
  Kit *kit = kit_specialize_named(str_text(&text), "k", NULL);
  assert_false(kit->ok);
  int count = 0;
  for (const Diag *d = kit->diags.first; d; d = d->next) count++;
  assert_int_equal(count, 20);
  assert_true(diag_is_full(&kit->diags));
  kit_free(kit);
  arena_free(&arena);
  check("@jit\ndef f(x): return f(x) + f(x - 1)\n" K "f(n)\n  f(1)\n",
        "2:18: error: calls nest more than 100 deep: 'f' calls itself\n"
        "5:3: note: called from here\n");
}

// One `if` whose conditions compare `subject` with 0, 1, 2, ...
static Kit *specialize_chain(const char *subject, int num_branches) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  str_add(&text, K "N: tl.constexpr = 2999\n");
  for (int i = 0; i < num_branches; i++)
    str_addf(&text, "  %s %s == %d: tl.store(p, %d)\n", i ? "elif" : "if",
             subject, i, i);
  Kit *kit = kit_specialize_named(str_text(&text), "k", NULL);
  arena_free(&arena);
  return kit;
}

// Constants choose among any number; at run time each branch is a level.
static void long_chains(void **state) {
  (void)state;
  Kit *kit = specialize_chain("N", 3000);
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
  kit = specialize_chain("n", 200);
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
  kit = specialize_chain("n", 201);
  assert_string_equal(kit_messages(kit),
                      "204:3: error: control flow nests more than 200 deep\n");
  kit_free(kit);
  kit = specialize_chain("n", 30000);
  assert_non_null(strstr(kit_messages(kit), "error: this nests too deeply\n"));
  kit_free(kit);
}

// Loops of a comprehension, each within the one before.
static void long_comprehension(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  str_add(&text, K "pass\n  x = [0");
  for (int i = 0; i < 90000; i++) str_add(&text, " for a in (1,)");
  str_add(&text, "]\n");
  Kit *kit = kit_specialize_named(str_text(&text), "k", NULL);
  assert_non_null(strstr(kit_messages(kit), "error: this nests too deeply\n"));
  kit_free(kit);
  arena_free(&arena);
}

// Each level that was entered is left: the depth is the same after many of
// them.
static void depth_is_left(void **state) {
  (void)state;
  enum { MORE_THAN_DEEPEST = 2100 };
  static const char *const lines[] = {
      "y: tl.constexpr = len([i for i in range(2) for j in range(1)])",
      "f(1)",
      "y: tl.constexpr = g(1)",
      "y: tl.constexpr = 1 if 2 > 1 else 3",
      "y: tl.constexpr = f'{1 + 2}'",
      "y: tl.constexpr = -(1 + 2) * 3 + (1, 2)[0]"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    Arena arena;
    arena_init(&arena, &system_allocator);
    Str text = str_in(&arena);
    str_add(&text, "@jit\ndef f(x): return x + 1\n"
                   "g = lambda a: a + 1\n" K "pass\n");
    for (int k = 0; k < MORE_THAN_DEEPEST; k++)
      str_addf(&text, "  %s\n", lines[i]);
    Kit *kit = kit_specialize_named(str_text(&text), "k", NULL);
    if (!kit->ok) fail_msg("%s: %s", lines[i], kit_messages(kit));
    kit_free(kit);
    arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recursion),
      cmocka_unit_test(chain_of_helpers),
      cmocka_unit_test(limits),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(long_comprehension),
      cmocka_unit_test(depth_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
