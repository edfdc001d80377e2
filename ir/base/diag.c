// diag.c -- recording diagnostics.
#include "ir/base/diag.h"

#include "ir/base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

void diag_init(DiagList *diags, Arena *arena) {
  *diags = (DiagList){.arena = arena};
  diags->last = &diags->first;
}

void diag_init_muted(DiagList *diags, Arena *arena) {
  diag_init(diags, arena);
  diags->muted = true;
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

int diag_limit(const DiagList *diags) {
  enum { DEFAULT_ERROR_LIMIT = 20 };
  return diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
}

// A name may be as long as its file; a part of it is enough.
enum { MAX_NAME_SHOWN = 100, NAME_PART_SHOWN = 60 };

static size_t name_length(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] < 0) n++;
  return n;
}

// The largest length up to `length` that cuts no character in two.
static size_t whole_characters(const char *text, size_t length) {
  while (length && utf8_continues(text[length])) length--;
  return length;
}

static const char *with_short_names(Arena *arena, const char *text) {
  Str out = str_in(arena);
  while (*text) {
    const size_t length = name_length(text);
    const bool cut = length > MAX_NAME_SHOWN;
    str_add_bytes(&out, text,
                  cut ? whole_characters(text, NAME_PART_SHOWN)
                      : length + !length);
    if (cut) str_add(&out, "...");
    text += length + !length;
  }
  return str_text(&out);
}

static bool has_long_name(const char *text) {
  while (*text) {
    const size_t length = name_length(text);
    if (length > MAX_NAME_SHOWN) return true;
    text += length + !length;
  }
  return false;
}

static const char *made_text(DiagList *diags, const char *format,
                             va_list args) {
  Str text = str_in(diags->arena);
  str_vaddf(&text, format, args);
  return has_long_name(str_text(&text))
             ? with_short_names(diags->arena, str_text(&text))
             : str_text(&text);
}

static void append(DiagList *diags, Severity severity, SrcLoc loc,
                   const char *text, const char *format) {
  Diag *diag = arena_new(diags->arena, Diag);
  *diag =
      (Diag){.severity = severity, .loc = loc, .text = text, .format = format};
  assert(!*diags->last && "the list goes on behind its last"); // I6
  *diags->last = diag;
  diags->newest = diag;
  diags->last = &diag->next;
}

static void record(DiagList *diags, Severity severity, SrcLoc loc,
                   const char *format, va_list args) {
  diags->newest = NULL;
  if (diags->muted || diag_is_full(diags)) return;
  if (severity == DIAG_NOTE && diags->repeated) return;
  diags->repeated = false;
  append(diags, severity, loc, made_text(diags, format, args), format);
}

static bool same_place(SrcLoc a, SrcLoc b) {
  return loc_same(a, b) && a.span == b.span;
}

// The same message at the same place, as for a helper that is called twice.
static bool is_repeated(const DiagList *diags, Severity severity, SrcLoc loc,
                        const char *text) {
  for (const Diag *d = diags->first; d && loc.line; d = d->next) {
    if (d->severity == severity && same_place(d->loc, loc) &&
        !strcmp(d->text, text))
      return true;
  }
  return false;
}

static void record_once(DiagList *diags, Severity severity, SrcLoc loc,
                        const char *text, const char *format) {
  diags->repeated = is_repeated(diags, severity, loc, text);
  if (diags->repeated) return;
  if (severity == DIAG_ERROR) diags->num_distinct++;
  if (severity == DIAG_WARNING) diags->num_warnings++;
  if (!diag_is_full(diags)) append(diags, severity, loc, text, format);
}

bool diag_error_text(DiagList *diags, SrcLoc loc, const char *text) {
  diags->newest = NULL;
  diags->num_errors++;
  if (!diags->muted && !diag_is_full(diags))
    record_once(diags, DIAG_ERROR, loc, text, text);
  return false;
}

