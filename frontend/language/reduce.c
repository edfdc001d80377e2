// reduce.c -- reductions and scans.
//
// Each function builds an op whose region combines two groups of scalars.  The
// functions differ only in the combination.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/combination.h"
#include "frontend/language/language.h"
#include "frontend/language/pick.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

enum { MAX_INPUTS = 16 };

// Combines a[0..n) and b[0..n) into out[0..n).
typedef bool (*Combine)(Walk *w, const BuiltinCall *c, const void *ctx, int n,
                        const Object *const *a, const Object *const *b,
                        const Object **out);

typedef struct {
  const BuiltinCall *call;
  SrcLoc loc; // of the combining function, if there is one
  Combine combine;
  const void *ctx;
  bool reorder; // the combination is commutative
  int num_inputs;
  const Object *inputs[MAX_INPUTS];
} ReduceCall;

static bool check_combined(Walk *w, const ReduceCall *r,
                           const Object *const *out) {
  for (int i = 0; i < r->num_inputs; i++) {
    const Dtype wanted = r->inputs[i]->as.tensor.dtype;
    if (object_is_tensor(out[i]) && !object_is_tile(out[i]) &&
        dtype_equal(out[i]->as.tensor.dtype, wanted))
      continue;
    diag_error(w->diags, r->loc, ERROR_combine_type, r->call->info->name,
               text_of(w, out[i]), dtype_text(w->arena, wanted));
    return note_combined(w);
  }
  return true;
}

// A combination computes on scalars and has no effects.
static bool check_region(Walk *w, const ReduceCall *r, const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    bool fits = !op->num_regions && (op_is_pure(op) || op == block->last);
    for (int i = 0; i < op->num_results; i++)
      fits = fits && !op->results[i].type->rank;
    if (fits) continue;
    diag_error(w->diags, op->loc, ERROR_combine_not_scalar,
               r->call->info->name);
    diag_note(w->diags, r->call->loc, NOTE_used);
    return false;
  }
  return true;
}

// The op with its region, in the place of `op`; NULL after a diagnostic.
static Op *fill_region(Walk *w, const ReduceCall *r, Op *op) {
  const Builder outer = w->b;
  Block *block = op->regions[0];
  const int n = r->num_inputs;
  assert(0 < n && n <= MAX_INPUTS && block->num_args == 2 * n); // I4
  const Object *args[2 * MAX_INPUTS], *out[MAX_INPUTS];
  for (int i = 0; i < 2 * n; i++)
    args[i] = object_tensor(w->arena, &block->args[i],
                            r->inputs[i % n]->as.tensor.dtype);
  w->b = builder_at_end(w->m, block, r->call->loc);
  w->returned = (SrcLoc){0};
  if (!r->combine(w, r->call, r->ctx, n, args, args + n, out) ||
      !check_combined(w, r, out))
    return NULL;
  Value *values[MAX_INPUTS];
  for (int i = 0; i < n; i++) values[i] = out[i]->as.tensor.value;
  build_yield(&w->b, n, values);
  w->b = outer;
  op = combination_finish(w, op);
  return check_region(w, r, op->regions[0]) ? op : NULL;
}

static void input_values(const ReduceCall *r, Value **out) {
  for (int i = 0; i < r->num_inputs; i++)
    out[i] = r->inputs[i]->as.tensor.value;
}

static const Object *results_of(Walk *w, const ReduceCall *r, Op *op) {
  const Object *results[MAX_INPUTS];
  assert(r->num_inputs <= op->num_results); // I4
  for (int i = 0; i < r->num_inputs; i++)
    results[i] =
        object_tensor(w->arena, &op->results[i], r->inputs[i]->as.tensor.dtype);
  return object_tuple(w->arena, results, r->num_inputs);
}

static const Object *build_reduction(Walk *w, const ReduceCall *r, int axis) {
  Value *values[MAX_INPUTS];
  input_values(r, values);
  Op *op = build_reduce(&w->b, axis, r->num_inputs, values);
  if (r->reorder) op_set_int(w->m, op, ATTR_reorder, true);
  op = fill_region(w, r, op);
  return op ? results_of(w, r, op) : NULL;
}

static const Object *keep_dims(Walk *w, const Object *x, int axis, int rank) {
  if (axis >= 0) return tensor_expand(w, x, axis);
  for (int i = 0; i < rank; i++) x = tensor_expand(w, x, 0);
  return x;
}

static bool check_shapes(Walk *w, const ReduceCall *r) {
  for (int i = 1; i < r->num_inputs; i++) {
    const Object *x = r->inputs[i];
    if (object_is_tile(x) &&
        type_same_shape(object_type(x), object_type(r->inputs[0])))
      continue;
    return diag_error(w->diags, r->call->locs[0], ERROR_inputs_one_shape,
                      r->call->info->name, text_of(w, r->inputs[0]),
                      text_of(w, x));
  }
  return true;
}

