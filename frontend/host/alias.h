// alias.h -- noting what changes; see host/alias.c.
#ifndef TILE_FRONTEND_SPECIALIZE_ALIAS_H
#define TILE_FRONTEND_SPECIALIZE_ALIAS_H

#include "frontend/core/walk.h"
#include "frontend/module/program.h"

// May something else hold it, too, and change it?
bool object_is_shared(const Object *x);
// A statement of the module changes `x`, and perhaps all that it holds; NULL:
// it may be anything.
void walk_note_changed(Walk *w, const AstFile *file, const AstChange *change,
                       const Object *x);
void walk_note_one_changed(Walk *w, const AstFile *file,
                           const AstChange *change, const Object *x);

#endif
