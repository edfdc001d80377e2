// builtin_table.c -- the table of functions in docs/language.md, from
// builtins.def.
//
//   builtin_table                 prints the table
//   builtin_table --check FILE    0 if FILE contains the printed table
//
// The table stands between the lines `<!-- builtins -->` and `<!-- end -->`.
#include "tests/tools/doc_tables.h"

#include <stdio.h>
#include <string.h>

typedef enum { ROW_GROUP, ROW_BUILTIN, ROW_UNSUPPORTED } RowKind;

typedef struct {
  RowKind kind;
  const char *name, *space, *handler, *params, *summary;
} Row;

static const Row rows[] = {
#define GROUP(title) {ROW_GROUP, title, "", "", "", ""},
#define BUILTIN(name, space, handler, data, params, summary)                   \
  {ROW_BUILTIN, name, #space, #handler, params, summary},
#define UNSUPPORTED(name, space) {ROW_UNSUPPORTED, name, #space, "", "", ""},
#include "frontend/core/builtins.def"
};

enum { NUM_ROWS = (int)(sizeof rows / sizeof *rows) };

static bool is_space(const Row *row, const char *space) {
  return !strcmp(row->space, space);
}

// A function that is also a method is shown with a leading dot.
static void add_name(const Row *row, Str *out) {
  if (is_space(row, "METHOD")) str_add_char(out, '.');
  if (is_space(row, "LIBDEVICE")) str_add(out, "libdevice.");
  str_add(out, row->name);
}

// `name(a, b?)` for the parameters "a b?"; the self of a method is left out.
static void add_call(const Row *row, Str *out) {
  const char *p = strcmp(row->params, "self") ? row->params : "";
  str_add_char(out, '`');
  add_name(row, out);
  if (strcmp(row->handler, "not_callable")) {
    str_add_char(out, '(');
    for (; *p; p++) {
      if (*p == ' ') str_add_char(out, ',');
      str_add_char(out, *p);
    }
    str_add_char(out, ')');
  }
  str_add_char(out, '`');
}

static bool merges(const Row *a, const Row *b) {
  return b->kind == ROW_BUILTIN && !strcmp(a->summary, b->summary) &&
         !strcmp(a->params, b->params) && !strcmp(a->space, b->space);
}

// Escapes '|', which would end the cell.
static void add_text(const char *text, Str *out) {
  for (; *text; text++) {
    if (*text == '|') str_add_char(out, '\\');
    str_add_char(out, *text);
  }
}

static void add_builtins(const Row *row, const Row *end, Str *out) {
  bool any = false;
  for (const Row *next; row < end; row = next) {
    next = row + 1;
    if (row->kind != ROW_BUILTIN) continue;
    if (!any) str_add(out, "| call | meaning |\n|---|---|\n");
    any = true;
    str_add(out, "| ");
    add_call(row, out);
    for (; next < end && merges(row, next); next++) {
      str_add_char(out, ' ');
      add_call(next, out);
    }
    str_add(out, " | ");
    add_text(row->summary, out);
    str_add(out, " |\n");
  }
}

static void add_unsupported(const Row *row, const Row *end, Str *out) {
  const char *separator = "\nNot supported yet: `";
  for (; row < end; row++) {
    if (row->kind != ROW_UNSUPPORTED) continue;
    str_add(out, separator);
    add_name(row, out);
    str_add_char(out, '`');
    separator = ", `";
  }
  if (*separator == ',') str_add(out, ".\n");
}

static void add_tables(Str *out) {
  const Row *all_end = rows + NUM_ROWS;
  for (const Row *row = rows, *end; row < all_end; row = end) {
    for (end = row + 1; end < all_end && end->kind != ROW_GROUP;) end++;
    str_addf(out, "%s**%s**\n\n", row == rows ? "" : "\n", row->name);
    add_builtins(row + 1, end, out);
    add_unsupported(row + 1, end, out);
  }
}

int main(int argc, char **argv) {
  static const DocTable table = {"builtins", add_tables};
  return doc_tables_main(argc, argv, &table, 1);
}