bool diag_verror(DiagList *diags, SrcLoc loc, const char *format,
                 va_list args) {
  diags->newest = NULL;
  diags->num_errors++;
  if (diags->muted || diag_is_full(diags)) return false;
  record_once(diags, DIAG_ERROR, loc, made_text(diags, format, args), format);
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

bool diag_misuse(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->num_misuses++;
  diag_verror(diags, loc, format, args);
  va_end(args);
  return false;
}

void diag_warning(DiagList *diags, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diags->newest = NULL;
  if (!diags->muted && !diag_is_full(diags))
    record_once(diags, DIAG_WARNING, loc, made_text(diags, format, args),
                format);
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

void diag_retract(DiagList *diags, const DiagList *before) {
  Source *sources = diags->sources;
  *diags = *before;
  diags->sources = sources;
  *diags->last = NULL;
}

void diag_note_after(DiagList *diags, Diag *last, SrcLoc loc, const char *text,
                     const char *format) {
  if (!last->next) {
    append(diags, DIAG_NOTE, loc, text, format);
    return;
  }
  Diag *note = arena_new(diags->arena, Diag);
  *note = (Diag){.next = last->next,
                 .severity = DIAG_NOTE,
                 .loc = loc,
                 .text = text,
                 .format = format};
  last->next = note;
}

void diag_fix(DiagList *diags, SrcLoc loc, const char *text) {
  if (!diags->newest) return;
  diags->newest->fix = arena_strdup(diags->arena, text);
  diags->newest->fix_loc = loc;
}

void diag_ranges(DiagList *diags, SrcLoc loc, SrcLoc left, SrcLoc right) {
  Diag *diag = NULL; // the last one that is no note
  for (Diag *d = diags->first; d; d = d->next) {
    if (d->severity != DIAG_NOTE) diag = d;
  }
  if (!diag || diag->num_ranges || !same_place(diag->loc, loc)) return;
  diag->ranges[0] = left;
  diag->ranges[1] = right;
  diag->num_ranges = 2;
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
  Diag *rest = *from, *newest = NULL; // of the sorted messages
  diags->last = from;
  *from = NULL;
  while (rest) {
    Diag *first = rest, *last = last_note(first), **at = diags->last;
    rest = last->next;
    // Most messages are in order already.
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
  assert(!*diags->last && "the last message was moved"); // I6
}

void diag_rewind(DiagList *diags, const DiagList *then) {
  assert(then->arena == diags->arena && then->num_errors <= diags->num_errors &&
         "not an earlier state"); // I7
  *diags = *then;
  *diags->last = NULL;
}

bool diag_failed(const DiagList *diags) {
  return diags->num_errors > 0;
}

bool diag_is_full(const DiagList *diags) {
  assert(diags->num_distinct <= diags->num_errors &&
         diags->num_bugs + diags->num_misuses <= diags->num_errors); // I8
  return diags->num_distinct > diag_limit(diags);
}

const char *diag_message_id(const Diag *diag, const DiagMessage *rows,
                            size_t count) {
  if (!diag->format) return NULL;
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(rows[i].format, diag->format)) return rows[i].id;
  }
  return NULL;
}

static size_t min3(size_t a, size_t b, size_t c) {
  const size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

enum { LONGEST_NAME = 64 };

// Are the two characters before these positions the same, but exchanged?
static bool is_swap(const char *a, const char *b) {
  return a[-1] == b[-2] && a[-2] == b[-1];
}

// The number of letters omitted, inserted, replaced, or exchanged with the next
// one; longer names never match.
static size_t distance(const char *a, const char *b) {
  const size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST_NAME || m > LONGEST_NAME) return LONGEST_NAME;
  size_t rows[3][LONGEST_NAME + 1]; // for the last three lengths of a
  for (size_t j = 0; j <= m; j++) rows[0][j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = min3(above[j] + 1, row[j - 1] + 1,
                    above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && before[j - 2] < row[j] && is_swap(a + i, b + j))
        row[j] = before[j - 2] + 1;
    }
  }
  return rows[n % 3][m];
}

static bool same_letters(const char *a, const char *b) {
  for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++)
    b++;
  return !*a && !*b;
}

const char *diag_nearest(const char *name, const char *const *candidates,
                         size_t count) {
  const char *best = NULL;
  if (strlen(name) > LONGEST_NAME) return NULL;
  size_t best_distance = strlen(name) / 3 + 1;
  for (size_t i = 0; i < count; i++) {
    const bool same = same_letters(name, candidates[i]);
    const size_t d = same ? 0 : distance(name, candidates[i]);
    if (d > best_distance || (best && d == best_distance)) continue;
    if (d && 2 * d >= strlen(name)) continue; // 'np' is no misspelt 'n'
    best = candidates[i];
    best_distance = d;
  }
  return best;
}
