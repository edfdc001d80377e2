// argument.h -- the arguments of a call, as values.
#ifndef TILE_FRONTEND_ARGUMENT_H
#define TILE_FRONTEND_ARGUMENT_H

#include "frontend/value/object.h"
#include "ir/base/base.h"

// The arguments of a call, evaluated; `*args` are expanded.
typedef struct {
  const char *name; // NULL: positional
  const Object *value;
  SrcLoc loc;   // of the value
  SrcLoc whole; // of the value and its keyword
} Argument;
typedef Vec(Argument) Arguments;

#endif