// A tuple of the results; `axis_arg` and `keep_arg` are indices of parameters.
static const Object *reduce(Walk *w, ReduceCall r, int axis_arg, int keep_arg) {
  int axis;
  bool keep;
  if (!argument_axis(w, r.call, axis_arg, r.inputs[0], &axis) ||
      !check_shapes(w, &r) || !argument_bool(w, r.call, keep_arg, false, &keep))
    return NULL;
  const int rank = object_type(r.inputs[0])->rank;
  const int64_t size = object_type(r.inputs[0])->num_elements;
  for (int i = 0; i < r.num_inputs && axis < 0; i++)
    r.inputs[i] = tensor_reshape(w, r.inputs[i], 1, &size, true);
  const Object *results = build_reduction(w, &r, axis < 0 ? 0 : axis);
  if (!results || !keep) return results;
  const Object *kept[MAX_INPUTS];
  for (int i = 0; i < r.num_inputs; i++)
    kept[i] = keep_dims(w, results->as.tuple.items[i], axis, rank);
  return object_tuple(w->arena, kept, r.num_inputs);
}

static const Object *only(const Object *results) {
  return results ? results->as.tuple.items[0] : NULL;
}

// -- Combinations ------------------------------------------------------------

static bool combine_operator(Walk *w, const BuiltinCall *c, const void *ctx,
                             int n, const Object *const *a,
                             const Object *const *b, const Object **out) {
  (void)n;
  out[0] = tensor_binary(w, c->loc, *(const Operator *)ctx, a[0], b[0]);
  return out[0] != NULL;
}

static bool combine_extreme(Walk *w, const BuiltinCall *c, const void *ctx,
                            int n, const Object *const *a,
                            const Object *const *b, const Object **out) {
  (void)n;
  out[0] = tensor_extreme(w, c->loc, c->info->name, *(const Extreme *)ctx,
                          false, a[0], b[0]);
  return out[0] != NULL;
}

static bool combine_first(Walk *w, const BuiltinCall *c, const void *ctx, int n,
                          const Object *const *a, const Object *const *b,
                          const Object **out) {
  (void)w, (void)c, (void)ctx, (void)b;
  for (int i = 0; i < n; i++) out[i] = a[i];
  return true;
}

static bool combine_pick(Walk *w, const BuiltinCall *c, const void *ctx, int n,
                         const Object *const *a, const Object *const *b,
                         const Object **out) {
  (void)n;
  return pick_better(w, c->loc, c->info->name, ctx, a, b, out);
}

// Calls the function in the third argument with the values of `a`, then of `b`.
static bool combine_function(Walk *w, const BuiltinCall *c, const void *ctx,
                             int n, const Object *const *a,
                             const Object *const *b, const Object **out) {
  const Object *function = ctx;
  const SrcLoc loc = c->locs[2];
  Arguments args = {0};
  for (int i = 0; i < 2 * n; i++)
    vec_push(w->arena, &args,
             ((Argument){NULL, i < n ? a[i] : b[i - n], loc, loc}));
  const Object *result =
      function->kind == OBJECT_FUNCTION
          ? call_function(w, function->as.function, loc, &args)
          : call_builtin(w, function, loc, &args);
  if (!result) return false;
  const bool many = result->kind == OBJECT_TUPLE;
  const int count = many ? result->as.tuple.count : 1;
  if (count != n) {
    diag_error(w->diags, loc, ERROR_combine_count, c->info->name, count,
               count == 1 ? "" : "s", n);
    return note_combined(w);
  }
  for (int i = 0; i < n; i++)
    out[i] = many ? result->as.tuple.items[i] : result;
  return true;
}

// -- Inputs ------------------------------------------------------------------

// Integers below 32 bits are summed in 32 bits.
static const Object *sum_input(Walk *w, const BuiltinCall *c, int dtype_arg,
                               const Object *x) {
  const Dtype d = x->as.tensor.dtype;
  Dtype to = d;
  if (!argument_absent(c, dtype_arg)) {
    if (!argument_dtype(w, c, dtype_arg, &to)) return NULL;
  } else if (dtype_is_int(d) && dtype_bits(d) < 32) {
    to = dtype_of(dtype_is_signed(d) ? DTYPE_INT32 : DTYPE_UINT32);
  }
  return tensor_cast(w, c->locs[0], x, to);
}

const Object *builtin_sum(Walk *w, const BuiltinCall *c) {
  static const Operator add = OPERATOR_ADD;
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !argument_is_number(w, c, 0)) return NULL;
  x = sum_input(w, c, 3, x);
  if (!x) return NULL;
  const ReduceCall r = {c, c->loc, combine_operator, &add, false, 1, {x}};
  return only(reduce(w, r, 1, 2));
}

