// recover.h -- walking on after an error, so that one run reports several.
//
// A statement that failed is skipped.  The walk goes back to where it stood
// before it, and the names that it assigns become poison: using one fails in
// silence, so nothing is reported that only follows from an error.
#ifndef TILE_FRONTEND_RECOVER_H
#define TILE_FRONTEND_RECOVER_H

#include "frontend/core/walk.h"

typedef struct {
  Builder b;
  size_t num_pending;
  int depth, loops;
} WalkPoint;

WalkPoint recover_point(const Walk *w);
// Back to where the walk stood, in the same function; names keep their values.
void recover_to(Walk *w, const WalkPoint *point);
// After `stmt` failed: counts that in `failures`.  False where the walk ends.
bool recover(Walk *w, const WalkPoint *point, const Stmt *stmt);
// So do all names that do not mean what they did at `start`; the others get
// what they had before that.
void poison_changed(Walk *w, const ScopeState *start, const ScopeState *before);
// For errors that would only come again and again; returns NULL.
const Object *recover_never(Walk *w);

// Says below each error reported since `mark`, which was the list's `last`,
// that `loc` led there.
__attribute__((format(printf, 4, 5))) void
recover_note_calls(Walk *w, Diag **mark, SrcLoc loc, const char *format, ...);

// Blames errors within a library on the call of `name` at `loc`: the first
// error since `mark` is moved to the call, with a note at its own location;
// later ones follow from it and are dropped.
void recover_blame_call(Walk *w, Diag **mark, const char *library, SrcLoc loc,
                        const char *name);
// The same of library.tile.
void library_blame_call(Walk *w, Diag **mark, SrcLoc loc, const char *name);

#endif
