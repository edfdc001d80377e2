// test_dot_types.c -- the types of a dot's operands: all triples, against a
// list.
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Products of tensor cores and of the language; formats of fp8 may be mixed.
static const char *const taken[] = {
    "i8 i8 i32",         "f8e5 f8e5 f32", "f8e5 f8e4nv f32", "f8e4nv f8e5 f32",
    "f8e4nv f8e4nv f32", "f8e5 f8e5 f16", "f8e5 f8e4nv f16", "f8e4nv f8e5 f16",
    "f8e4nv f8e4nv f16", "f16 f16 f32",   "f16 f16 f16",     "bf16 bf16 f32",
    "f32 f32 f32",       "f64 f64 f64",
};

static bool is_taken(const char *triple) {
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    if (!strcmp(taken[i], triple)) return true;
  }
  return false;
}

static bool verifies(Arena *arena, const char *a, const char *b,
                     const char *acc) {
  DiagList diags;
  diag_init(&diags, arena);
  Module *m = module_create(arena, &diags);
  const char *text = arena_printf(
      arena,
      "kernel @k(%%a: %s, %%b: %s, %%c: %s) {\n"
      "  %%x = splat %%a : tile<16x32x%s>\n  %%y = splat %%b : tile<32x16x%s>\n"
      "  %%z = splat %%c : tile<16x16x%s>\n"
      "  %%d = dot %%x, %%y, %%z : tile<16x16x%s>\n  return\n}\n",
      a, b, acc, a, b, acc, acc);
  assert_true(module_parse(m, source_create(arena, "t", text, strlen(text))));
  return module_verify(m);
}

static void dots_take_the_listed_types(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int i = 0; i < ELEM_COUNT * ELEM_COUNT * ELEM_COUNT; i++) {
    const char *a = elem_info[i % ELEM_COUNT].name;
    const char *b = elem_info[i / ELEM_COUNT % ELEM_COUNT].name;
    const char *acc = elem_info[i / ELEM_COUNT / ELEM_COUNT].name;
    const char *triple = arena_printf(&arena, "%s %s %s", a, b, acc);
    if (verifies(&arena, a, b, acc) != is_taken(triple))
      fail_msg("%s: %s", triple, is_taken(triple) ? "refused" : "taken");
  }
  arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dots_take_the_listed_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
