// test_layout_text.c -- layouts as text: exact round trips, polite refusals.
#include "tests/unit/ir/layout_family.h"

#include <stdio.h>

static const char *printed(Family *f, const Layout *layout) {
  Str text = str_in(&f->arena);
  layout_print(layout, &text);
  return str_text(&text);
}

static void round_trip(void *data) {
  Family *f = data;
  for (int i = 0; i < 3000; i++) {
    const Layout *layout = any_layout(f, (int)pick(f, 9), 2, 4, pick(f, 2));
    assert_ptr_equal(parsed(f, printed(f, layout)), layout);
  }
}

static void test_round_trip(void **state) {
  (void)state;
  with_family(round_trip);
}

static void check_canonical(void *data) {
  static const char *const forms[][2] = {
      {"layout<register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], "
       "block = [] -> 2x4>",
       NULL},
      {"layout<offset = [[0, 1], [1, 3]] -> 2x4>", NULL},
      {"layout<offset = [] -> 1>", NULL},
      {"layout<register = [], lane = [[]], warp = [], block = [[]] -> scalar>",
       NULL},
      {"layout<register = [], lane = [[536870912]], warp = [], block = [] -> "
       "1073741824>",
       NULL},
      {" layout< warp =[[0,1]],\n\tlane=[]->1 x 2 >",
       "layout<register = [], lane = [], warp = [[0, 1]], block = [] -> 1x2>"},
      {"layout<-> scalar>",
       "layout<register = [], lane = [], warp = [], block = [] -> scalar>"},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const char *want = forms[i][1] ? forms[i][1] : forms[i][0];
    assert_string_equal(printed(data, parsed(data, forms[i][0])), want);
  }
}

static void test_canonical_form(void **state) {
  (void)state;
  with_family(check_canonical);
}

static void refuse(void *data) {
  Family *f = data;
  static const char *const bad[][3] = {
      // text, rest at the error, reason
      {"", "", "expected 'layout<'"},
      {"layout", "layout", "expected 'layout<'"},
      {"layout<", "", "expected 'register',"},
      {"layout<bank=[] -> 1>", "bank=", "expected 'register',"},
      {"layout<lane=[[1]] lane", "lane", "expected ',' or '->'"},
      {"layout<lane=[], lane=[] -> 1>", "lane=[] ->", "given before"},
      {"layout<lane=[], offset=[] -> 1>", " offset=", "stands alone"},
      {"layout<offset=[], lane=[] -> 1>", " lane=", "stands alone"},
      {"layout<lane [] -> 1>", "[] ->", "expected '='"},
      {"layout<lane=1 -> 1>", "1 ->", "expected '['"},
      {"layout<lane=[1] -> 2>", "1] ->", "expected '['"},
      {"layout<lane=[[1][2]] -> 4>", "[2]]", "expected ',' or ']'"},
      {"layout<lane=[[1 2]] -> 4>", "2]]", "expected ',' or ']'"},
      {"layout<lane=[[-1]] -> 4>", "-1]]", "expected a number"},
      {"layout<lane=[[4]] -> 4>", "[4]]", "outside the tile"},
      {"layout<lane=[[99999999999999999999]] -> 4>", "999", "too large"},
      {"layout<lane=[[0,1]] -> 4>", "[0,1]]", "for each axis"},
      {"layout<lane=[] -> 3>", "3>", "power of two"},
      {"layout<lane=[] -> 0>", "0>", "power of two"},
      {"layout<lane=[] -> 4x>", ">", "expected a number"},
      {"layout<lane=[] -> 4", "", "expected '>'"},
      {"layout<lane=[] -> 1048576x2048>", "", "at most 2^30 elements"},
      {"layout<lane=[] -> 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1>", "1>",
       "at most 16 axes"},
      {"layout<lane=[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]] -> 1>", "0]]",
       "at most 16 axes"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *at = bad[i][0], *error = NULL;
    assert_null(layout_parse(&f->table, &at, &error));
    assert_non_null(error);
    if (!strstr(error, bad[i][2])) fail_msg("%s: %s", bad[i][0], error);
    if (strncmp(at, bad[i][1], strlen(bad[i][1]))) {
      fail_msg("%s: %s at '%s'", bad[i][0], error, at);
    }
  }
}

static void test_refusals(void **state) {
  (void)state;
  with_family(refuse);
}

static void refuse_many_bits(void *data) {
  Family *f = data;
  Str text = str_in(&f->arena);
  str_add(&text, "layout<lane=[[1]");
  for (int i = 0; i < 30; i++) str_add(&text, ",[0]");
  str_add(&text, "] -> 2>");
  const char *at = str_text(&text), *error = NULL;
  assert_null(layout_parse(&f->table, &at, &error));
  assert_string_equal(error, "a layout has at most 30 bits");
}

static void test_too_many_bits(void **state) {
  (void)state;
  with_family(refuse_many_bits);
}

// Every prefix of a good text is refused or read, and never overrun.
static void cut_short(void *data) {
  Family *f = data;
  const char *whole = "layout<register=[[0,1]], lane=[[1,0]] -> 2x2>";
  for (size_t length = 0; length < strlen(whole); length++) {
    const char *cut = arena_strndup(&f->arena, whole, length);
    const char *at = cut, *error = NULL;
    assert_null(layout_parse(&f->table, &at, &error));
    assert_in_range((size_t)(at - cut), 0, length);
  }
}

static void test_prefixes(void **state) {
  (void)state;
  with_family(cut_short);
}

// Reads every layout that docs/layouts.md shows.
static void read_docs(void *data) {
  static char page[1 << 16];
  FILE *file = fopen(TILE_SOURCE_DIR "/docs/layouts.md", "rb");
  assert_non_null(file);
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  fclose(file);
  int count = 0;
  Family *f = data;
  const char *at = page;
  while ((at = strstr(at, "layout<"))) {
    const char *start = at, *error = NULL;
    if (!layout_parse(&f->table, &at, &error)) {
      fail_msg("%s at '%.20s' of '%.60s'", error, at, start);
    }
    count++;
  }
  assert_true(count > 3);
}

static void test_docs(void **state) {
  (void)state;
  with_family(read_docs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_canonical_form),
      cmocka_unit_test(test_refusals),   cmocka_unit_test(test_too_many_bits),
      cmocka_unit_test(test_prefixes),   cmocka_unit_test(test_docs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
