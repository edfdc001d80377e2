// test_diag.c -- diagnostics as the user sees them.
#include "ir/base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Source *source;
} Fixture;

static void fixture_open(Fixture *f, const char *text) {
  arena_init(&f->arena, &system_allocator);
  diag_init(&f->diags, &f->arena);
  f->source = source_create(&f->arena, "a.tile", text, strlen(text));
  diag_add_source(&f->diags, f->source);
}

static SrcLoc at(int line, int column, int span) {
  return (SrcLoc){"a.tile", line, column, span};
}

static void renders(Fixture *f, const char *expected) {
  Str out = str_in(&f->arena);
  diag_render_all(&f->diags, false, &out);
  assert_string_equal(str_text(&out), expected);
  arena_free(&f->arena);
}

static void a_caret_marks_the_place(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "x = 1\ny = load(p)\n");
  assert_false(diag_error(&f.diags, at(2, 5, 4), "'%s' is wrong", "load"));
  diag_note(&f.diags, (SrcLoc){0}, "no place");
  renders(&f, "a.tile:2:5: error: 'load' is wrong\n"
              "  y = load(p)\n"
              "      ^~~~\n"
              "note: no place\n");
}

static void nothing_strange_reaches_the_terminal(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "\ta\33[31m\xff\xc3\xa9 b\n");
  diag_error(&f.diags, at(1, 11, 1), "found '\33[2J\xff\xc3\xa9\x7f'\nand %s",
             "\x01");
  renders(&f, "a.tile:1:11: error: found '?[2J?\xc3\xa9?'\nand ?\n"
              "   a?[31m?\xc3\xa9 b\n"
              "           ^\n");
}

static void columns_are_those_of_a_terminal(void **state) {
  (void)state;
  Fixture f;
  // Two wide characters, an e with an accent on its own, and a tab.
  fixture_open(&f,
               "\xe6\x97\xa5\xe6\x9c\xac e\xcc\x81\tx = \xc3\xa9\xc3\xa9\n");
  diag_error(&f.diags, at(1, 12, 1), "x");
  diag_error(&f.diags, at(1, 16, 4), "two of two bytes");
  renders(&f, "a.tile:1:12: error: x\n"
              "  \xe6\x97\xa5\xe6\x9c\xac e\xcc\x81 x = \xc3\xa9\xc3\xa9\n"
              "         ^\n"
              "a.tile:1:16: error: two of two bytes\n"
              "  \xe6\x97\xa5\xe6\x9c\xac e\xcc\x81 x = \xc3\xa9\xc3\xa9\n"
              "             ^~\n");
}

static void text_cannot_turn_around(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "a\xe2\x80\xae"
                   "b\xc2\x9b"
                   "c\n");
  diag_error(&f.diags, at(1, 5, 1), "b");
  renders(&f, "a.tile:1:5: error: b\n"
              "  a?b?c\n"
              "    ^\n");
}

static void a_fix_stands_below_its_place(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "y = laod(p)\n");
  diag_error(&f.diags, at(1, 5, 4), "no 'laod'");
  diag_fix(&f.diags, at(1, 5, 4), "load");
  diag_error(&f.diags, at(1, 5, 4), "no 'laod'");
  diag_fix(&f.diags, at(1, 5, 4), "not kept: the error is repeated");
  diag_error(&f.diags, at(1, 1, 1), "no end");
  diag_fix(&f.diags, at(1, 12, 0), ":");
  f.diags.muted = true;
  diag_error(&f.diags, at(1, 2, 1), "a trial");
  diag_fix(&f.diags, at(1, 2, 1), "not kept either");
  renders(&f, "a.tile:1:5: error: no 'laod'\n"
              "  y = laod(p)\n"
              "      ^~~~\n"
              "      load\n"
              "a.tile:1:1: error: no end\n"
              "  y = laod(p)\n"
              "  ^\n"
              "             :\n");
}

