// test_parse_memory.c -- parsing a file: every allocation fails once.
#include "frontend/module/imports.h"

#include "tests/fault/fault_kit.h"

static const char text[] =
    "from m import g\n@autotune(configs=[Config({'A': 1})], key=[])\n"
    "@jit\ndef f(a, b: tl.constexpr = 1):\n"
    "  x = f'{a + b:>{a}}' 'x' + (a, [b], {a: b})[0]\n"
    "  if a < b < c and not d: return\n  else:\n    for i in a: i += 1\n"
    "  try: x\n  except: y\n";

static const char *read_module(void *ctx, const char *path, Arena *arena,
                               size_t *length) {
  static const char module[] = "e = tl.exp\n@jit\ndef g(): x x\n";
  (void)ctx;
  if (strcmp(path, "m.py") != 0) return NULL;
  *length = sizeof module - 1;
  return arena_strdup(arena, module);
}

static void parse_all(void *data) {
  Arena *arena = *(Arena **)data;
  const SrcLoc use = {"t.py", 1, 1, 1};
  const FrontendOptions options = {.reader = {NULL, read_module}};
  DiagList diags;
  diag_init(&diags, arena);
  const Source source = {
      .name = "t.py", .text = text, .length = sizeof text - 1};
  Program *program = frontend_parse(arena, &diags, &source, &options);
  program_lookup(program, &diags, program_main_file(program), "g", use);
  frontend_find_kernel(program, &diags, "nothing");
  Str out = str_in(arena);
  frontend_print_ast(program, &out);
  diag_render_all(&diags, false, &out);
}

static void test_allocations(void **state) {
  (void)state;
  Arena *arena;
  assert_true(fault_each(parse_all, &arena, &arena) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
