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
  SPACE_HOST,      // math.x, of Python
} BuiltinSpace;

struct Builtin {
  const char *name;
  BuiltinSpace space;
  // NULL: not supported yet.
  const Object *(*run)(Walk *w, const BuiltinCall *call);
  int data;           // what the handler makes of it: an OpKind, ...
  const char *params; // "pointer mask? *dims": `?` may be left out
};

#endif
