// test_golden_text.c -- printing a parsed text gives the same bytes, for every
// golden .tir file and the result of every pass.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int num_files, num_stages;

static const char *print(const Module *m) {
  Str text = str_in(m->arena);
  module_print(m, NULL, &text);
  return str_text(&text);
}

static Module *parse(Arena *arena, DiagList *diags, const char *text,
                     size_t length) {
  diag_init(diags, arena);
  Module *m = module_create(arena, diags);
  const Source *source = source_create(arena, "x.tir", text, length);
  return module_parse(m, source) && module_verify(m) ? m : NULL;
}

static void check_round_trip(const Module *m, const char *path,
                             const char *pass) {
  DiagList diags;
  const char *text = print(m);
  const Module *again = parse(m->arena, &diags, text, strlen(text));
  if (!again || strcmp(text, print(again))) {
    fail_msg("%s after '%s' does not come back:\n%s", path, pass, text);
  }
  num_stages++;
}

static void check_pass(const char *path, const char *text, size_t length,
                       const char *pass) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  DiagList diags;
  Module *m = parse(&arena, &diags, text, length);
  // Some passes need other passes before them; their errors are no failure
  // here.
  if (m && passes_run(m, target_find("sm_80"), pass, NULL)) {
    check_round_trip(m, path, pass);
  }
  arena_free(&arena);
}

static void check_file(const char *path) {
  static char text[1 << 20];
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  const size_t length = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  num_files++;
  check_pass(path, text, length, "");
  for (int i = 0; i < pass_count; i++) {
    check_pass(path, text, length, pass_table[i].name);
  }
  for (int i = 0; i < pipeline_count; i++) {
    check_pass(path, text, length, pipeline_table[i].name);
  }
}

static bool ends_in(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

static void check_folder(const char *folder) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (ends_in(path, ".tir")) check_file(path);
  }
  closedir(dir);
}

static void golden_files_come_back(void **state) {
  (void)state;
  check_folder(TILE_SOURCE_DIR "/tests/golden/ir");
  check_folder(TILE_SOURCE_DIR "/tests/golden/passes");
  assert_true(num_files >= 8 && num_stages >= 4 * num_files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_files_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
