// diag.c -- recording and rendering diagnostics.
#include "ir/base/diag.h"

#include <string.h>

enum { DEFAULT_ERROR_LIMIT = 20, MAX_LINE_SHOWN = 240 };

void diag_init(DiagList *diags, Arena *arena) {
  *diags = (DiagList){.arena = arena};
  diags->last = &diags->first;
}

void diag_add_source(DiagList *diags, Source *source) {
  source->next = diags->sources;
  diags->sources = source;
}

const Source *diag_find_source(const DiagList *diags, const char *name) {
  for (const Source *s = diags->sources; s; s = s->next) {
    if (name && !strcmp(s->name, name)) return s;
  }
  return NULL;
}

static bool is_kept(const DiagList *diags) {
  const int limit =
      diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
  return !diags->muted && diags->num_errors <= limit;
}

static void record(DiagList *diags, Severity severity, SrcLoc loc,
                   const char *format, va_list args) {
  if (!is_kept(diags)) return;
  Str text = str_in(diags->arena);
  str_vaddf(&text, format, args);
  Diag *diag = arena_new(diags->arena, Diag);
  *diag = (Diag){NULL, severity, loc, str_text(&text)};
  *diags->last = diag;
  diags->last = &diag->next;
}

bool diag_error(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->num_errors++;
  record(diags, DIAG_ERROR, loc, format, args);
  va_end(args);
  return false;
}

bool diag_bug(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->num_errors++;
  diags->num_bugs++;
  record(diags, DIAG_ERROR, loc, format, args);
  va_end(args);
  return false;
}

void diag_warning(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->num_warnings += !diags->muted;
  record(diags, DIAG_WARNING, loc, format, args);
  va_end(args);
}

void diag_remark(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  record(diags, DIAG_REMARK, loc, format, args);
  va_end(args);
}

void diag_note(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  record(diags, DIAG_NOTE, loc, format, args);
  va_end(args);
}

bool diag_failed(const DiagList *diags) {
  return diags->num_errors > 0;
}

const char *severity_name(Severity severity) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  return names[severity];
}

static const char *severity_color(Severity severity) {
  static const char *const colors[] = {"\33[1;31m", "\33[1;35m", "\33[1;34m",
                                       "\33[1;36m"};
  return colors[severity];
}

// Length of the valid UTF-8 sequence at `at`, 0 if there is none.
static size_t utf8_length(const unsigned char *at, size_t left) {
  size_t length = *at < 0x80   ? 1
                  : *at < 0xc2 ? 0
                  : *at < 0xe0 ? 2
                  : *at < 0xf0 ? 3
                  : *at < 0xf5 ? 4
                               : 0;
  if (length > left) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
  }
  return length;
}

// Copies `line` as it may be shown; returns the screen column of byte `mark`.
static size_t add_shown_line(Str *out, const char *line, size_t length,
                             size_t mark) {
  size_t columns = 0, marked = 0;
  for (size_t i = 0; i < length;) {
    const unsigned char *at = (const unsigned char *)line + i;
    size_t n = utf8_length(at, length - i);
    if (i <= mark) marked = columns;
    if (!n || *at < 0x20 || *at == 0x7f) {
      str_add_char(out, *at == '\t' ? ' ' : '?');
      n = 1;
    } else {
      str_add_bytes(out, at, n);
    }
    i += n;
    columns++;
  }
  return mark < length ? marked : columns;
}

static void add_caret(Str *out, const Source *source, SrcLoc loc, bool color) {
  size_t length;
  const char *line = source_line(source, loc.line, &length);
  if (!line || loc.column < 1) return;
  size_t mark = (size_t)loc.column - 1, skip = 0;
  if (mark > MAX_LINE_SHOWN / 2) skip = mark - MAX_LINE_SHOWN / 2;
  if (skip > length) return;
  line += skip, length -= skip, mark -= skip;
  if (length > MAX_LINE_SHOWN) length = MAX_LINE_SHOWN;
  str_add(out, "  ");
  const size_t column = add_shown_line(out, line, length, mark);
  str_add(out, "\n  ");
  str_add_repeat(out, ' ', column);
  if (color) str_add(out, "\33[1;32m");
  str_add_char(out, '^');
  size_t span = loc.span > 1 ? (size_t)loc.span - 1 : 0;
  if (mark + 1 + span > length)
    span = length > mark + 1 ? length - mark - 1 : 0;
  str_add_repeat(out, '~', span);
  str_add(out, color ? "\33[0m\n" : "\n");
}

// A message quotes the source, so it is cleaned like a source line.
static void add_message(Str *out, const char *text) {
  for (size_t length;; text += length + 1) {
    length = strcspn(text, "\n");
    add_shown_line(out, text, length, 0);
    str_add_char(out, '\n');
    if (!text[length]) return;
  }
}

void diag_render(const DiagList *diags, const Diag *diag, bool color,
                 Str *out) {
  if (color) str_add(out, "\33[1m");
  if (diag->loc.file) str_add(out, diag->loc.file);
  if (diag->loc.file && diag->loc.line) str_addf(out, ":%d", diag->loc.line);
  if (diag->loc.file && diag->loc.line && diag->loc.column) {
    str_addf(out, ":%d", diag->loc.column);
  }
  if (diag->loc.file) str_add(out, ": ");
  if (color) str_add(out, severity_color(diag->severity));
  str_addf(out, "%s: ", severity_name(diag->severity));
  if (color) str_add(out, "\33[0m");
  add_message(out, diag->text);
  const Source *source = diag_find_source(diags, diag->loc.file);
  if (source && diag->loc.line) add_caret(out, source, diag->loc, color);
}

void diag_render_all(const DiagList *diags, bool color, Str *out) {
  for (const Diag *d = diags->first; d; d = d->next) {
    diag_render(diags, d, color, out);
  }
  const int limit =
      diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
  if (diags->num_errors > limit) {
    str_addf(out, "%d more errors not shown\n", diags->num_errors - limit);
  }
}

static size_t min3(size_t a, size_t b, size_t c) {
  const size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

// Levenshtein distance; names longer than the row never match.
static size_t distance(const char *a, const char *b) {
  enum { MAX = 64 };
  const size_t n = strlen(a), m = strlen(b);
  if (n > MAX || m > MAX) return MAX;
  size_t row[MAX + 1];
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      const size_t above = row[j];
      row[j] =
          min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[m];
}

const char *diag_nearest(const char *name, const char *const *candidates,
                         size_t count) {
  const char *best = NULL;
  size_t best_distance = strlen(name) / 3 + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t d = distance(name, candidates[i]);
    if (d > best_distance || (best && d == best_distance)) continue;
    if (2 * d > strlen(name)) continue; // 'x' is no misspelt 'y'
    best = candidates[i];
    best_distance = d;
  }
  return best;
}
