// atomic.c -- atomic operations.
//
// An atomic operation is an atomic update of the IR, or a compare-and-swap.
// Bitwise operations on floats are done on integers of the same width.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/module/program.h"

#include <assert.h>
#include <string.h>

static const char *const sems[] = {
#define SEM_WORD(word, value) word,
#include "frontend/language/choices.def"
    NULL};
static const Sem sem_of[] = {
#define SEM_WORD(word, value) value,
#include "frontend/language/choices.def"
};
static const char *const load_sems[] = {"", "acquire", "relaxed", NULL};
static const char *const store_sems[] = {"", "release", "relaxed", NULL};
static const char *const scopes[] = {"", "gpu", "cta", "sys", NULL};
static const Scope scope_of[] = {SCOPE_gpu, SCOPE_gpu, SCOPE_cta, SCOPE_sys};

static bool set_scope(Walk *w, const BuiltinCall *c, int n, Op *op) {
  int scope;
  if (!argument_word(w, c, n, scopes, &scope)) return false;
  if (scope) op_set_int(w->m, op, ATTR_scope, scope_of[scope]);
  return true;
}

static bool set_ordering(Walk *w, const BuiltinCall *c, int first, Op *op) {
  int sem;
  if (!argument_word(w, c, first, sems, &sem)) return false;
  if (sem) op_set_int(w->m, op, ATTR_sem, sem_of[sem]);
  return set_scope(w, c, first + 1, op);
}

static bool is_bitwise(Rmw update) {
  return update == RMW_and || update == RMW_or || update == RMW_xor;
}

// The update for the element type, or -1.  Maxima of halves are only for
// descriptors, whose atomics library.tile computes.
static int update_for(Walk *w, Rmw update, Dtype d) {
  const bool ours = w->frame->file == w->program->library;
  const bool is_float = dtype_is_float(d), sign = dtype_is_signed(d);
  const int bits = dtype_bits(d);
  const bool narrow = bits < 16 || (bits == 16 && !is_float);
  if (narrow || (bits == 16 && update != RMW_add && !ours)) return -1;
  switch (update) {
  case RMW_add: return is_float ? RMW_fadd : RMW_add;
  case RMW_max: return is_float ? RMW_fmax : sign ? RMW_max : RMW_umax;
  case RMW_min: return is_float ? RMW_fmin : sign ? RMW_min : RMW_umin;
  default: return update;
  }
}

static bool check_written(Walk *w, const BuiltinCall *c) {
  if (!argument_pointer(w, c)) return false;
  if (!c->args[0]->as.tensor.dtype.is_const) return true;
  return diag_error(w->diags, c->locs[0],
                    ERROR_cannot_store_through_const_pointer);
}

static const Object *not_supported(Walk *w, const BuiltinCall *c, Dtype dtype) {
  const bool adds = !strcmp(c->info->name, "atomic_add");
  const bool swaps = !strcmp(c->info->name, "atomic_cas") ||
                     !strcmp(c->info->name, "atomic_poll");
  return walk_error(w, c->locs[0], ERROR_atomic_types, c->info->name,
                    adds    ? "types of 32 and 64 bits, fp16 and bf16"
                    : swaps ? "types of 16, 32 and 64 bits"
                            : "types of 32 and 64 bits",
                    dtype_text(w->arena, dtype));
}

// -- Updates -----------------------------------------------------------------

// The pointers to floats, as pointers to integers of the same width.
static const Object *pointer_to_words(Walk *w, const BuiltinCall *c,
                                      DtypeId id) {
  return tensor_bitcast(w, c->locs[0], c->args[0], dtype_pointer_to(id));
}

static const Object *update(Walk *w, const Object *p, Rmw kind, const Object *x,
                            const Object *mask) {
  Value *operands[] = {p->as.tensor.value, x->as.tensor.value,
                       mask ? mask->as.tensor.value : NULL};
  const int sizes[] = {1, 1, mask != NULL};
  const Type *type = object_type(x);
  assert(type_same_shape(object_type(p), type));             // I6
  assert(!mask || type_same_shape(object_type(mask), type)); // I6
  Op *op = build_op(&w->b, OP_atomic_rmw, 2 + (mask != NULL), operands, sizes,
                    1, &type);
  op_set_int(w->m, op, ATTR_kind, kind);
  return object_tensor(w->arena, op_result(op), x->as.tensor.dtype);
}

static DtypeId word_of(Dtype dtype) {
  assert(dtype_bits(dtype) == 32 || dtype_bits(dtype) == 64); // I6
  return dtype_bits(dtype) == 64 ? DTYPE_INT64 : DTYPE_INT32;
}

// An update of the bits as integers; `x` has the pointer's element type.
static const Object *update_words(Walk *w, const BuiltinCall *c, Rmw kind,
                                  const Object *x, const Object *mask) {
  const DtypeId id = word_of(x->as.tensor.dtype);
  const Object *p = pointer_to_words(w, c, id);
  x = tensor_bitcast(w, c->locs[1], x, dtype_of(id));
  return p && x ? update(w, p, kind, x, mask) : NULL;
}

