// test_verdicts.c -- changes of a line of IR, and which of them are refused.
//
// In every line of golden/ir/every-op.tir each element type, number, operand,
// word and attribute is changed or removed, one at a time, and a type also in
// all lines before it. verdicts.txt has a letter for each result: '.' is
// accepted, 'p' and 'v' are refused by the parser and the verifier.
// TILE_VERDICTS=FILE writes that file anew.
#include "ir/text.h"
#include "ir/verify.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_TEXT = 1 << 16, MAX_LINES = 256, MAX_LINE = 512 };

typedef struct {
  char text[MAX_TEXT];
  char *lines[MAX_LINES];
  int count;
} File;

typedef struct {
  const File *file;
  int first, at, last; // lines: of the kernel's head, the changed one, the last
                       // that is kept
  char verdicts[MAX_LINE * 4];
  size_t count;
  const char *wanted; // NULL: unknown
} Line;

// -- One text ----------------------------------------------------------------

typedef struct {
  Arena arena;
  const char *text;
  char verdict;
} Trial;

static void judge_body(void *data) {
  Trial *t = data;
  DiagList diags;
  diag_init(&diags, &t->arena);
  Module *m = module_create(&t->arena, &diags);
  const Source *source =
      source_create(&t->arena, "t", t->text, strlen(t->text));
  t->verdict = !module_parse(m, source) ? 'p' : module_verify(m) ? '.' : 'v';
}

static char judge(const char *text) {
  Trial t = {.text = text};
  arena_init(&t.arena, &system_allocator);
  assert_true(arena_protect(&t.arena, judge_body, &t));
  arena_free(&t.arena);
  return t.verdict;
}

// The layouts, and the kernel up to `last`, with another line in one place.
static char verdict_of(const Line *l, const char *line) {
  static char text[MAX_TEXT];
  char *out = text;
  for (int i = 0; i < l->file->count; i++)
    if (l->file->lines[i][0] == '#')
      out += sprintf(out, "%s\n", l->file->lines[i]);
  for (int i = l->first; i <= l->last; i++)
    out += sprintf(out, "%s\n", i == l->at ? line : l->file->lines[i]);
  sprintf(out, "  return\n}\n");
  return judge(text);
}

static void try_line(Line *l, const char *line) {
  const char verdict = verdict_of(l, line);
  assert_true(l->count + 1 < sizeof l->verdicts);
  if (l->wanted && l->count < strlen(l->wanted) &&
      l->wanted[l->count] != verdict)
    print_error("'%c', not '%c': %s\n", verdict, l->wanted[l->count], line);
  l->verdicts[l->count++] = verdict;
}

// With `text` for the `length` characters from `at` on.
static void try_with(Line *l, const char *at, size_t length, const char *text) {
  char line[MAX_LINE];
  const char *whole = l->file->lines[l->at];
  snprintf(line, sizeof line, "%.*s%s%s", (int)(at - whole), whole, text,
           at + length);
  if (strcmp(line, whole) != 0) try_line(l, line);
}

// -- Changes -----------------------------------------------------------------

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *const elements[] = {"i1",  "i8",  "i16",  "i32",  "i64",
                                       "f16", "f32", "bf16", "f8e5", "f64"};
enum { NUM_ELEMENTS = sizeof elements / sizeof *elements };

// Does a word that is a type or a number begin at `at`?  A type may also follow
// a size.
static bool is_begin(const char *line, const char *at) {
  if (at == line || !in_word(at[-1]))
    return at == line || !strchr("%#.", at[-1]);
  return at[-1] == 'x' && at - line > 1 && isdigit((unsigned char)at[-2]);
}

static void change_elements(Line *l) {
  const char *line = l->file->lines[l->at];
  for (const char *at = line; *at; at++)
    for (int i = 0; i < NUM_ELEMENTS; i++) {
      const size_t length = strlen(elements[i]);
      if (strncmp(at, elements[i], length) != 0 || in_word(at[length]) ||
          !is_begin(line, at))
        continue;
      for (int k = 0; k < NUM_ELEMENTS; k++)
        try_with(l, at, length, elements[k]);
    }
}