const Object *builtin_bit_reduce(Walk *w, const BuiltinCall *c) {
  const Operator op = (Operator)c->info->data;
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  if (!dtype_is_int(x->as.tensor.dtype))
    return walk_error(w, c->locs[0], ERROR_wants_integers, c->info->name,
                      text_of(w, x));
  const ReduceCall r = {c, c->loc, combine_operator, &op, false, 1, {x}};
  return only(reduce(w, r, 1, 2));
}

// Indices along the axis, in the shape of `x`.
static const Object *indices_of(Walk *w, const BuiltinCall *c, const Object *x,
                                int axis) {
  const Type *type = object_type(x);
  assert(0 <= axis && axis < type->rank); // I8
  Value *positions = build_arange(&w->b, 0, type->shape[axis]);
  const Object *index =
      object_tensor(w->arena, positions, dtype_of(DTYPE_INT32));
  for (int i = 0; i < type->rank; i++) {
    if (i != axis) index = tensor_expand(w, index, i);
  }
  return tensor_broadcast_to(w, c->loc, index, type->rank, type->shape);
}

static const Object *with_indices(Walk *w, const BuiltinCall *c, Extreme which,
                                  bool is_index, int tie_arg, int keep_arg) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !argument_is_number(w, c, 0)) return NULL;
  x = widen_bf16(w, c->locs[0], x);
  Pick pick = {.which = which, .is_index = is_index};
  int axis;
  if (!x || !argument_axis(w, c, 1, x, &axis) ||
      !argument_bool(w, c, tie_arg, true, &pick.leftmost))
    return NULL;
  if (axis < 0)
    return walk_error(w, c->loc, ERROR_indices_wants_axis, c->info->name);
  const Object *index = indices_of(w, c, x, axis);
  const bool reorder = pick_is_symmetric(&pick, x->as.tensor.dtype);
  const ReduceCall r = {c, c->loc, combine_pick, &pick, reorder, 2, {x, index}};
  const Object *found = reduce(w, r, 1, keep_arg);
  if (!found) return NULL;
  const Object *both[] = {found->as.tuple.items[0], found->as.tuple.items[1]};
  both[1] = pick_index(w, c->loc, both[0], both[1]);
  return object_tuple(w->arena, both, 2);
}

static const Object *extreme_input(Walk *w, const BuiltinCall *c,
                                   const Object *x) {
  const Dtype d = x->as.tensor.dtype;
  if (dtype_bits(d) >= 32) return x;
  const bool is_float = dtype_is_float(d);
  return tensor_cast(w, c->locs[0], x,
                     dtype_of(is_float ? DTYPE_FP32 : DTYPE_INT32));
}

// `tl.max(x, 0.0)`, `tl.max(x, y)`: is the argument a value instead of an axis?
static bool is_no_axis(const Object *x) {
  int64_t axis;
  return x->kind == OBJECT_FLOAT ||
         (object_is_tensor(x) && !object_constant_int(x, &axis));
}

const Object *builtin_extreme(Walk *w, const BuiltinCall *c) {
  const Extreme which = (Extreme)c->info->data;
  bool indices;
  if (!argument_absent(c, 1) && is_no_axis(c->args[1]))
    return walk_error(w, c->locs[1], ERROR_extreme_of_two, c->info->name,
                      text_of(w, c->args[1]), c->info->name);
  if (!argument_bool(w, c, 2, false, &indices)) return NULL;
  if (indices) return with_indices(w, c, which, false, 3, 4);
  const Object *x = argument_tensor(w, c, 0);
  if (x && !argument_is_number(w, c, 0)) return NULL;
  if (x) x = extreme_input(w, c, x);
  if (!x) return NULL;
  const ReduceCall r = {c, c->loc, combine_extreme, &which, false, 1, {x}};
  return only(reduce(w, r, 1, 4));
}

const Object *builtin_arg_extreme(Walk *w, const BuiltinCall *c) {
  const Object *both = with_indices(w, c, (Extreme)c->info->data, true, 2, 3);
  return both ? both->as.tuple.items[1] : NULL;
}

// The inputs and the function of reduce() or associative_scan().
static bool custom(Walk *w, const BuiltinCall *c, ReduceCall *out) {
  const Object *x = c->args[0], *f = c->args[2];
  const bool many = x->kind == OBJECT_TUPLE;
  const int n = many ? x->as.tuple.count : 1;
  *out = (ReduceCall){c, c->locs[2], combine_function, f, false, n, {NULL}};
  if (f->kind != OBJECT_FUNCTION && f->kind != OBJECT_BUILTIN)
    return diag_error(w->diags, c->locs[2], ERROR_wants_function, c->info->name,
                      text_of(w, f)) ||
           note_run_time(w, f);
  if (n < 1 || n > MAX_INPUTS)
    return diag_error(w->diags, c->locs[0], ERROR_takes_1_tiles, c->info->name,
                      MAX_INPUTS);
  for (int i = 0; i < n; i++) {
    out->inputs[i] = many ? x->as.tuple.items[i] : x;
    if (object_is_tile(out->inputs[i])) continue;
    return diag_error(w->diags, c->locs[0], ERROR_wants_tiles, c->info->name,
                      text_of(w, out->inputs[i]));
  }
  return true;
}

