// place.h -- values under the layouts that their users want.
//
// A value is *settled* when its type has a layout, else it is *free*: cheap to
// compute, and computed again for each layout that is asked for.  Free values
// are templates: nobody uses them in the end.
#ifndef TILE_PASSES_PLACE_H
#define TILE_PASSES_PLACE_H

#include "ir/builder.h"

#include <assert.h>

// The elements that an access reads or writes in a row.
typedef struct {
  int axis;            // along which it does
  int log2_elements;   // that one thread can move at once
  int log2_contiguous; // of which no more are side by side in memory
} AccessRun;

typedef struct {
  Module *m;
  int num_lanes, num_warps;
  Map anchors;  // tile type without layout and element, to its Layout
  Map versions; // Value to its list of copies
  Map origins;  // such a copy, to the free Value that it is of
  Map depths;   // Op whose results are free, to how much there is to repeat
  Map accesses; // Op that accesses memory, to the Layout that suits it
  Map runs;     // such an Op, to its Run
  Map wishes;   // Value to its Layout if nothing else decides (wish.h)
} Placer;

static inline bool is_settled(const Value *value) {
  return !type_is_tile(value->type) || value->type->layout;
}
static inline void settle(Placer *p, Value *value, const Layout *layout) {
  assert(layout && layout_has_shape(layout, value->type->rank,
                                    value->type->shape)); // I1
  value->type = type_with_layout(&p->m->types, value->type, layout);
}

// The layout that tiles of this shape have where nothing else decides.
const Layout *place_default(Placer *p, const Type *type);
void place_set_default(Placer *p, const Type *type, const Layout *layout);

// The layout in which a thread has as many neighbours along the axis as there
// are elements for it.
const Layout *place_near(Placer *p, const Type *type, int axis);
// The number of lowest bits of a place along the axis that a thread has all of.
int place_log2_in_thread(const Layout *layout, int axis);

// The layout that the tile operands of a shape-changing or elementwise op need
// so that its result has `layout`; NULL if there is none.
const Layout *place_operand(Placer *p, const Op *op, const Layout *layout);

// The result's layout if the tile operands of such an op have `layout`.
const Layout *place_after(Placer *p, const Op *op, const Layout *layout);

// Does a store in `layout` rather write its value as that lies?  Vectors, what
// is as wide and fills sectors half as well, and tiles made of reductions that
// fill sectors are not converted.
bool place_keeps_value(const Placer *p, const Op *op, const Layout *layout);
// log2 of the elements that a thread can move at once; 0 if nobody looked.
static inline int place_log2_run(const Placer *p, const Op *op) {
  const AccessRun *run = map_get(&p->runs, op);
  return run ? run->log2_elements : 0;
}

// NULL if there is none.
static inline const Layout *place_wish(const Placer *p, const Value *value) {
  return map_get(&p->wishes, value);
}

// Leaves the results free if the op is cheap and its operands are free, or it
// only spreads what there is.
bool place_keep_free(Placer *p, Op *op);
// `value` under a layout: itself, computed again, or converted.
Value *place_under(Placer *p, Value *value, const Layout *layout);
// The same, but floats and indices are widened behind the conversion, not
// before it, and addresses made of them there.
Value *place_narrow(Placer *p, Value *value, const Layout *layout);
// The same for what is only stored: converted where it is the narrowest of what
// elementwise ops make of it one after another, and computed behind that.
Value *place_narrowest(Placer *p, Value *value, const Layout *layout);

#endif
