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

static int limit_of(const DiagList *diags) {
  return diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
}

static void append(DiagList *diags, Severity severity, SrcLoc loc,
                   const char *text, const char *format) {
  Diag *diag = arena_new(diags->arena, Diag);
  *diag = (Diag){NULL, severity, loc, text, format};
  *diags->last = diag;
  diags->last = &diag->next;
}

static void record(DiagList *diags, Severity severity, SrcLoc loc,
                   const char *format, va_list args) {
  if (diags->muted || diag_is_full(diags)) return;
  if (severity == DIAG_NOTE && diags->repeated) return;
  Str text = str_in(diags->arena);
  str_vaddf(&text, format, args);
  diags->repeated = false;
  append(diags, severity, loc, str_text(&text), format);
}

static bool same_place(SrcLoc a, SrcLoc b) {
  return a.file == b.file && a.line == b.line && a.column == b.column &&
         a.span == b.span;
}

// A helper that is called twice has its errors once.
static bool is_repeated(const DiagList *diags, SrcLoc loc, const char *text) {
  for (const Diag *d = diags->first; d && loc.line; d = d->next) {
    if (d->severity == DIAG_ERROR && same_place(d->loc, loc) &&
        !strcmp(d->text, text))
      return true;
  }
  return false;
}

static void record_error(DiagList *diags, SrcLoc loc, const char *text,
                         const char *format) {
  diags->repeated = is_repeated(diags, loc, text);
  if (diags->repeated) return;
  diags->num_distinct++;
  if (!diag_is_full(diags)) append(diags, DIAG_ERROR, loc, text, format);
}

bool diag_error_text(DiagList *diags, SrcLoc loc, const char *text) {
  diags->num_errors++;
  if (!diags->muted && !diag_is_full(diags))
    record_error(diags, loc, text, text);
  return false;
}

bool diag_verror(DiagList *diags, SrcLoc loc, const char *format,
                 va_list args) {
  diags->num_errors++;
  if (diags->muted || diag_is_full(diags)) return false;
  Str text = str_in(diags->arena);
  str_vaddf(&text, format, args);
  record_error(diags, loc, str_text(&text), format);
  return false;
}

bool diag_error(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_verror(diags, loc, format, args);
  va_end(args);
  return false;
}

bool diag_bug(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->num_bugs++;
  diag_verror(diags, loc, format, args);
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

void diag_note_after(DiagList *diags, Diag *last, SrcLoc loc,
                     const char *text) {
  if (!last->next) {
    append(diags, DIAG_NOTE, loc, text, NULL);
    return;
  }
  Diag *note = arena_new(diags->arena, Diag);
  *note = (Diag){last->next, DIAG_NOTE, loc, text, NULL};
  last->next = note;
}

static Diag *last_note(Diag *diag) {
  while (diag->next && diag->next->severity == DIAG_NOTE) diag = diag->next;
  return diag;
}

static bool comes_before(SrcLoc a, SrcLoc b) {
  if (a.file != b.file || !a.line || !b.line) return false;
  return a.line < b.line || (a.line == b.line && a.column < b.column);
}

void diag_sort(DiagList *diags, Diag **from) {
  Diag *rest = *from, *newest = NULL; // of what is sorted
  diags->last = from;
  *from = NULL;
  while (rest) {
    Diag *first = rest, *last = last_note(first), **at = diags->last;
    rest = last->next;
    // Most come in order.
    if (newest && comes_before(first->loc, newest->loc)) {
      for (at = from; !comes_before(first->loc, (*at)->loc);)
        at = &last_note(*at)->next;
    } else {
      newest = first;
      diags->last = &last->next;
    }
    last->next = *at;
    *at = first;
  }
}

bool diag_failed(const DiagList *diags) {
  return diags->num_errors > 0;
}

bool diag_is_full(const DiagList *diags) {
  return diags->num_distinct > limit_of(diags);
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
  if (!diag_is_full(diags)) return;
  str_addf(out, "too many errors: only the first %d are shown\n",
           limit_of(diags));
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