// The line with another type in place of one.
static void replace(const char *line, const char *from, const char *to,
                    char *out) {
  const size_t length = strlen(from);
  for (const char *at = line; *at;)
    if (strncmp(at, from, length) == 0 && !in_word(at[length]) &&
        is_begin(line, at)) {
      out += sprintf(out, "%s", to);
      at += length;
    } else {
      *out++ = *at++;
    }
  *out = 0;
}

static bool has(const Line *l, const char *type) {
  char line[MAX_LINE];
  for (int i = l->first; i <= l->at; i++) {
    replace(l->file->lines[i], type, "?", line);
    if (strchr(line, '?')) return true;
  }
  return false;
}

// Types of the kernel, changed in the line and in all lines before it, so that
// the error is not a difference between two lines.
static void change_everywhere(Line *l) {
  static char kept[MAX_LINES][MAX_LINE];
  static File changed;
  const File *file = l->file;
  for (int k = 0; k < NUM_ELEMENTS * NUM_ELEMENTS; k++) {
    const char *from = elements[k / NUM_ELEMENTS];
    const char *to = elements[k % NUM_ELEMENTS];
    if (from == to || !has(l, from)) continue;
    changed.count = file->count;
    for (int i = 0; i < file->count; i++) {
      const bool is_before = i >= l->first && i <= l->last;
      replace(file->lines[i], is_before ? from : "?", to, kept[i]);
      changed.lines[i] = kept[i];
    }
    l->file = &changed;
    try_line(l, changed.lines[l->at]);
    l->file = file;
  }
}

static void change_numbers(Line *l) {
  const char *line = l->file->lines[l->at];
  for (const char *at = line; *at; at++) {
    if (!isdigit((unsigned char)*at) || !is_begin(line, at)) continue;
    const size_t length = strspn(at, "0123456789");
    const long long value = strtoll(at, NULL, 10);
    if (in_word(at[length]) && at[length] != 'x') continue;
    const long long others[] = {value + 1, value - 1, value * 2,
                                -value,    value / 2, 1LL << 40};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
      char text[32];
      snprintf(text, sizeof text, "%lld", others[i]);
      try_with(l, at, length, text);
    }
    at += length - 1;
  }
}

