// reach.c -- objects that are reachable from an object.
//
// A list is reachable from a list that has it as an item, from its methods, and
// from a function in whose enclosing scope a name refers to it.
#include "frontend/core/walk.h"

enum { MAX_REACH = 400 }; // nesting depth of objects

typedef struct {
  Arena *arena;
  bool (*found)(void *context, const Object *x);
  void *context;
  Map seen; // names of enclosing scopes
  int depth;
} ReachSearch;

static bool reach(ReachSearch *r, const Object *x);

static bool reach_all(ReachSearch *r, const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (items[i] && reach(r, items[i])) return true;
  }
  return false;
}

static bool reach_names(ReachSearch *r, const Locals *names) {
  if (!names || map_get(&r->seen, names)) return false;
  map_put(&r->seen, r->arena, names, (void *)names);
  for (size_t i = 0; i < names->count; i++) {
    const Object *x = names->items[i].object;
    if (x && reach(r, x)) return true;
  }
  return false;
}

static bool reach_function(ReachSearch *r, const AstFunction *f) {
  return reach_names(r, f->around) || reach_names(r, f->place.locals) ||
         (f->defaults && reach_all(r, f->defaults, f->num_params));
}

static bool reach_parts(ReachSearch *r, const Object *x) {
  switch (x->kind) {
  case OBJECT_TUPLE: return reach_all(r, x->as.tuple.items, x->as.tuple.count);
  case OBJECT_DICT:
    return reach_all(r, x->as.dict.keys, x->as.dict.count) ||
           reach_all(r, x->as.dict.items, x->as.dict.count);
  case OBJECT_NAMED: return reach_all(r, x->as.named.items, x->as.named.count);
  case OBJECT_FUNCTION: return reach_function(r, x->as.function);
  case OBJECT_LAMBDA:
    return reach_names(r, x->as.lambda.around) ||
           reach_function(r, x->as.lambda.function);
  case OBJECT_METHOD:
    return reach(r, x->as.method.self) ||
           reach_function(r, x->as.method.function);
  case OBJECT_BUILTIN:
    return x->as.builtin.self && reach(r, x->as.builtin.self);
  default: return false;
  }
}

// Beyond MAX_REACH levels the answer is the conservative one: found.
static bool reach(ReachSearch *r, const Object *x) {
  if (r->found(r->context, x) || r->depth > MAX_REACH) return true;
  r->depth++;
  const bool found = reach_parts(r, x);
  r->depth--;
  return found;
}

bool walk_reaches(Walk *w, const Object *x,
                  bool (*found)(void *context, const Object *x),
                  void *context) {
  ReachSearch r = {.arena = w->arena, .found = found, .context = context};
  return reach(&r, x);
}

static bool may_change(void *context, const Object *x) {
  (void)context;
  return (x->kind == OBJECT_TUPLE && x->as.tuple.written != '(') ||
         x->kind == OBJECT_DICT || object_is_set(x);
}

ToldAs walk_told_as(Walk *w, const Object *x) {
  return walk_reaches(w, x, may_change, NULL) ? TOLD_THING : TOLD_VALUE;
}
