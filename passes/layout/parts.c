// parts.c -- layouts of accesses between which a tile can be exchanged in
// parts.
//
// In the layout of an access, bits of warps and registers may be exchanged: the
// access keeps its width, and the elements of a warp's lanes stay adjacent.
#include "passes/layout/parts.h"

#include "ir/layout_convert.h"
#include "ir/layout_cut.h"
#include "passes/analysis/walk.h"

static int64_t bytes_of(const Type *type) {
  return type->num_elements * type_element_bits(type->element) / 8;
}

// log2 of the number of parts, each at most a few wide stores of each thread.
static int log2_parts_of(const Placer *p, const Type *type) {
  enum { BYTES_IN_PART = 64 };
  const int64_t part = (int64_t)BYTES_IN_PART * p->num_lanes * p->num_warps;
  int log2_parts = 0;
  while (bytes_of(type) >> log2_parts > part) log2_parts++;
  return log2_parts;
}

static const Layout *for_cut(Placer *p, const Type *type, const Layout *from,
                             const Layout *to) {
  return layout_for_cut(&p->m->layouts, from, to,
                        type_element_bits(type->element),
                        log2_parts_of(p, type));
}

const Layout *parts_stored(Placer *p, const Op *op, const Layout *layout) {
  const Type *type = op->kind == OP_store ? op_operand(op, 1)->type : NULL;
  if (!type || !type->layout) return layout;
  if (layout_convert(type->layout, layout).kind != CONVERT_SHARED)
    return layout;
  return for_cut(p, type, type->layout, layout);
}

// -- Loads -------------------------------------------------------------------

typedef struct {
  Placer *placer;
  Function *function;
  int64_t shared_bytes;
  const Layout *from, *to; // `to` replaces `from`
} PartedLoads;

// The load from which `value` is computed by ops of one tile; `layout` becomes
// the layout that the load would have if the value had `layout`.
static Op *load_of(Placer *p, const Value *value, const Layout **layout) {
  Op *op = value->def;
  while (op && op->kind != OP_load && *layout) {
    if (op->kind != OP_trans && !op_has(op, TRAIT_ELEMENTWISE)) return NULL;
    if (!op->num_operands) return NULL;
    *layout = place_operand(p, op, *layout);
    op = op_operand(op, 0)->def;
  }
  return *layout ? op : NULL;
}

static void replace_access(Op *op, void *ctx) {
  const PartedLoads *parts = ctx;
  Placer *p = parts->placer;
  if (map_get(&p->accesses, op) != parts->from) return;
  map_put(&p->accesses, p->m->arena, op, (void *)parts->to);
  const Type *type = op_operand(op, 0)->type;
  if (place_default(p, type) == parts->from)
    place_set_default(p, type, parts->to);
}

static void visit_store(Op *op, void *ctx) {
  PartedLoads *parts = ctx;
  Placer *p = parts->placer;
  const Type *type = op->kind == OP_store ? op_operand(op, 1)->type : NULL;
  if (!type || !type_is_tile(type) || bytes_of(type) <= parts->shared_bytes)
    return;
  const Layout *stored = map_get(&p->accesses, op);
  const Op *load = load_of(p, op_operand(op, 1), &stored);
  parts->from = load ? map_get(&p->accesses, load) : NULL;
  if (!parts->from) return;
  if (layout_convert(parts->from, stored).kind != CONVERT_SHARED) return;
  if (for_cut(p, type, parts->from, stored) != stored) return;
  parts->to = for_cut(p, type, stored, parts->from);
  if (parts->to == parts->from) return;
  block_walk(parts->function->body, replace_access, parts);
}

void parts_collect(Placer *p, Function *f, int64_t shared_bytes) {
  PartedLoads parts = {
      .placer = p, .function = f, .shared_bytes = shared_bytes};
  block_walk(f->body, visit_store, &parts);
}
