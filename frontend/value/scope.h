// scope.h -- the names of one function while it is walked.
//
// Branches and loops save the whole state and return to it: a state is one
// pointer for each name ever bound.
#ifndef TILE_FRONTEND_SCOPE_H
#define TILE_FRONTEND_SCOPE_H

#include "frontend/value/object.h"

typedef struct {
  const char *name;     // interned
  const Object *object; // NULL: not bound now
  const SrcLoc *given;  // where the name last got a value; NULL: unknown
  bool is_constexpr;    // declared `name: tl.constexpr`, without a value
} Binding;

struct Locals {
  Arena *arena;
  Map index; // name to position + 1
  Binding *items;
  size_t count, capacity;
};

typedef struct {
  const Object **objects;
  const SrcLoc **given;
  size_t count;
} ScopeState;

static inline Locals scope_in(Arena *arena) {
  return (Locals){.arena = arena};
}
Binding *scope_find(const Locals *scope, const char *name);     // or NULL
const Object *scope_get(const Locals *scope, const char *name); // or NULL
Binding *scope_set(Locals *scope, const char *name, const Object *object);

// Binds all names that `from` binds.
void scope_copy(Locals *scope, const Locals *from);

ScopeState scope_save(const Locals *scope);
// Restores the state; names that were bound since become unbound.
void scope_restore(Locals *scope, const ScopeState *state);
// The value at index `i` of the saved state; NULL: unbound.
static inline const Object *state_get(const ScopeState *state, size_t i) {
  return i < state->count ? state->objects[i] : NULL;
}
static inline const SrcLoc *state_given(const ScopeState *state, size_t i) {
  return i < state->count ? state->given[i] : NULL;
}

#endif
