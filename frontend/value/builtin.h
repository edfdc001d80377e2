// builtin.h -- a function of triton.language or of Python, as a value.
#ifndef TILE_FRONTEND_BUILTIN_H
#define TILE_FRONTEND_BUILTIN_H

#include "frontend/value/object.h"

typedef struct Walk Walk;               // frontend/core/walk.h
typedef struct BuiltinCall BuiltinCall; // frontend/core/builtins.h

typedef enum {
  SPACE_LANGUAGE,  // tl.x
  SPACE_METHOD,    // tl.x and tile.x
  SPACE_LIBDEVICE, // tl.math.x, tl.extra.cuda.libdevice.x
  SPACE_PYTHON,    // x
  SPACE_HOST,      // Python's math.x
} BuiltinSpace;

struct Builtin {
  const char *name;
  BuiltinSpace space;
  // NULL: not supported yet.
  const Object *(*run)(Walk *w, const BuiltinCall *call);
  int data;           // parameter of the handler: an OpKind, ...
  const char *params; // "pointer mask? *dims": `?` is optional
};

#endif
