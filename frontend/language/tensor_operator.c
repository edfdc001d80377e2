// tensor_operator.c -- operators of tiles called by name: `x.__add__(y)`.
#include "frontend/core/builtins.h"

const Object *builtin_tensor_operator(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0], *y = c->args[1];
  const int kind = c->info->data & OPERATOR_KINDS;
  switch (c->info->data & ~OPERATOR_KINDS) {
  case OPERATOR_REVERSED: return binary(w, c->loc, (Operator)kind, y, x);
  case OPERATOR_COMPARES:
    return compare(w, c->loc, (CompareOperator)kind, x, y);
  case OPERATOR_IS_UNARY: return unary(w, c->loc, (UnaryOperator)kind, x);
  default: return binary(w, c->loc, (Operator)kind, x, y);
  }
}