static void long_lines_are_cut_around_the_place(void **state) {
  (void)state;
  Fixture f;
  char *text = malloc(100001);
  memset(text, 'x', 100000);
  text[100000] = '\0';
  fixture_open(&f, text);
  diag_error(&f.diags, at(1, 50000, 90000), "here");
  diag_error(&f.diags, at(1, 200000, 1), "past the end");
  diag_error(&f.diags, at(7, 1, 1), "no such line");
  Str out = str_in(&f.arena);
  diag_render_all(&f.diags, false, &out);
  assert_true(out.length < 2000);
  assert_non_null(strstr(out.data, "x^") ? out.data : strstr(out.data, "^~"));
  arena_free(&f.arena);
  free(text);
}

static void errors_past_the_limit_are_counted(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "");
  f.diags.error_limit = 2;
  for (int i = 0; i < 5; i++) diag_error(&f.diags, (SrcLoc){0}, "e%d", i);
  assert_true(diag_failed(&f.diags));
  assert_int_equal(f.diags.num_errors, 5);
  Str out = str_in(&f.arena);
  diag_render_all(&f.diags, false, &out);
  assert_non_null(strstr(out.data, "error: e1\n"));
  assert_null(strstr(out.data, "e4"));
  assert_non_null(strstr(out.data, "only the first 2 are shown\n"));
  arena_free(&f.arena);
}

static void repeated_errors_are_shown_once(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "abc\n");
  const SrcLoc loc = {"t", 1, 2, 1};
  for (int i = 0; i < 3; i++) {
    diag_error(&f.diags, loc, "wrong");
    diag_note(&f.diags, loc, "because");
  }
  diag_error(&f.diags, loc, "something else");
  assert_int_equal(f.diags.num_errors, 4);
  int count = 0;
  for (const Diag *d = f.diags.first; d; d = d->next) count++;
  assert_int_equal(count, 3);
  arena_free(&f.arena);
}

static void messages_are_sorted_with_their_notes(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, "");
  diag_error(&f.diags, at(9, 1, 1), "kept in front");
  Diag **from = f.diags.last;
  diag_error(&f.diags, at(5, 2, 1), "c");
  diag_note(&f.diags, at(3, 1, 1), "c's");
  diag_error(&f.diags, at(7, 1, 1), "d");
  diag_error(&f.diags, at(5, 1, 1), "b");
  diag_warning(&f.diags, at(2, 1, 1), "a");
  diag_note(&f.diags, at(8, 1, 1), "a's");
  diag_note(&f.diags, at(8, 1, 1), "a's, too");
  diag_sort(&f.diags, from);
  diag_error(&f.diags, at(3, 1, 1), "e");
  renders(&f, "a.tile:9:1: error: kept in front\n"
              "a.tile:2:1: warning: a\na.tile:8:1: note: a's\n"
              "a.tile:8:1: note: a's, too\na.tile:5:1: error: b\n"
              "a.tile:5:2: error: c\na.tile:3:1: note: c's\n"
              "a.tile:7:1: error: d\na.tile:3:1: error: e\n");
}

static void near_names_are_suggested(void **state) {
  (void)state;
  static const char *const names[] = {"load", "store", "arange"};
  assert_string_equal(diag_nearest("laod", names, 3), "load");
  assert_string_equal(diag_nearest("stroe", names, 3), "store");
  assert_string_equal(diag_nearest("stores", names, 3), "store");
  assert_null(diag_nearest("matmul", names, 3));
  assert_null(diag_nearest("x", names, 3));
  static const char *const short_names[] = {"y", "to"};
  assert_null(diag_nearest("x", short_names, 2));
  assert_null(diag_nearest("foo", short_names, 2));
  assert_null(diag_nearest("xy", short_names, 2));
  assert_string_equal(diag_nearest("TO", short_names, 2), "to");
  assert_string_equal(diag_nearest("tto", short_names, 2), "to");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_caret_marks_the_place),
      cmocka_unit_test(nothing_strange_reaches_the_terminal),
      cmocka_unit_test(columns_are_those_of_a_terminal),
      cmocka_unit_test(text_cannot_turn_around),
      cmocka_unit_test(a_fix_stands_below_its_place),
      cmocka_unit_test(long_lines_are_cut_around_the_place),
      cmocka_unit_test(errors_past_the_limit_are_counted),
      cmocka_unit_test(repeated_errors_are_shown_once),
      cmocka_unit_test(messages_are_sorted_with_their_notes),
      cmocka_unit_test(near_names_are_suggested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
