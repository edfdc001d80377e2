// asm.c -- inline assembly, and builtins that are single instructions of a GPU.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/assembly.h"
#include "ir/assembly.h"

enum { ASM, CONSTRAINTS, ARGS, DTYPE, PURE, PACK };

// Can PTX stay in the IR?  It can for a GPU, and where only shapes are
// computed.
static bool has_assembly(const Walk *w) {
  const Target *target = w->spec->target;
  return !target || target->is_gpu;
}

static bool read_string(Walk *w, const BuiltinCall *c, int n,
                        const char **out) {
  const Object *x = c->args[n];
  if (x->kind == OBJECT_STRING) return *out = x->as.string.text, true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_string,
                    argument_name(w, c, n), c->info->name, text_of(w, x));
}

static bool too_many(Walk *w, const BuiltinCall *c, int n) {
  return diag_error(w->diags, c->locs[n], ERROR_takes_at_most, c->info->name,
                    MAX_ASSEMBLY_ARGS);
}

static bool add_operand(Walk *w, const BuiltinCall *c, const Object *x,
                        Assembly *a) {
  if (a->num_args == MAX_ASSEMBLY_ARGS) return too_many(w, c, ARGS);
  if (object_is_number(x)) x = to_tensor(w, c->locs[ARGS], x);
  if (x && (!object_is_tensor(x) || object_is_window(x)))
    x = walk_error(w, c->locs[ARGS], ERROR_wants_run_time_values, c->info->name,
                   text_of(w, x));
  a->args[a->num_args++] = x;
  return x != NULL;
}

static bool read_operands(Walk *w, const BuiltinCall *c, Assembly *a) {
  const Object *all = c->args[ARGS];
  if (all->kind != OBJECT_TUPLE)
    return argument_wrong(w, c, ARGS, "a list of values");
  for (int i = 0; i < all->as.tuple.count; i++) {
    if (!add_operand(w, c, all->as.tuple.items[i], a)) return false;
  }
  for (int k = 0; k < 2; k++) { // twice, as args[0] has the common shape only
                                // after the first time
    for (int i = 1; i < a->num_args; i++) {
      if (!tensor_broadcast(w, c->locs[ARGS], c->info->name, &a->args[0],
                            &a->args[i]))
        return false;
    }
  }
  return true;
}

static bool read_results(Walk *w, const BuiltinCall *c, Assembly *a) {
  const Object *all = c->args[DTYPE];
  const bool many = all->kind == OBJECT_TUPLE;
  a->num_results = many ? all->as.tuple.count : 1;
  if (a->num_results > MAX_ASSEMBLY_ARGS) return too_many(w, c, DTYPE);
  for (int i = 0; i < a->num_results; i++) {
    const Object *x = many ? all->as.tuple.items[i] : all;
    if (x->kind != OBJECT_DTYPE)
      return diag_error(w->diags, c->locs[DTYPE], ERROR_wants_types,
                        c->info->name, text_of(w, x));
    a->results[i] = x->as.type.dtype;
  }
  return true;
}

const Object *assembly_build(Walk *w, const Assembly *a) {
  Value *values[MAX_ASSEMBLY_ARGS];
  const Type *types[MAX_ASSEMBLY_ARGS];
  const Object *results[MAX_ASSEMBLY_ARGS];
  const Type *shape = a->num_args ? object_type(a->args[0]) : NULL;
  for (int i = 0; i < a->num_args; i++) values[i] = a->args[i]->as.tensor.value;
  for (int i = 0; i < a->num_results; i++)
    types[i] = tensor_type(w, a->results[i], shape ? shape->rank : 0,
                           shape ? shape->shape : NULL);
  const OpKind kind = a->is_pure ? OP_inline_asm : OP_inline_asm_effects;
  Op *op = build_op(&w->b, kind, a->num_args, values, &a->num_args,
                    a->num_results, types);
  op_set_string(w->m, op, ATTR_assembly, a->assembly);
  op_set_string(w->m, op, ATTR_constraints, a->constraints);
  op_set_int(w->m, op, ATTR_pack, a->pack);
  for (int i = 0; i < a->num_results; i++)
    results[i] = object_tensor(w->arena, &op->results[i], a->results[i]);
  return object_tuple(w->arena, results, a->num_results);
}

const Object *builtin_inline_asm(Walk *w, const BuiltinCall *c) {
  Assembly a = {0};
  if (!read_string(w, c, ASM, &a.assembly) ||
      !read_string(w, c, CONSTRAINTS, &a.constraints) ||
      !read_operands(w, c, &a) || !read_results(w, c, &a) ||
      !argument_bool(w, c, PURE, true, &a.is_pure) ||
      !argument_int(w, c, PACK, 1, &a.pack))
    return NULL;
  if (a.pack < 1 || a.pack > 16 || (a.pack & (a.pack - 1)))
    return walk_error(w, c->locs[PACK], ERROR_bad_pack, (long long)a.pack);
  const Object *results =
      has_assembly(w) ? assembly_build(w, &a) : assembly_translate(w, c, &a);
  if (!results) return NULL;
  const bool many = c->args[DTYPE]->kind == OBJECT_TUPLE;
  return many ? results : results->as.tuple.items[0];
}

// -- Single instructions -----------------------------------------------------

// A kernel that waits for the one before it: nothing to do if kernels run one
// after the other.
const Object *builtin_grid_control(Walk *w, const BuiltinCall *c) {
  const Target *target = w->spec->target;
  const Assembly a = {.assembly = c->info->data
                                      ? "griddepcontrol.launch_dependents;"
                                      : "griddepcontrol.wait;",
                      .constraints = "~{memory}",
                      .pack = 1};
  if (!target || !target->is_gpu) return &object_none;
  if (!target_can(target, CAP_CLUSTER))
    return walk_error(w, c->loc, ERROR_wants_hopper, c->info->name);
  assembly_build(w, &a);
  return &object_none;
}

// The value of a special register.  A clock is read anew each time.
const Object *builtin_special(Walk *w, const BuiltinCall *c) {
  const bool is_clock = c->info->data;
  Assembly a = {.assembly = is_clock ? ASSEMBLY_CLOCK : ASSEMBLY_PROCESSOR,
                .constraints = is_clock ? "=l" : "=r",
                .num_results = 1,
                .is_pure = !is_clock && has_assembly(w),
                .pack = 1};
  a.results[0] = dtype_of(is_clock ? DTYPE_INT64 : DTYPE_INT32);
  return assembly_build(w, &a)->as.tuple.items[0];
}

const Object *builtin_num_warps(Walk *w, const BuiltinCall *c) {
  const int64_t warps = function_int(w->function, ATTR_num_warps, 4);
  return object_int(w->arena, warps * c->info->data);
}