// Each value of the kernel's arguments and of the two lines in front.
static void change_operand(Line *l, const char *at, size_t length) {
  for (int i = l->first; i < l->at; i++) {
    if (i != l->first && i < l->at - 2) continue;
    const char *line = l->file->lines[i], *end = strstr(line, " = ");
    for (const char *p = line; (p = strchr(p, '%')); p++) {
      if (i != l->first && (!end || p > end)) break;
      char name[64];
      snprintf(name, sizeof name, "%.*s",
               (int)(1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789")),
               p);
      try_with(l, at, length, name);
    }
  }
}

static void change_operands(Line *l) {
  const char *line = l->file->lines[l->at], *equals = strstr(line, " = ");
  const bool defines = line[strspn(line, " ")] == '%';
  const char *at = defines && equals ? equals : line;
  while ((at = strchr(at, '%'))) {
    size_t length = 1;
    while (in_word(at[length])) length++;
    if (at[length] != ':') { // of a block's arguments
      change_operand(l, at, length);
      try_with(l, at, at[length] == ',' ? length + 2 : length, "");
    }
    at += length;
  }
}

// Other words in place of values of attributes, and attributes that are
// removed.
static void change_attributes(Line *l) {
  static const char *const words[] = {"true", "false", "none", "lt", "cg"};
  const char *line = l->file->lines[l->at], *at = strchr(line, '{');
  for (; at && (at = strstr(at, " = ")); at++) {
    const char *name = at, *value = at + 3;
    while (in_word(name[-1])) name--;
    size_t length = strcspn(value, ",}[");
    if (*value == '[') length = strcspn(value, "]") + 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      try_with(l, value, length, words[i]);
    const char *end = value + length;
    if (*end == ',') end += 2;
    try_with(l, name, (size_t)(end - name), "");
  }
}

// -- Lines -------------------------------------------------------------------

static void read_file(File *f) {
  FILE *file = fopen(TILE_SOURCE_DIR "/tests/golden/ir/every-op.tir", "r");
  assert_non_null(file);
  const size_t size = fread(f->text, 1, sizeof f->text - 1, file);
  fclose(file);
  f->text[size] = 0;
  for (char *line = strtok(f->text, "\n"); line; line = strtok(NULL, "\n")) {
    if (line[0] == '/') continue;
    assert_true(f->count < MAX_LINES && strlen(line) < MAX_LINE / 2);
    f->lines[f->count++] = line;
  }
}

// Lines of a region are kept with all of the operation.
static int last_line(const File *f, int at) {
  while (f->lines[at][2] == ' ' ||
         f->lines[at][strlen(f->lines[at]) - 1] == '{')
    at++;
  return at;
}

// A line and its kernel; other lines may have the same kernel.
static const char *name_of(const File *f, int first, int at) {
  static char name[MAX_LINE];
  const char *kernel = strchr(f->lines[first], '@');
  snprintf(name, sizeof name, "%s %.*s", f->lines[at],
           (int)strcspn(kernel, "("), kernel);
  return name;
}

// The verdicts of that line in the table; NULL: the table has none, or those of
// another text.
static const char *wanted_of(const char *kept, const char *line) {
  static char wanted[MAX_LINE * 4];
  for (const char *at = kept; at && *at; at = strchr(at, '\n')) {
    at += *at == '\n';
    const size_t length = strcspn(at, " ");
    const char *rest = at + length;
    if (strncmp(rest, line, strlen(line)) != 0 || rest[strlen(line)] != '\n')
      continue;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, at);
    return wanted;
  }
  return NULL;
}

// Lines with another text in the table, and lines that are not in it.
static int num_wrong, num_unknown;

static void judge_line(const File *f, int first, int at, const char *kept,
                       FILE *out) {
  const char *whole = f->lines[at];
  Line l = {.file = f,
            .first = first,
            .at = at,
            .last = last_line(f, at),
            .wanted = kept ? wanted_of(kept, name_of(f, first, at)) : NULL};
  num_unknown += !l.wanted;
  if (kept && !l.wanted) return;
  try_line(&l, whole);
  if (l.verdicts[0] != '.') fail_msg("refused as it is: %s", whole);
  change_elements(&l);
  change_numbers(&l);
  change_operands(&l);
  change_attributes(&l);
  change_everywhere(&l);
  l.verdicts[l.count] = 0;
  if (out) fprintf(out, "%s%s\n", l.verdicts, name_of(f, first, at));
  num_wrong += l.wanted && strcmp(l.wanted, l.verdicts) != 0;
}

static char *read_kept(void) {
  char *text = calloc(1, MAX_TEXT);
  FILE *file = fopen(TILE_SOURCE_DIR "/tests/unit/ir/verdicts.txt", "r");
  assert_true(text && file);
  assert_true(fread(text, 1, MAX_TEXT - 1, file) > 0);
  fclose(file);
  return text;
}

static void test_verdicts(void **state) {
  (void)state;
  static File f;
  const char *path = getenv("TILE_VERDICTS");
  FILE *out = path ? fopen(path, "w") : NULL;
  char *kept = path ? NULL : read_kept();
  assert_true(out || kept);
  read_file(&f);
  int first = 0;
  for (int i = 0; i < f.count; i++) {
    const char *line = f.lines[i], *start = line + strspn(line, " ");
    if (!strncmp(line, "kernel", 6)) first = i;
    if (line[0] == ' ' && *start != '}' && strcmp(start, "return") != 0)
      judge_line(&f, first, i, kept, out);
  }
  if (out) fclose(out);
  if (kept && num_unknown)
    print_message("SKIP (part): %d lines are not in verdicts.txt\n",
                  num_unknown);
  assert_true(!kept || num_unknown * 10 < f.count);
  assert_int_equal(num_wrong, 0);
  free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
