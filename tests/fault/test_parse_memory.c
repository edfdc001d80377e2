// test_parse_memory.c -- parsing a file: every allocation fails once.
#include "frontend/imports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  int left; // allocations that still succeed
} Failing;

static void *failing_alloc(void *ctx, size_t size) {
  Failing *failing = ctx;
  return failing->left-- > 0 ? malloc(size) : NULL;
}

static void failing_free(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

typedef struct {
  Arena *arena;
  bool parsed;
} Job;

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
  Job *job = data;
  const SrcLoc use = {"t.py", 1, 1, 1};
  const FrontendOptions options = {.reader = {NULL, read_module}};
  DiagList diags;
  diag_init(&diags, job->arena);
  const Source source = {NULL, "t.py", text, sizeof text - 1};
  Program *program = frontend_parse(job->arena, &diags, &source, &options);
  program_lookup(program, &diags, program_main_file(program), "g", use);
  frontend_find_kernel(program, &diags, "nothing");
  Str out = str_in(job->arena);
  frontend_print_ast(program, &out);
  diag_render_all(&diags, false, &out);
  job->parsed = true;
}

static void test_allocations(void **state) {
  (void)state;
  bool parsed = false;
  int allowed = 0;
  for (; !parsed && allowed < 10000; allowed++) {
    Failing failing = {allowed};
    const Allocator from = {failing_alloc, failing_free, &failing};
    Arena arena;
    arena_init(&arena, &from);
    Job job = {&arena, false};
    parsed = arena_protect(&arena, parse_all, &job);
    assert_true(parsed == job.parsed);
    arena_free(&arena);
  }
  assert_true(parsed && allowed > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