static const Object *as_given(const BuiltinCall *c, const Object *results) {
  return c->args[0]->kind == OBJECT_TUPLE ? results : only(results);
}

const Object *builtin_reduce(Walk *w, const BuiltinCall *c) {
  ReduceCall r;
  return custom(w, c, &r) ? as_given(c, reduce(w, r, 1, 3)) : NULL;
}

// -- Scans -------------------------------------------------------------------

static const Object *scan(Walk *w, const ReduceCall *r, int reverse_arg) {
  int axis;
  bool reverse;
  const bool none = r->call->args[1] && argument_absent(r->call, 1);
  if ((none && !argument_wrong(w, r->call, 1, "a dimension")) ||
      !argument_axis(w, r->call, 1, r->inputs[0], &axis) ||
      !check_shapes(w, r) ||
      !argument_bool(w, r->call, reverse_arg, false, &reverse))
    return NULL;
  Value *values[MAX_INPUTS];
  input_values(r, values);
  Op *op =
      build_scan(&w->b, axis < 0 ? 0 : axis, reverse, r->num_inputs, values);
  op = fill_region(w, r, op);
  return op ? results_of(w, r, op) : NULL;
}

const Object *builtin_cumulate(Walk *w, const BuiltinCall *c) {
  const Operator op = (Operator)c->info->data;
  const Object *x = argument_tensor(w, c, 0);
  if (x) x = widen_bf16(w, c->locs[0], x);
  const bool sums = op == OPERATOR_ADD || !argument_absent(c, 3) ||
                    rule_holds(w->program, RULE_products_widen);
  if (x && sums) x = sum_input(w, c, 3, x);
  if (!x) return NULL;
  const ReduceCall r = {c, c->loc, combine_operator, &op, false, 1, {x}};
  return only(scan(w, &r, 2));
}

const Object *builtin_associative_scan(Walk *w, const BuiltinCall *c) {
  ReduceCall r;
  return custom(w, c, &r) ? as_given(c, scan(w, &r, 3)) : NULL;
}

// -- Compositions ------------------------------------------------------------

static const Object *call_named(Walk *w, const BuiltinCall *c, const char *name,
                                const Object *const *args, int count) {
  BuiltinCall call = {.info = builtin_find(name), .loc = c->loc};
  for (int i = 0; i < MAX_BUILTIN_PARAMS; i++) call.locs[i] = c->loc;
  for (int i = 0; i < count; i++) call.args[i] = args[i];
  return call.info->run(w, &call);
}

const Object *builtin_softmax(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *keep = &object_true;
  const Object *dim =
      argument_absent(c, 1) ? object_int(w->arena, 0) : c->args[1];
  int axis;
  bool exact;
  if (!x || !argument_axis(w, c, 1, x, &axis) || !argument_is_number(w, c, 0) ||
      !argument_bool(w, c, 3, false, &exact))
    return NULL;
  const Object *max =
      call_named(w, c, "max", (const Object *[]){x, dim, NULL, NULL, keep}, 5);
  if (max) x = binary(w, c->loc, OPERATOR_SUB, x, max);
  if (!max || !x) return NULL;
  const Dtype dtype = x->as.tensor.dtype;
  if (!dtype_is(dtype, DTYPE_FP32) && !dtype_is(dtype, DTYPE_FP64))
    return walk_error(w, c->locs[0], ERROR_wants_fp32_or_fp64, c->info->name,
                      text_of(w, c->args[0]));
  x = call_named(w, c, "exp", &x, 1);
  const Object *sum =
      call_named(w, c, "sum", (const Object *[]){x, dim, keep}, 3);
  if (!sum) return NULL;
  return call_named(w, c, "fdiv", (const Object *[]){x, sum, c->args[3]}, 3);
}

const Object *scalar_of(Walk *w, SrcLoc loc, const Object *x) {
  if (!object_is_tile(x)) return x;
  if (object_type(x)->num_elements > 1)
    return walk_error(w, loc, ERROR_one_value_wanted_here, text_of(w, x));
  const BuiltinCall call = {.info = builtin_find("item"), .loc = loc};
  const ReduceCall r = {&call, loc, combine_first, NULL, false, 1, {x}};
  const int64_t one = 1;
  ReduceCall flat = r;
  flat.inputs[0] = tensor_reshape(w, x, 1, &one, false);
  return only(build_reduction(w, &flat, 0));
}
