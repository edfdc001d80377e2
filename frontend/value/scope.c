// scope.c -- the values of a function's names while it is walked.
#include "frontend/value/scope.h"

#include "ir/base/base.h"

#include <assert.h>

Binding *scope_find(const Locals *scope, const char *name) {
  const uintptr_t at = (uintptr_t)map_get(&scope->index, name);
  assert(at <= scope->count &&
         (!at || scope->items[at - 1].name == name)); // I1
  return at ? &scope->items[at - 1] : NULL;
}

const Object *scope_get(const Locals *scope, const char *name) {
  const Binding *binding = scope_find(scope, name);
  return binding ? binding->object : NULL;
}

Binding *scope_set(Locals *scope, const char *name, const Object *object) {
  Binding *binding = scope_find(scope, name);
  if (!binding) {
    vec_push(scope->arena, scope, ((Binding){.name = name}));
    map_put(&scope->index, scope->arena, name, (void *)(uintptr_t)scope->count);
    binding = &scope->items[scope->count - 1];
  }
  binding->object = object;
  return binding;
}

ScopeState scope_save(const Locals *scope) {
  ScopeState state = {.count = scope->count};
  state.objects = arena_array(scope->arena, const Object *, scope->count + 1);
  state.given = arena_array(scope->arena, const SrcLoc *, scope->count + 1);
  for (size_t i = 0; i < scope->count; i++) {
    state.objects[i] = scope->items[i].object;
    state.given[i] = scope->items[i].given;
  }
  return state;
}

void scope_restore(Locals *scope, const ScopeState *state) {
  assert(state->count <= scope->count); // I1
  for (size_t i = 0; i < scope->count; i++) {
    scope->items[i].object = state_get(state, i);
    scope->items[i].given = state_given(state, i);
  }
}

void scope_copy(Locals *scope, const Locals *from) {
  for (size_t i = 0; i < from->count; i++) {
    if (from->items[i].object)
      scope_set(scope, from->items[i].name, from->items[i].object);
  }
}
