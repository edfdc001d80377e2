// test_docs_language.c -- the examples of docs/language.md compile, and every
// function that is supported stands there.
#include "frontend/builtins.h"
#include "specialize_kit.h"

#include <ctype.h>
#include <stdio.h>

typedef struct {
  char *text;
  size_t length;
} Page;

static Page read_page(void) {
  FILE *file = fopen(TILE_SOURCE_DIR "/docs/language.md", "rb");
  assert_non_null(file);
  Page page = {calloc(1, 1 << 20), 0};
  page.length = fread(page.text, 1, (1 << 20) - 1, file);
  fclose(file);
  return page;
}

// What the page leaves open: *fp32 for what is loaded from or stored to.
static void guess(const AstFunction *kernel, ArgSpec *args) {
  static const char *const pointers[] = {"x", "y", "out", "src", "dst"};
  for (int i = 0; i < function_num_params(kernel); i++) {
    const FunctionParam param = function_param(kernel, i);
    if (param.has_default || (param.annotation && !param.is_constexpr))
      continue;
    args[i] = (ArgSpec){.kind = ARG_RUNTIME, .text = "i32"};
    if (param.is_constexpr) args[i] = (ArgSpec){.kind = ARG_INT, .i = 64};
    for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++) {
      if (!strcmp(param.name, pointers[k])) args[i].text = "*fp32";
    }
  }
}

static int compile_all(const char *text) {
  Kit *kit = kit_create();
  Source *source = source_create(&kit->arena, "doc", text, strlen(text));
  diag_add_source(&kit->diags, source);
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, NULL);
  int count = 0;
  for (int i = 0; kit->program && i < frontend_num_functions(kit->program);
       i++) {
    const AstFunction *kernel = frontend_function(kit->program, i);
    if (!function_is_kernel(kernel)) continue;
    ArgSpec args[32] = {{0}};
    guess(kernel, args);
    const Specialization spec = {.args = args};
    if (!frontend_specialize(kit->program, kernel, &spec, kit->m)) break;
    count += module_verify(kit->m);
  }
  if (diag_failed(&kit->diags) || !count) {
    Str out = str_in(&kit->arena);
    diag_render_all(&kit->diags, false, &out);
    fail_msg("%s\n%s", text, str_text(&out));
  }
  kit_free(kit);
  return count;
}

static void examples(void **state) {
  (void)state;
  const Page page = read_page();
  int count = 0;
  for (char *at = page.text; (at = strstr(at, "```python\n"));) {
    at += strlen("```python\n");
    char *end = strstr(at, "```");
    assert_non_null(end);
    *end = 0;
    count += compile_all(at);
    at = end + 1;
  }
  assert_true(count >= 12);
  free(page.text);
}

static bool mentions(const char *page, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = page; (at = strstr(at, name)); at++) {
    const char before = at == page ? ' ' : at[-1], after = at[length];
    const bool starts = !isalnum((unsigned char)before) && before != '_';
    if (starts && !isalnum((unsigned char)after) && after != '_') return true;
  }
  return false;
}

static void functions(void **state) {
  (void)state;
  static const char *const names[] = {
#define BUILTIN(name, space, handler, data, params) name,
#define UNSUPPORTED(name, space)
#include "frontend/builtins.def"
  };
  const Page page = read_page();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *name = strrchr(names[i], '.');
    name = name ? name + 1 : names[i];
    const bool is_type = !strncmp(names[i], "dtype.is_", 9);
    const bool minor = *name == '_' || !strncmp(name, "is_hip_", 7) ||
                       !strcmp(name, "NONE") || !strcmp(name, "condition") ||
                       !strcmp(name, "tensor") || !strcmp(name, "const");
    if (!is_type && !minor && !mentions(page.text, name))
      fail_msg("docs/language.md does not mention '%s'", name);
  }
  free(page.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples),
                                     cmocka_unit_test(functions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
