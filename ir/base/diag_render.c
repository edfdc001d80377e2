// diag_render.c -- diagnostics as the user reads them.
#include "ir/base/diag.h"
#include "ir/base/utf8.h"

#include <assert.h>
#include <string.h>

enum { MAX_LINE_SHOWN = 240 };

const char *severity_name(Severity severity) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  return names[severity];
}

static const char *severity_color(Severity severity) {
  static const char *const colors[] = {"\33[1;31m", "\33[1;35m", "\33[1;34m",
                                       "\33[1;36m"};
  return colors[severity];
}

// -- Text --------------------------------------------------------------------

// A character in printable form, or a byte that is no valid character.
typedef struct {
  size_t length, columns;
  bool as_it_is;
} Shown;

static Shown next_shown(const char *text, size_t left) {
  const Utf8 c = utf8_next(text, left);
  if (!c.length) return (Shown){1, 1, false};
  if (utf8_is_control(c.code)) return (Shown){c.length, 1, false};
  return (Shown){c.length, (size_t)utf8_width(c.code), true};
}

static void add_shown(Str *out, const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    const Shown c = next_shown(text + i, length - i);
    if (c.as_it_is)
      str_add_bytes(out, text + i, c.length);
    else
      str_add_char(out, text[i] == '\t' ? ' ' : '?');
    i += c.length;
  }
}

// A message contains text of the source, so it is cleaned like a source line.
static void add_message(Str *out, const char *text) {
  for (size_t length;; text += length + 1) {
    length = strcspn(text, "\n");
    add_shown(out, text, length);
    str_add_char(out, '\n');
    if (!text[length]) return;
  }
}

// -- Source ------------------------------------------------------------------

// The visible part of a line.
typedef struct {
  const char *text;
  size_t length, skipped;
} Excerpt;

// The text is NULL if there is no such line, or the place is past its end.
static Excerpt find_excerpt(const Source *source, SrcLoc loc) {
  Excerpt e = {0};
  const char *line = source_line(source, loc.line, &e.length);
  if (!line || loc.column < 1) return e;
  const size_t mark = (size_t)loc.column - 1;
  if (mark > MAX_LINE_SHOWN / 2) e.skipped = mark - MAX_LINE_SHOWN / 2;
  if (e.skipped > e.length) return e;
  e.text = line + e.skipped;
  e.length -= e.skipped;
  if (e.length > MAX_LINE_SHOWN) e.length = MAX_LINE_SHOWN;
  return e;
}

// The number of columns of the bytes `from` to `to` of the excerpt.
static size_t columns_of(const Excerpt *e, size_t from, size_t to) {
  size_t columns = 0;
  for (size_t i = from; i < to && i < e->length;) {
    const Shown c = next_shown(e->text + i, e->length - i);
    columns += c.columns;
    i += c.length;
  }
  return columns;
}

enum { MAX_MARKS = 2 * MAX_LINE_SHOWN + 2 }; // no character is wider than 2

// Puts `~` below the visible part of `loc`; returns its first column.
static size_t mark_span(const Excerpt *e, SrcLoc loc, char *marks) {
  const size_t span = loc.span > 1 ? (size_t)loc.span : 1;
  const size_t begin = (size_t)loc.column - 1, end = begin + span;
  const size_t from = begin > e->skipped ? begin - e->skipped : 0;
  const size_t to = end > e->skipped ? end - e->skipped : 0;
  const size_t at = columns_of(e, 0, from), after = columns_of(e, 0, to);
  assert(at < MAX_MARKS && after <= MAX_MARKS && "marks overflow"); // I9
  if (after > at) memset(marks + at, '~', after - at);
  return at;
}

// Are the operands within the location of the message?
static bool is_around(const Diag *diag) {
  const SrcLoc loc = diag->loc;
  for (int i = 0; i < diag->num_ranges; i++) {
    const SrcLoc range = diag->ranges[i];
    if (range.line == loc.line && range.column > loc.column &&
        range.column < loc.column + loc.span)
      return true;
  }
  return false;
}

static void add_underline(Str *out, const Excerpt *e, const Diag *diag,
                          bool color) {
  char marks[MAX_MARKS];
  memset(marks, ' ', sizeof marks);
  for (int i = 0; i < diag->num_ranges; i++) {
    const SrcLoc range = diag->ranges[i];
    if (range.line == diag->loc.line && range.column > 0)
      mark_span(e, range, marks);
  }
  SrcLoc caret = diag->loc;
  if (is_around(diag)) caret.span = 0;
  marks[mark_span(e, caret, marks)] = '^';
  size_t length = sizeof marks, blanks = 0;
  while (marks[length - 1] == ' ') length--;
  while (marks[blanks] == ' ') blanks++;
  str_add(out, "  ");
  str_add_repeat(out, ' ', blanks);
  if (color) str_add(out, "\33[1;32m");
  str_add_bytes(out, marks + blanks, length - blanks);
  str_add(out, color ? "\33[0m\n" : "\n");
}

static void add_fix(Str *out, const Excerpt *e, const Diag *diag, bool color) {
  const SrcLoc loc = diag->fix_loc;
  const size_t column = (size_t)loc.column - 1;
  if (loc.line != diag->loc.line || loc.column < 1 || column < e->skipped)
    return;
  str_add(out, "  ");
  str_add_repeat(out, ' ', columns_of(e, 0, column - e->skipped));
  if (color) str_add(out, "\33[0;32m");
  add_shown(out, diag->fix, strlen(diag->fix));
  str_add(out, color ? "\33[0m\n" : "\n");
}

static void add_source(Str *out, const Source *source, const Diag *diag,
                       bool color) {
  const Excerpt excerpt = find_excerpt(source, diag->loc);
  if (!excerpt.text) return;
  str_add(out, "  ");
  add_shown(out, excerpt.text, excerpt.length);
  str_add_char(out, '\n');
  add_underline(out, &excerpt, diag, color);
  if (diag->fix) add_fix(out, &excerpt, diag, color);
}

// -- Diagnostics -------------------------------------------------------------

// A file name may contain any byte but '/' and NUL; control characters are
// escaped.
static void add_file(Str *out, const char *file) {
  for (size_t left = strlen(file); left;) {
    const Shown c = next_shown(file, left);
    if (c.as_it_is)
      str_add_bytes(out, file, c.length);
    else
      str_addf(out, "\\x%02x", (unsigned char)*file);
    file += c.length;
    left -= c.length;
  }
}

static void add_place(Str *out, SrcLoc loc) {
  if (!loc.file) return;
  add_file(out, loc.file);
  if (loc.line) str_addf(out, ":%d", loc.line);
  if (loc.line && loc.column) str_addf(out, ":%d", loc.column);
  str_add(out, ": ");
}

void diag_render(const DiagList *diags, const Diag *diag, bool color,
                 Str *out) {
  if (color) str_add(out, "\33[1m");
  const Source *source = diag_find_source(diags, diag->loc.file);
  add_place(out, source_place(source, diag->loc));
  if (color) str_add(out, severity_color(diag->severity));
  str_addf(out, "%s: ", severity_name(diag->severity));
  if (color) str_add(out, "\33[0m");
  add_message(out, diag->text);
  if (source && diag->loc.line) add_source(out, source, diag, color);
}

void diag_render_all(const DiagList *diags, bool color, Str *out) {
  for (const Diag *d = diags->first; d; d = d->next) {
    diag_render(diags, d, color, out);
  }
  if (!diag_is_full(diags)) return;
  str_addf(out, "too many errors: only the first %d are shown\n",
           diag_limit(diags));
}
