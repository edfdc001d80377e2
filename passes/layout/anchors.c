// anchors.c -- layouts of memory accesses, and defaults for tiles of their
// shapes.
#include "passes/layout/anchors.h"

#include "ir/layout_access.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"

#include <assert.h>

typedef struct {
  Placer *placer;
  const AxisAnalysis *analysis;
  Map widest; // shape to the Suited of its widest access
} Anchors;

// Sorts dimensions by contiguity; of equal ones, the last comes first.
static void access_order(const AxisInfo *info, int rank, int *order) {
  for (int i = 0; i < rank; i++) {
    const int d = rank - 1 - i;
    int at = i;
    for (; at > 0; at--) {
      if (info->contiguity[order[at - 1]] >= info->contiguity[d]) break;
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
}

static int64_t share_of(const Anchors *a, const Type *pointers) {
  const Placer *p = a->placer;
  const int64_t share =
      pointers->num_elements / ((int64_t)p->num_lanes * p->num_warps);
  return share < 1 ? 1 : share;
}

// The layout that suits one access.
typedef struct {
  int64_t run, width; // run: elements of an access; width: of them, those in
                      // one thread
  int64_t contiguous; // elements
  int axis;           // with the contiguous elements
  const Layout *layout;
} Suited;

static bool suit_access(const Anchors *a, const Op *op, Suited *out) {
  AxisInfo info;
  int order[MAX_RANK];
  const Type *type = op->num_operands ? op_operand(op, 0)->type : NULL;
  if (!type || !type_is_tile(type) || !axis_access(a->analysis, op, &info)) {
    return false;
  }
  Placer *p = a->placer;
  access_order(&info, type->rank, order);
  out->axis = order[0];
  out->contiguous = info.contiguity[order[0]];
  out->run = axis_access_run(&info, order[0], type);
  out->width = int64_min(out->run, share_of(a, type));
  out->layout = layout_coalesced(&p->m->layouts, type->rank, type->shape, order,
                                 (int)out->width, p->num_lanes, p->num_warps);
  return out->layout;
}

static const Type *shape_of(Anchors *a, const Op *op) {
  TypeTable *types = &a->placer->m->types;
  const Type *bare = type_with_layout(types, op_operand(op, 0)->type, NULL);
  return type_with_elem(types, bare, ELEM_i1);
}

static void visit_access(Op *op, void *ctx) {
  Anchors *a = ctx;
  Suited suited;
  if (!suit_access(a, op, &suited)) return;
  const Suited *best = map_get(&a->widest, shape_of(a, op));
  if (best && suited.width <= best->width) return;
  Suited *copy = arena_new(a->placer->m->arena, Suited);
  *copy = suited;
  map_put(&a->widest, a->placer->m->arena, shape_of(a, op), copy);
  place_set_default(a->placer, op_operand(op, 0)->type, suited.layout);
}

// Is the value used by dots alone, through conversions, so that it is combined
// with no other tile?
static bool is_only_converted(const Value *value) {
  const Use *use = value->uses;
  while (use && !use->next && use->user->kind == OP_trans) {
    use = op_result(use->user)->uses;
  }
  while (use && use->user->kind == OP_convert_layout) use = use->next;
  return !use;
}

// Accesses of one shape share the layout of the widest, so that their values
// are combined without conversions, unless they run along another axis.  A
// narrow load in that layout would have gaps between threads, so a narrow load
// for a dot gets a layout of its own.
static void choose_access(Op *op, void *ctx) {
  Anchors *a = ctx;
  Suited suited;
  if (!suit_access(a, op, &suited)) return;
  const Suited *best = map_get(&a->widest, shape_of(a, op));
  assert(best && best->width >= suited.width && "no anchor was noted"); // I4
  const bool is_alone = op->kind == OP_load && suited.width < best->width &&
                        is_only_converted(op_result(op));
  const bool is_shared = best->axis == suited.axis && !is_alone;
  const Suited *chosen = is_shared ? best : &suited;
  map_put(&a->placer->accesses, a->placer->m->arena, op,
          (void *)chosen->layout);
  AccessRun *run = arena_new(a->placer->m->arena, AccessRun);
  *run = (AccessRun){suited.axis, floor_log2(suited.run),
                     floor_log2(suited.contiguous)};
  assert(INT64_C(1) << run->log2_elements <= suited.run); // I4
  map_put(&a->placer->runs, a->placer->m->arena, op, run);
}

// Vectors as long as reduced rows are mostly combined with the rows again:
// loops carry them in the layout of the reduction's result.
static void visit_reduction(Op *op, void *ctx) {
  Placer *p = ctx;
  if (op->kind != OP_reduce || !type_is_tile(op_result(op)->type)) return;
  const Layout *from = place_default(p, op_operand(op, 0)->type);
  const Layout *layout =
      layout_slice(&p->m->layouts, from, (int)op_int(op, ATTR_axis));
  if (layout) place_set_default(p, op_result(op)->type, layout);
}

// -- All ---------------------------------------------------------------------

void anchors_collect(Placer *p, Function *f) {
  Anchors anchors = {p, axis_analyze(f, p->m->arena), {0}};
  block_walk(f->body, visit_access, &anchors);
  block_walk(f->body, choose_access, &anchors);
}

void anchors_of_reductions(Placer *p, Function *f) {
  block_walk(f->body, visit_reduction, p);
}
