// test_parse_limits.c -- large, deep and hostile input.
#include "tests/unit/frontend/parse_kit.h"

#include <stdio.h>
#include <stdlib.h>

// `count` copies of `part` between `before` and `after`.
static char *repeat(const char *before, const char *part, size_t count,
                    const char *after) {
  const size_t n = strlen(part), head = strlen(before), tail = strlen(after);
  char *text = malloc(head + n * count + tail + 1);
  assert_non_null(text);
  memcpy(text, before, head);
  for (size_t i = 0; i < count; i++) memcpy(text + head + i * n, part, n);
  memcpy(text + head + n * count, after, tail + 1);
  return text;
}

#define HEAD "@jit\ndef f(a):\n  x = "

static Kit *parse_repeated(const char *before, const char *part, size_t count,
                           const char *after) {
  char *text = repeat(before, part, count, after);
  Kit *kit = kit_create();
  const size_t length = strlen(text);
  const Source *source = source_create(
      &kit->arena, "t.py", arena_strndup(&kit->arena, text, length), length);
  free(text);
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, NULL);
  return kit;
}

static const Expr *first_value(const Kit *kit) {
  const AstFunction *f = frontend_function(kit->program, 0);
  return f->body.items[0]->assign.value;
}

static void test_long_chains(void **state) {
  (void)state;
  Kit *kit = parse_repeated(HEAD, "a+", 500000, "a\n");
  const Expr *chain = first_value(kit);
  assert_int_equal(chain->chain.num_links, 500000);
  assert_int_equal(chain->depth, 2);
  kit_free(kit);
  kit = parse_repeated(HEAD, "a*b-", 100000, "a\n");
  assert_int_equal(first_value(kit)->chain.num_links, 100000);
  kit_free(kit);
  kit = parse_repeated(HEAD, "a and ", 100000, "a\n");
  assert_int_equal(first_value(kit)->items.count, 100001);
  kit_free(kit);
  kit = parse_repeated(HEAD, "'a' ", 100000, "\n");
  assert_int_equal(first_value(kit)->string.length, 100000);
  kit_free(kit);
  kit = parse_repeated(HEAD "[", "a,", 100000, "]\n");
  assert_int_equal(first_value(kit)->items.count, 100000);
  kit_free(kit);
}

// Deep things end in one message.
static void check_too_deep(const char *part, size_t count, const char *after) {
  Kit *kit = parse_repeated(HEAD, part, count, after);
  assert_null(kit->program);
  assert_int_equal(kit->diags.num_errors, 1);
  assert_non_null(strstr(kit->diags.first->text, "more than 200 deep"));
  kit_free(kit);
}

static void test_depth(void **state) {
  (void)state;
  char *closing = repeat("1", ")", 10000, "\n");
  check_too_deep("(", 10000, closing);
  free(closing);
  check_too_deep("-", 100000, "a\n");
  check_too_deep("not ", 100000, "a\n");
  check_too_deep("a**", 100000, "a\n");
  check_too_deep("a.", 1000000, "a\n");
  check_too_deep("a if b else ", 100000, "a\n");
  check_too_deep("lambda: ", 100000, "a\n");
  check_too_deep("- ", 250, "a\n");
  char *calls = repeat("a", "()", 100000, "\n");
  check_too_deep(calls, 1, "");
  free(calls);
}

static void test_nesting_allowed(void **state) {
  (void)state;
  char *closing = repeat("1", ")", 190, "\n");
  Kit *kit = parse_repeated(HEAD, "(", 190, closing);
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
  free(closing);
  closing = repeat("1", ",)", 190, " = a\n");
  kit = parse_repeated("@jit\ndef f(a):\n  ", "(", 190, closing);
  assert_int_equal(kit->diags.num_errors, 1); // 1 is no target
  kit_free(kit);
  free(closing);
}

static void test_elif(void **state) {
  (void)state;
  Kit *kit = parse_repeated("@jit\ndef f(a):\n  if a: pass\n",
                            "  elif a: pass\n", 10000, "");
  assert_int_equal(kit->diags.num_errors, 0);
  kit_free(kit);
}

// Bad text in megabytes: few messages, and quickly (a quadratic step anywhere
// would take minutes).
static void check_garbage(const char *before, const char *part, size_t count,
                          const char *after) {
  Kit *kit = parse_repeated(before, part, count, after);
  assert_null(kit->program);
  assert_in_range(kit->diags.num_errors, 1, 20);
  kit_free(kit);
}

static void test_garbage(void **state) {
  (void)state;
  check_garbage("", "(", 1000000, "");
  check_garbage("", ")", 1000000, "");
  check_garbage("", "([{", 300000, "))))))))))\n");
  check_garbage("", "(]\n", 300000, "");
  check_garbage("", "'", 1000001, "");
  check_garbage("", "'\n", 500000, "");
  check_garbage("'''", "a\n", 1000000, "");
  check_garbage("f'", "{a:", 300000, "'\n");
  check_garbage("", "f'{", 300000, "\n");
  check_garbage(HEAD, "f'{", 300000, "\n");
  check_garbage(HEAD, "x x\n  ", 100000, "\n");
  check_garbage(HEAD, "$", 1000000, "\n");
}

static void check_fine(const char *before, const char *part, size_t count,
                       const char *after) {
  Kit *kit = parse_repeated(before, part, count, after);
  assert_int_equal(kit->diags.num_errors, 0);
  kit_free(kit);
}

// Host code may have any length, without an error.
static void test_host_code(void **state) {
  (void)state;
  check_fine("x = [", "(a := 1), ", 300000, "]\n");
  check_fine("", "a = 1\nexec(code)\n", 50000, "");
  check_fine("", "a = 1; exec(code); ", 50000, "\n");
  check_fine("if a:\n", "  a = 1\n  exec(code)\n", 50000, "");
}

static void test_random_bytes(void **state) {
  (void)state;
  enum { SIZE = 10 << 20 };
  char *text = malloc(SIZE);
  assert_non_null(text);
  uint64_t seed = 1;
  for (size_t i = 0; i < SIZE; i++) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    text[i] = (char)(seed >> 56);
  }
  Kit *kit = kit_parse_bytes("t.py", text, SIZE);
  assert_int_equal(kit->diags.num_errors, 1);
  kit_free(kit);
  for (size_t i = 0; i < SIZE; i++) text[i] = (char)(32 + (text[i] & 63));
  kit = kit_parse_bytes("t.py", text, SIZE);
  assert_in_range(kit->diags.num_errors, 1, 20);
  kit_free(kit);
  free(text);
}

// The published kernels, if they are there.

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
  fclose(file);
  return text;
}

static void test_published(void **state) {
  (void)state;
  static const char folder[] = TILE_SOURCE_DIR "/../shared/kernels/";
  static const struct {
    const char *name;
    int functions;
  } files[] = {
      {"vector_add_softmax.py", 2},
      {"fused_attention_fwd_bwd.py", 6},
      {"fused_attention_grid_loop.py", 2},
      {"flash_attention_causal.py", 1},
      {"flash_attention_bwd_preprocess_wrong.py", 1},
      {"simple_attention_wrong.py", 1},
  };
  int found = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s%s", folder, files[i].name);
    char *text = read_file(path);
    if (!text) continue;
    Kit *kit = kit_parse(text);
    assert_string_equal(kit_messages(kit), "");
    assert_int_equal(frontend_num_functions(kit->program), files[i].functions);
    kit_free(kit);
    free(text);
    found++;
  }
  if (!found) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_host_code),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_nesting_allowed),
      cmocka_unit_test(test_elif),
      cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_random_bytes),

      cmocka_unit_test(test_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
