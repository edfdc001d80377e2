// source.h -- a piece of source text and places in it.
#ifndef TILE_IR_BASE_SOURCE_H
#define TILE_IR_BASE_SOURCE_H

#include "ir/base/arena.h"

typedef struct Source Source;
struct Source {
  Source *next;     // in the list of a DiagList
  const char *name; // as shown in messages
  const char *text; // `length` bytes, then a NUL; may contain NULs
  size_t length;
  bool is_recoded; // the file is in another encoding than `text`
};

// A place in a text.  `line` is 1-based, 0 means "no location"; `column` is
// 1-based and counts bytes; `span` is a number of bytes on that line (0 or 1:
// just a caret).
typedef struct {
  const char *file;
  int line, column, span;
} SrcLoc;

// Do both begin at the same place?
static inline bool loc_same(SrcLoc a, SrcLoc b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

// The location from `first` to the end of `last`, if they share a line; else
// `first`.
static inline SrcLoc loc_up_to(SrcLoc first, SrcLoc last) {
  if (first.line == last.line && first.file == last.file)
    first.span = last.column + last.span - first.column;
  return first;
}

// The place as an editor counts it: in a recoded file, in characters.
SrcLoc source_place(const Source *source, SrcLoc loc);

// `text` must outlive the Source unless it is in the arena itself.
Source *source_create(Arena *arena, const char *name, const char *text,
                      size_t length);

bool source_same_text(const Source *a, const Source *b);

// Line `line` without its end; NULL past the end of the text.
const char *source_line(const Source *source, int line, size_t *length);

#endif
