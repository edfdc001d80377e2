// change.c -- statements that change lists, dictionaries and sets.
//
// Those are changed in what runs while compiling alone; see python/change.c.
#include "frontend/core/walk.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

bool walk_assign_item(Walk *w, const Expr *target, const Object *value) {
  const Object *x = walk_expr(w, target->subscript.object);
  const Object *index = x ? walk_expr(w, target->subscript.index) : NULL;
  return index && assign_item(w, target->loc, x, index, value);
}

const Object *walk_changing_call(Walk *w, const Expr *call, bool *changes) {
  const char *method = call->call.callee->attribute.name;
  const Object *x = walk_expr(w, call->call.callee->attribute.object);
  Arguments args = {0};
  *changes = !x || object_is_collection(x);
  if (!x || !*changes || !walk_arguments(w, call, &args)) return NULL;
  return change_by_call(w, call->loc, method, x, &args);
}
