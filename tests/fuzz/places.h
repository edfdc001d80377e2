// places.h -- rules for each message about a source text.
#ifndef TILE_TESTS_FUZZ_PLACES_H
#define TILE_TESTS_FUZZ_PLACES_H

#include "ir/base/diag.h"
#include "ir/base/utf8.h"

#include <string.h>

static inline bool is_utf8(const char *text) {
  for (size_t left = strlen(text); left;) {
    const size_t length = utf8_next(text, left).length;
    if (!length) return false;
    text += length;
    left -= length;
  }
  return true;
}

// A caret may stand behind the last character, where something is missing.
static inline bool is_in_line(const DiagList *diags, SrcLoc loc) {
  const Source *source = diag_find_source(diags, loc.file);
  size_t length;
  if (!source || loc.line < 1 || loc.column < 1 || loc.span < 0) return false;
  if (!source_line(source, loc.line, &length)) return false;
  const size_t begin = (size_t)loc.column - 1, span = (size_t)loc.span;
  return begin <= length && span <= length - begin + (span == 1);
}

static inline const char *wrong_diag(const DiagList *diags, const Diag *diag) {
  const bool placed = diag->severity != DIAG_NOTE || diag->loc.line;
  if (diag->severity != DIAG_REMARK && !*diag->text) return "an empty message";
  if (!is_utf8(diag->text)) return "a message that is not UTF-8";
  if (placed && !is_in_line(diags, diag->loc)) return "a place out of its line";
  if (diag->fix && !is_in_line(diags, diag->fix_loc))
    return "a fix out of its line";
  return NULL;
}

// The fault of one of the messages, as text in the arena of `diags`;
// NULL: nothing.
static inline const char *wrong_place(const DiagList *diags) {
  for (const Diag *diag = diags->first; diag; diag = diag->next) {
    const char *wrong = wrong_diag(diags, diag);
    if (!wrong) continue;
    Str text = str_in(diags->arena);
    str_addf(&text, "%s, ", wrong);
    diag_render(diags, diag, false, &text);
    return str_text(&text);
  }
  return NULL;
}

#endif
