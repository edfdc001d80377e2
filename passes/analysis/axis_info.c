// axis_info.c -- the analysis: rules are applied until nothing changes.
//
// A block argument starts with the facts of the value that enters the loop and
// only loses facts, so the iteration ends.  After MAX_WALKS, arguments that
// still change lose all facts.
//
// Example: in `for %i = 0 to %n step 16 (%p)`, with %p advanced by 64 floats,
// the facts "%i is a multiple of 16" and "%p is aligned to 256 bytes" (if its
// argument is) hold after the first walk, and the second confirms them.
#include "passes/analysis/axis_info.h"

#include "passes/analysis/axis_rules.h"
#include "passes/analysis/walk.h"

#include <assert.h>

enum { MAX_WALKS = 24 };

struct AxisAnalysis {
  Arena *arena;
  Map infos; // Value to AxisInfo
  AxisInfo unknown;
  bool changed, hurry;
};

const AxisInfo *axis_info(const AxisAnalysis *a, const Value *value) {
  const AxisInfo *info = map_get(&a->infos, value);
  return info ? info : &a->unknown;
}

static void set(AxisAnalysis *a, const Value *value, AxisInfo info) {
  assert(info.divisibility[0] > 0 && info.contiguity[0] > 0 &&
         !(info.divisibility[0] & (info.divisibility[0] - 1)) &&
         !(info.contiguity[0] & (info.contiguity[0] - 1))); // I4
  AxisInfo *slot = map_get(&a->infos, value);
  if (!slot) {
    slot = arena_new(a->arena, AxisInfo);
    map_put(&a->infos, a->arena, value, slot);
  }
  *slot = info;
}

static bool same_window(const WindowFacts *a, const WindowFacts *b) {
  return a == b || (a && b && !memcmp(a, b, sizeof *a));
}

static bool same_info(const AxisInfo *a, const AxisInfo *b) {
  return !memcmp(a->contiguity, b->contiguity, sizeof a->contiguity) &&
         !memcmp(a->divisibility, b->divisibility, sizeof a->divisibility) &&
         !memcmp(a->constancy, b->constancy, sizeof a->constancy) &&
         a->nonnegative == b->nonnegative && a->known == b->known &&
         a->value == b->value && same_window(a->window, b->window);
}

// Weakens the facts of a block argument to those that `info` has, too.
static void flow(AxisAnalysis *a, const Value *arg, AxisInfo info) {
  const AxisInfo *old = map_get(&a->infos, arg);
  if (old) info = axis_meet(a->arena, old, &info);
  assert((!old || info.divisibility[0] <= old->divisibility[0]) &&
         "a walk has learned more"); // I5
  if (old && same_info(old, &info)) return;
  a->changed |= old != NULL;
  set(a, arg, old && a->hurry ? a->unknown : info);
}

static void flow_value(AxisAnalysis *a, const Value *arg, const Value *from) {
  flow(a, arg, *axis_info(a, from));
}

static void set_meet(AxisAnalysis *a, const Value *to, const Value *x,
                     const Value *y) {
  set(a, to, axis_meet(a->arena, axis_info(a, x), axis_info(a, y)));
}

// -- Structured ops ----------------------------------------------------------

static void visit_block(AxisAnalysis *a, const Block *block);

static AxisInfo induction(const AxisAnalysis *a, const Op *op) {
  const AxisInfo *lower = axis_info(a, op_operand(op, FOR_LOWER));
  const AxisInfo *step = axis_info(a, op_operand(op, FOR_STEP));
  AxisInfo info = axis_unknown();
  info.divisibility[0] =
      int64_min(lower->divisibility[0], step->divisibility[0]);
  info.nonnegative = lower->nonnegative && step->nonnegative;
  return info;
}

static void visit_for(AxisAnalysis *a, const Op *op) {
  const int n = for_num_slots(op);
  flow(a, &op->regions[0]->args[0], induction(a, op));
  for (int i = 0; i < n; i++) flow_value(a, for_arg(op, i), for_init(op, i));
  visit_block(a, op->regions[0]);
  for (int i = 0; i < n; i++) {
    flow_value(a, for_arg(op, i), region_yield(op, 0, i));
    set(a, &op->results[i], *axis_info(a, for_arg(op, i)));
  }
}

static void visit_while(AxisAnalysis *a, const Op *op) {
  const Block *decide = op->regions[0], *body = op->regions[1];
  for (int i = 0; i < op->num_operands; i++) {
    flow_value(a, &decide->args[i], op_operand(op, i));
  }
  visit_block(a, decide);
  for (int i = 0; i < op->num_results; i++) {
    const Value *value = region_yield(op, 0, i);
    flow_value(a, &body->args[i], value);
    set(a, &op->results[i], *axis_info(a, value));
  }
  visit_block(a, body);
  for (int i = 0; i < op->num_operands; i++) {
    flow_value(a, &decide->args[i], region_yield(op, 1, i));
  }
}

static void visit_if(AxisAnalysis *a, const Op *op) {
  visit_block(a, op->regions[0]);
  visit_block(a, op->regions[1]);
  for (int i = 0; i < op->num_results; i++) {
    set_meet(a, &op->results[i], region_yield(op, 0, i),
             region_yield(op, 1, i));
  }
}

