// place.h -- values in the layouts that their users need.
//
// A value is *settled* when its type has a layout, else it is *free*: cheap to
// compute, and computed again for each layout in which it is needed.  Free
// values are templates, without uses in the end.
#ifndef TILE_PASSES_PLACE_H
#define TILE_PASSES_PLACE_H

#include "ir/builder.h"

#include <assert.h>

// The adjacent elements that an access reads or writes.
typedef struct {
  int axis;            // along which they are adjacent
  int log2_elements;   // that one thread can move at once
  int log2_contiguous; // that are contiguous in memory
} AccessRun;

typedef struct {
  Module *m;
  int num_lanes, num_warps;
  Map anchors;  // tile type without layout and element, to its Layout
  Map versions; // Value to its list of copies
  Map origins;  // copy of a value, to the free Value that it copies
  Map depths;   // Op with free results, to the length of its chain
  Map accesses; // Op that accesses memory, to the Layout that suits it
  Map runs;     // Op of `accesses`, to its Run
  Map wishes;   // Value to its Layout by default (wish.h)
} Placer;

static inline bool is_settled(const Value *value) {
  return !type_is_tile(value->type) || value->type->layout;
}
static inline void settle(Placer *p, Value *value, const Layout *layout) {
  assert(layout && layout_has_shape(layout, value->type->rank,
                                    value->type->shape)); // I1
  value->type = type_with_layout(&p->m->types, value->type, layout);
}

// The default layout of tiles of this shape.
const Layout *place_default(Placer *p, const Type *type);
void place_set_default(Placer *p, const Type *type, const Layout *layout);

// The layout in which a thread has as many adjacent elements along the axis as
// possible.
const Layout *place_near(Placer *p, const Type *type, int axis);
// The number of lowest bits of positions along the axis that are register bits.
int place_log2_in_thread(const Layout *layout, int axis);

// The layout that the tile operands of a shape-changing or elementwise op need
// so that its result has `layout`; NULL if there is none.
const Layout *place_operand(Placer *p, const Op *op, const Layout *layout);

// The layout of the result if the tile operands of such an op have `layout`.
const Layout *place_after(Placer *p, const Op *op, const Layout *layout);

// Should a store in `layout` write its value without a conversion?  Yes for
// vectors; for values whose own layout allows accesses as wide, and fills
// sectors at least half as well; and for results of reductions that fill
// sectors.
bool place_keeps_value(const Placer *p, const Op *op, const Layout *layout);
// log2 of the elements that a thread can move at once; 0 if it was not
// computed.
static inline int place_log2_run(const Placer *p, const Op *op) {
  const AccessRun *run = map_get(&p->runs, op);
  return run ? run->log2_elements : 0;
}

// NULL if there is no wish.
static inline const Layout *place_wish(const Placer *p, const Value *value) {
  return map_get(&p->wishes, value);
}

// Leaves the results free if the op is cheap and its operands are free, or if
// it only repeats elements.
bool place_keep_free(Placer *p, Op *op);
// `value` in a layout: itself, computed again, or converted.
Value *place_under(Placer *p, Value *value, const Layout *layout);
// The same, but floats and indices are widened, and addresses computed, behind
// the conversion.
Value *place_narrow(Placer *p, Value *value, const Layout *layout);
// The same for a value that is only stored: converted where it is narrowest in
// a chain of elementwise ops, which are computed behind the conversion.
Value *place_narrowest(Placer *p, Value *value, const Layout *layout);

#endif