const Object *builtin_atomic(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0], *mask;
  if (!check_written(w, c)) return NULL;
  const Dtype dtype = dtype_of(p->as.tensor.dtype.id);
  const int kind = update_for(w, (Rmw)c->info->data, dtype);
  if (kind < 0) return not_supported(w, c, dtype);
  const Object *x = argument_tensor(w, c, 1);
  if (!x || !argument_mask(w, c, 2, &mask) ||
      !argument_spread(w, c, 1, p, &x) || !argument_spread(w, c, 2, p, &mask) ||
      !(x = tensor_cast(w, c->locs[1], x, dtype)))
    return NULL;
  const bool words = is_bitwise((Rmw)kind) && dtype_is_float(dtype);
  x = words ? update_words(w, c, (Rmw)kind, x, mask)
            : update(w, p, (Rmw)kind, x, mask);
  if (!x || !set_ordering(w, c, 3, x->as.tensor.value->def)) return NULL;
  return words ? tensor_bitcast(w, c->loc, x, dtype) : x;
}

const Object *builtin_atomic_cas(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0], *x[2];
  if (!check_written(w, c)) return NULL;
  const Dtype dtype = dtype_of(p->as.tensor.dtype.id);
  if (dtype_bits(dtype) < 16) return not_supported(w, c, dtype);
  for (int i = 0; i < 2; i++) {
    x[i] = argument_tensor(w, c, 1 + i);
    if (!x[i] || !argument_spread(w, c, 1 + i, p, &x[i]) ||
        !(x[i] = tensor_cast(w, c->locs[1 + i], x[i], dtype)))
      return NULL;
  }
  Value *old = build_atomic_cas(&w->b, object_type(x[0]), p->as.tensor.value,
                                x[0]->as.tensor.value, x[1]->as.tensor.value);
  if (!set_ordering(w, c, 3, old->def)) return NULL;
  return object_tensor(w->arena, old, dtype);
}

// -- Loads and stores --------------------------------------------------------

static bool set_access(Walk *w, const BuiltinCall *c, int first,
                       const char *const *words, Sem usual, Op *op) {
  int sem;
  if (!argument_word(w, c, first, words, &sem)) return false;
  op_set_int(w->m, op, ATTR_sem, sem == 2 ? SEM_relaxed : usual);
  return set_scope(w, c, first + 1, op);
}

// The integer type as wide as the type in memory.
static Dtype bits_of(Dtype dtype) {
  return dtype_int_of(dtype_bits(memory_dtype(dtype)));
}

// A load or store as an operation on integers: `x` has the type of bits_of().
static const Object *access(Walk *w, const BuiltinCall *c, Rmw kind,
                            const Object *x, const Object *mask) {
  const Object *p = pointer_to_words(w, c, x->as.tensor.dtype.id);
  if (!p || !argument_spread(w, c, 0, c->args[0], &x)) return NULL;
  return update(w, p, kind, x, mask);
}

const Object *builtin_atomic_load(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0], *mask;
  if (!argument_pointer(w, c) || !argument_mask(w, c, 1, &mask) ||
      !argument_spread(w, c, 1, p, &mask))
    return NULL;
  const Dtype dtype = dtype_of(p->as.tensor.dtype.id);
  const Object *zero = tensor_int(w, bits_of(dtype), 0);
  const Object *x = access(w, c, RMW_load, zero, mask);
  if (!x ||
      !set_access(w, c, 2, load_sems, SEM_acquire, x->as.tensor.value->def))
    return NULL;
  if (dtype.id == DTYPE_INT1) return tensor_truth(w, c->loc, x);
  return tensor_bitcast(w, c->loc, x, dtype);
}

const Object *builtin_atomic_store(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0], *mask;
  if (!check_written(w, c)) return NULL;
  const Dtype dtype = dtype_of(p->as.tensor.dtype.id);
  const Object *x = argument_tensor(w, c, 1);
  if (!x || !argument_mask(w, c, 2, &mask) ||
      !argument_spread(w, c, 1, p, &x) || !argument_spread(w, c, 2, p, &mask) ||
      !(x = value_in_memory(w, c->locs[1], x, dtype)) ||
      !(x = tensor_bitcast(w, c->locs[1], x, bits_of(dtype))) ||
      !(x = access(w, c, RMW_store, x, mask)))
    return NULL;
  return set_access(w, c, 3, store_sems, SEM_release, x->as.tensor.value->def)
             ? &object_none
             : NULL;
}

// -- Waiting -----------------------------------------------------------------

static bool check_timeout(Walk *w, const BuiltinCall *c, int n) {
  if (argument_absent(c, n)) return true;
  int64_t value;
  if (object_is_number(c->args[n]) && object_constant_int(c->args[n], &value) &&
      value < 0)
    return argument_wrong(w, c, n, "0 or more");
  const Object *x = argument_tensor(w, c, n);
  if (!x) return false;
  if (!object_is_tile(x) && dtype_is_int(x->as.tensor.dtype)) return true;
  return argument_wrong(w, c, n, "one integer");
}

const Object *builtin_atomic_poll(Walk *w, const BuiltinCall *c) {
  int word;
  if (!check_written(w, c)) return NULL;
  const Object *p = c->args[0];
  const Dtype dtype = dtype_of(p->as.tensor.dtype.id);
  if (dtype_bits(dtype) < 16) return not_supported(w, c, dtype);
  const Object *x = argument_tensor(w, c, 1);
  if (!x || !argument_is_number(w, c, 1) || !argument_spread(w, c, 1, p, &x) ||
      !argument_word(w, c, 2, load_sems, &word) ||
      !argument_word(w, c, 3, scopes, &word) || !check_timeout(w, c, 4))
    return NULL;
  return library_call(w, c, "atomic_poll");
}