static void visit_plain(AxisAnalysis *a, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    AxisInfo info = axis_rule(a, op, i);
    info.window = axis_window(a, op, a->arena);
    set(a, &op->results[i], info);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void visit_block(AxisAnalysis *a, const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    switch (op->kind) {
    case OP_for: visit_for(a, op); break;
    case OP_while: visit_while(a, op); break;
    case OP_if: visit_if(a, op); break;
    default: visit_plain(a, op);
    }
  }
}

static AxisInfo parameter(const Param *param) {
  AxisInfo info = axis_unknown();
  const Attr *divisor =
      attrs_find(param->attrs, param->num_attrs, ATTR_divisibility);
  if (divisor && divisor->as.ints.count && divisor->as.ints.items[0] > 0) {
    info.divisibility[0] = divisor_of(divisor->as.ints.items[0]);
  }
  return info;
}

AxisAnalysis *axis_analyze(const Function *f, Arena *arena) {
  AxisAnalysis *a = arena_new(arena, AxisAnalysis);
  a->arena = arena;
  a->unknown = axis_unknown();
  for (int i = 0; i < f->body->num_args; i++) {
    set(a, &f->body->args[i], parameter(&f->params[i]));
  }
  int walks = 0;
  do {
    a->changed = false;
    a->hurry = ++walks > MAX_WALKS;
    visit_block(a, f->body);
  } while (a->changed);
  return a;
}

// -- Accesses ----------------------------------------------------------------

// Elements along d are one stride apart and start at the window's offset.
static void window_dim(const Type *type, const WindowFacts *w, int d,
                       AxisInfo *out) {
  const int bits = type_element_bits(type->element);
  int64_t divisor = w->base_divisibility;
  out->contiguity[d] = w->stride_is_one[d] ? type->shape[d] : 1;
  for (int e = 0; e < type->rank; e++) {
    const bool starts = (e == d && w->stride_is_one[d]) || type->shape[e] == 1;
    const int64_t index = starts ? w->offset_divisibility[e] : 1;
    const int64_t elements = product(index, w->stride_divisibility[e]);
    divisor = int64_min(divisor, product(elements, int64_max(bits / 8, 1)));
  }
  out->divisibility[d] = divisor;
}

static bool window_access(const AxisAnalysis *a, const Op *op, int offsets,
                          AxisInfo *out) {
  const Type *type = op_operand(op, 0)->type;
  const AxisInfo *info = axis_info(a, op_operand(op, 0));
  WindowFacts w = {.base_divisibility = 1};
  if (info->window) w = *info->window;
  for (int d = 0; d < type->rank; d++) {
    if (!w.stride_divisibility[d]) w.stride_divisibility[d] = 1;
    if (!w.bound_divisibility[d]) w.bound_divisibility[d] = 1;
    if (!w.offset_divisibility[d]) w.offset_divisibility[d] = 1;
    if (offsets < 0) continue;
    const Value *offset = op_operand(op, op_group_start(op, offsets) + d);
    w.offset_divisibility[d] = axis_info(a, offset)->divisibility[0];
  }
  *out = axis_unknown();
  for (int d = 0; d < type->rank; d++) {
    window_dim(type, &w, d, out);
    const int64_t edge =
        int64_min(w.offset_divisibility[d], w.bound_divisibility[d]);
    out->constancy[d] = op_checks_bound(op, d) ? int64_min(edge, type->shape[d])
                                               : type->shape[d];
  }
  return true;
}

static bool pointer_access(const AxisAnalysis *a, const Op *op,
                           const Value *mask, AxisInfo *out) {
  const Type *type = op_operand(op, 0)->type;
  const AxisInfo *info = axis_info(a, op_operand(op, 0));
  *out = *info;
  for (int d = 0; d < axis_count(type); d++) {
    out->constancy[d] =
        mask ? axis_info(a, mask)->constancy[d] : axis_size(type, d);
  }
  return true;
}

int64_t axis_access_run(const AxisInfo *info, int d, const Type *pointers) {
  enum { WIDEST = 16 };
  const int bits = type_element_bits(type_element(pointers)->element);
  const int64_t bytes = bits < 8 ? 1 : bits / 8;
  const int64_t in_memory = int64_min(info->contiguity[d], info->constancy[d]);
  const int64_t aligned = int64_min(WIDEST, info->divisibility[d]) / bytes;
  const int64_t run = int64_min(in_memory, aligned);
  return run < 1 ? 1 : run;
}

bool axis_access(const AxisAnalysis *a, const Op *op, AxisInfo *out) {
  switch (op->kind) {
  case OP_load: return pointer_access(a, op, op_group(op, 1), out);
  case OP_store:
  case OP_atomic_rmw:
  case OP_async_copy: return pointer_access(a, op, op_group(op, 2), out);
  case OP_load_block:
  case OP_store_block: return window_access(a, op, -1, out);
  case OP_load_desc: return window_access(a, op, 1, out);
  case OP_store_desc: return window_access(a, op, 2, out);
  default: return false;
  }
}
