// library_args.c -- the arguments of functions of library.tile.
//
// Arguments are checked before the call, so that messages concern the call and
// not the operations within the library.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

static bool is_float(const Object *x) {
  return dtype_is(x->as.tensor.dtype, DTYPE_FP32) ||
         dtype_is(x->as.tensor.dtype, DTYPE_FP64);
}

static bool check_type(Walk *w, const BuiltinCall *c, int n, LibraryTakes t) {
  const Object *x = c->args[n];
  const Dtype dtype = x->as.tensor.dtype;
  const bool is_int = dtype_is_int(dtype);
  if (t == TAKES_FLOAT_AND_INT && n)
    return is_int || argument_wrong(w, c, n, "an integer");
  if (t == TAKES_FP64)
    return dtype_is(dtype, DTYPE_FP64) || argument_wrong(w, c, n, "fp64");
  if (t == TAKES_INTS)
    return (is_int && dtype_bits(dtype) >= 32) ||
           diag_error(w->diags, c->locs[n], ERROR_wants_wide_integers,
                      c->info->name, text_of(w, x));
  return is_float(x) ||
         diag_error(w->diags, c->locs[n], ERROR_wants_fp32_or_fp64,
                    c->info->name, text_of(w, x));
}

static bool is_alike(const BuiltinCall *c, int count) {
  for (int i = 1; i < count; i++) {
    if (!dtype_equal(c->args[i]->as.tensor.dtype,
                     c->args[0]->as.tensor.dtype) ||
        object_type(c->args[i]) != object_type(c->args[0]))
      return false;
  }
  return true;
}

static bool bring_together(Walk *w, const BuiltinCall *c, bool to_one_type,
                           const Object **x, const Object **y) {
  return to_one_type ? tensor_unify(w, c->loc, c->info->name, (Typing){0}, x, y)
                     : tensor_broadcast(w, c->loc, c->info->name, x, y);
}

// Promotes operands of different types as an operator would.  Early releases of
// Triton did so; later ones report an error.
bool library_unify(Walk *w, BuiltinCall *c, int count, bool to_one_type) {
  if (is_alike(c, count)) return true;
  const Object *common = c->args[0];
  for (int i = 1; i < count; i++) {
    const Object *x = c->args[i];
    if (!bring_together(w, c, to_one_type, &common, &x)) return false;
  }
  for (int i = 0; i < count; i++) {
    if (!bring_together(w, c, to_one_type, &c->args[i], &common)) return false;
  }
  return true;
}

// If an operand is fp32 or fp64, the others are converted to that.
static bool has_float(const BuiltinCall *c, int count) {
  for (int i = 0; i < count; i++) {
    if (is_float(c->args[i])) return true;
  }
  return false;
}

bool library_check(Walk *w, BuiltinCall *c, LibraryTakes takes) {
  if (takes == TAKES_ANY) return true;
  int count = 0;
  for (; count < MAX_BUILTIN_PARAMS && c->args[count]; count++) {
    c->args[count] = argument_tensor(w, c, count);
    if (!c->args[count] || !argument_is_number(w, c, count)) return false;
  }
  const bool promotes = takes == TAKES_FLOATS && has_float(c, count);
  for (int i = 0; i < count && !promotes; i++) {
    if (!check_type(w, c, i, takes)) return false;
  }
  return library_unify(w, c, count,
                       promotes || (takes == TAKES_INTS && count == 2));
}
