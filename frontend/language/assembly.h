// assembly.h -- the user's assembly.
#ifndef TILE_FRONTEND_ASSEMBLY_H
#define TILE_FRONTEND_ASSEMBLY_H

#include "frontend/core/builtins.h"

enum { MAX_ASSEMBLY_ARGS = 32 };

typedef struct {
  const Object *args[MAX_ASSEMBLY_ARGS];
  int num_args;
  Dtype results[MAX_ASSEMBLY_ARGS];
  int num_results;
  const char *assembly, *constraints;
  bool is_pure;
  int64_t pack;
} Assembly;

// Builds the inline assembly; returns a tuple of its results.
const Object *assembly_build(Walk *w, const Assembly *a);

// Builds the op equivalent to a known single instruction, for a target without
// PTX. Returns a tuple of its result; NULL after a message.
const Object *assembly_translate(Walk *w, const BuiltinCall *c,
                                 const Assembly *a);

#endif
