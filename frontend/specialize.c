// specialize.c -- one kernel, for one set of arguments, as a function of IR.
//
// Parameters are bound first: a known value becomes a constant, others become
// block arguments.  Then the body is walked.  After an error the function is
// removed from the module.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/host/host.h"
#include "frontend/kernel/defines.h"
#include "frontend/kernel/parameters.h"
#include "frontend/language/language.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

static void set_param(Walk *w, int i, const RuntimeParam *r) {
  Param *param = &w->function->params[i];
  param->name = r->name;
  w->function->body->args[i].name = r->name;
  param_set_attr(w->m, param,
                 (Attr){.key = ATTR_argument, .as.i = r->argument});
  if (r->divisibility <= 1) return;
  int64_t *value = arena_new(w->arena, int64_t);
  *value = r->divisibility;
  param_set_attr(w->m, param,
                 (Attr){.key = ATTR_divisibility, .as.ints = {value, 1}});
}

// The location of the option's value in the configuration; else the kernel's.
static SrcLoc option_loc(const Parameters *p, const char *name, int value) {
  const ConfigItem *item = config_item(p->config, name);
  return item && config_option(p->config, name, 0) == value ? item->loc
                                                            : p->kernel->loc;
}

static bool set_options(const Parameters *p) {
  Walk *w = p->w;
  const int warps = p->num_warps, stages = p->num_stages;
  const SrcLoc warps_loc = option_loc(p, "num_warps", warps);
  const SrcLoc stages_loc = option_loc(p, "num_stages", stages);
  if (warps < 1 || warps > 32 || (warps & (warps - 1)))
    return diag_error(w->diags, warps_loc, ERROR_bad_num_warps, warps);
  if (stages < 1 || stages > 16)
    return diag_error(w->diags, stages_loc, ERROR_bad_num_stages, stages);
  function_set_attr(w->function, (Attr){.key = ATTR_num_warps, .as.i = warps});
  if (!p->default_stages) {
    function_set_attr(w->function,
                      (Attr){.key = ATTR_num_stages, .as.i = stages});
  }
  return true;
}

static bool create_function(const Parameters *p) {
  Walk *w = p->w;
  const int n = (int)p->runtime.count;
  const Type **types = arena_array(w->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = p->runtime.items[i].type;
  w->function =
      function_create(w->m, p->kernel->name, p->kernel->loc, n, types);
  assert(w->function->body->num_args == n); // I1
  for (int i = 0; i < n; i++) set_param(w, i, &p->runtime.items[i]);
  return set_options(p) && kernel_options_set(p);
}

static const Object *bound_object(const Parameters *p, const AstParam *param,
                                  const ParamTree *tree) {
  Walk *w = p->w;
  if (tree->items) {
    const Object **items =
        arena_array(w->arena, const Object *, tree->num_items + 1);
    for (int i = 0; i < tree->num_items; i++) {
      items[i] = bound_object(p, param, &tree->items[i]);
      if (!items[i]) return NULL;
    }
    return tree->descriptor
               ? descriptor_of(w, param->loc, tree->descriptor, items)
               : named_tuple(w, param->loc, tree->names, items,
                             tree->num_items);
  }
  if (tree->runtime >= 0) {
    assert(tree->runtime < (int)p->runtime.count); // I1
    Value *value = &w->function->body->args[tree->runtime];
    assert(value->type == p->runtime.items[tree->runtime].type); // I1
    return object_tensor(w->arena, value,
                         p->runtime.items[tree->runtime].dtype);
  }
  if (!tree->is_number) return tree->constant;
  if (tree->dtype.id) return tensor_constant(w, tree->dtype, tree->constant);
  return to_tensor(w, param->loc, tree->constant);
}

static bool walk_kernel(const Parameters *p) {
  Walk *w = p->w;
  const AstFunction *kernel = p->kernel;
  Frame frame = {.function = kernel,
                 .file = kernel->file,
                 .place = {.within = kernel->place.within},
                 .scope = scope_in(w->arena)};
  LoopPlans plans = {0};
  w->frame = &frame;
  w->plans = &plans;
  w->b = builder_at_end(w->m, w->function->body, kernel->loc);
  if (kernel->around) scope_copy(&frame.scope, kernel->around);
  for (int i = 0; i < kernel->num_params; i++) {
    const AstParam *param = &kernel->params[i];
    const Object *x = bound_object(p, param, &p->trees[i]);
    if (!x) return false;
    scope_set(&frame.scope, param->name, x)->given = &param->loc;
  }
  const Object *result = walk_body(w, &kernel->body);
  if (!result) return false;
  assert(!frame.pending.count);  // I2
  if (object_num_values(result)) // a constant result has no effect
    return diag_error(w->diags, frame.returned, ERROR_kernel_returns_value,
                      kernel->name, text_of(w, result));
  build_return(&w->b);
  return true;
}

// An op whose regions are nested deeper than the IR allows, or NULL.
static const Op *find_too_deep(const Block *block, int depth) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op->num_regions && depth == MAX_NESTING) return op;
    for (int i = 0; i < op->num_regions; i++) {
      const Op *found = find_too_deep(op->regions[i], depth + 1);
      if (found) return found;
    }
  }
  return NULL;
}

static bool check_depth(const Walk *w) {
  const Op *op = find_too_deep(w->function->body, 0);
  return !op || diag_error(w->diags, op->loc, ERROR_control_flow_too_deep,
                           MAX_NESTING);
}

// The last promise about a value on the current path, with the one before it.
typedef struct {
  Value *value, *last, *before;
} Promise;

typedef struct {
  Arena *arena;
  Map roots; // result of a promise to the value that it is about
  Map last;  // that value to the result of its last promise
  Vec(Promise) made;
} Promises;

static Value *root_of(const Promises *p, Value *value) {
  Value *root = map_get(&p->roots, value);
  return root ? root : value;
}

static void follow_promises(const Promises *p, Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    Value *last = map_get(&p->last, root_of(p, op_operand(op, i)));
    if (last) op_set_operand(op, i, last);
  }
}

static void add_promise(Promises *p, Op *hint) {
  Value *value = root_of(p, op_operand(hint, 0));
  if (value_def(value, OP_constant)) return;
  assert(value != op_result(hint) && "a promise of itself"); // I6
  const Promise made = {value, op_result(hint), map_get(&p->last, value)};
  map_put(&p->roots, p->arena, made.last, value);
  map_put(&p->last, p->arena, value, made.last);
  vec_push(p->arena, &p->made, made);
}

// A promise concerns the value, so it applies to all later uses, also if its
// result is not used: `tl.multiple_of(p, 16)` may be a statement.  On other
// paths, the value has no promise.
static void spread_promises(Promises *p, const Block *block) {
  const size_t outer = p->made.count;
  for (Op *op = block->first; op; op = op->next) {
    follow_promises(p, op);
    if (op->kind == OP_hint) add_promise(p, op);
    for (int i = 0; i < op->num_regions; i++)
      spread_promises(p, op->regions[i]);
  }
  assert(p->made.count >= outer); // I6
  while (p->made.count > outer) {
    const Promise *ended = &p->made.items[--p->made.count];
    map_put(&p->last, p->arena, ended->value, ended->before);
  }
}

static void widen_values(Walk *w, Value *values, int count) {
  for (int i = 0; i < count; i++) {
    if (values[i].type->kind != TYPE_BLOCK_POINTER) continue;
    values[i].type = type_wide_block_pointer(&w->m->types, values[i].type);
  }
}

static void widen_offsets(Walk *w, Op *op, int group) {
  const Type *i64 = type_scalar(&w->m->types, ELEM_i64);
  const int first = op_group_start(op, group);
  Builder b = builder_before(w->m, op);
  for (int i = first; i < first + op_result(op)->type->rank; i++) {
    Value *offset = op_operand(op, i);
    assert(offset->type == i64 || offset->type->elem == ELEM_i32); // I7
    if (offset->type != i64)
      op_set_operand(op, i, build_extsi(&b, i64, offset));
  }
}

// Gives all block pointers offsets of 64 bits.
static void widen_windows(Walk *w, Block *block) {
  widen_values(w, block->args, block->num_args);
  for (Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_make_block_ptr) widen_offsets(w, op, 3);
    if (op->kind == OP_advance) widen_offsets(w, op, 1);
    widen_values(w, op->results, op->num_results);
    for (int i = 0; i < op->num_regions; i++) {
      widen_windows(w, op->regions[i]);
    }
  }
}

static bool specialize(Walk *w, const AstFunction *kernel) {
  WalkScratch scratch;
  Parameters p = {.w = w, .kernel = kernel};
  walk_make_scratch(w, kernel->file, &scratch);
  const bool read = parameters_read(&p);
  decorators_check(&p);
  kernel_options_read(&p);
  if (!read || !create_function(&p) || !walk_kernel(&p) || !check_depth(w))
    return false;
  if (w->has_wide_offsets) widen_windows(w, w->function->body);
  Promises promises = {.arena = w->arena};
  spread_promises(&promises, w->function->body);
  return true;
}

static bool specialize_checked(const KernelView *view,
                               const Specialization *specialization,
                               Module *m) {
  const AstFunction *kernel = view->kernel;
  Walk w = walk_of(view->program, m, specialization);
  Function **last = m->last_function;
  const int errors = m->diags->num_errors;
  const bool ok = kernel->ok && specialize(&w, kernel);
  // Files that are read meanwhile may have errors of their own.
  if (defines_check(&w, kernel) && ok && m->diags->num_errors == errors)
    return true;
  if (!kernel->ok)
    diag_error(m->diags, kernel->loc, ERROR_syntax_errors, kernel->name);
  *last = NULL;
  m->last_function = last;
  return false;
}

bool frontend_specialize(Program *program, const AstFunction *kernel,
                         const Specialization *specialization, Module *m) {
  Diag *const *first = m->diags->last;
  KernelView view = {program, kernel};
  const bool ok =
      chip_view(program, kernel, specialization->target, m->diags, &view) &&
      specialize_checked(&view, specialization, m);
  if (*first)
    frontend_add_sources(view.program, m->diags); // any file may be shown in
                                                  // messages
  return ok;
}
