// tensor_maps.h -- the descriptor for a block pointer.
//
// The hardware requires the dimension of stride 1 to be the last, so the map
// has it there, and the others in their order.
#ifndef TILE_PASSES_TENSOR_MAPS_H
#define TILE_PASSES_TENSOR_MAPS_H

#include "ir/builder.h"
#include "ir/launch_value.h"
#include "ir/tensor_box.h"
#include "passes/analysis/analysis.h"

// -- Bases (base_sum.c) ------------------------------------------------------

enum { BASE_MAX_FACTORS = 3, BASE_MAX_OUTER = 3, BASE_MAX_KNOWN = 6 };

typedef struct {
  Value *at; // times the factors, which are launch values
  Value *factors[BASE_MAX_FACTORS];
  int num_factors;
} BaseTerm;

// start + known + outer, in elements; each program has its own outer terms, in
// i32.
typedef struct {
  Value *start;
  BaseTerm known[BASE_MAX_KNOWN], outer[BASE_MAX_OUTER];
  int num_known, num_outer;
} BaseSum;

// False: the base has another form.
bool base_sum(const Op *window, BaseSum *out);
// The product of the factors, an i64: the stride of an outer term's dimension.
Value *base_stride(Builder *b, const BaseTerm *term);
// The address of start + known.
Value *base_start(Builder *b, const BaseSum *sum);

enum { TOO_MANY_STEPS = LAUNCH_MAX_STEPS + 1 };

// The number of steps that a launch needs for a value that can move up to the
// top block; TOO_MANY_STEPS: it cannot compute the value, or the value cannot
// move.
int launch_steps(const Value *value, const Block *top);
// The most steps for the values that base_stride() and base_start() build.
int base_stride_steps(const BaseTerm *term, const Block *top);
int base_start_steps(const BaseSum *sum, const Block *top);

// -- Windows of a launch (map_values.c) --------------------------------------

int64_t map_bytes(const Type *window); // of an element
// Does the launch know the base as it is, without one more dimension?
bool map_is_whole(const Op *window);
// Can the launch compute all of the map?  `axes` may be NULL if the base is
// whole.
bool map_is_computable(const AxisAnalysis *axes, const Op *window);
// Do both descriptors have the same map?
bool map_is_same(const Op *x, const Op *y);

// -- Maps of the program (made_maps.c) ---------------------------------------

// Can the program itself make the descriptor's map?
bool map_can_be_made(const AxisAnalysis *axes, const Op *desc);
// Does a loop load operands of a product by the descriptor?
bool map_pays(const Op *desc);

// -- Order (map_order.c) -----------------------------------------------------

// Could a copy by a map and another access of memory be out of the program's
// order, so that it would matter if they touched the same memory?
bool map_may_pass(const Op *copy, const Op *other);

// -- Descriptors (map_build.c) -----------------------------------------------

// Moves the ops that compute the value in front of `before`, an op of the top
// block.
void map_raise(const Value *value, Op *before);
void map_raise_op(Op *op, Op *before);

// A descriptor for a window whose accesses check those dimensions.
Op *map_descriptor(Module *m, Op *window, unsigned checked, int64_t padding);

// -- Blocks (map_access.c) ---------------------------------------------------

// The dimension of the window for dimension d of its map; -1: the map has more.
int map_dimension(const Op *window, int d);
// The tile that a map of that window loads.
const Type *map_tile(Module *m, const Op *window, const Type *element);

// Has the descriptor the blocks of that window, and its base the same sum?
bool map_fits(const Op *window, const Op *descriptor);

// An access through a block pointer: the op that made it, the descriptor with
// its map, and its offsets.
typedef struct {
  const Op *window, *descriptor;
  Value *const *offsets;
} MapAccess;

// The result of `load`, a load_block, through the map.
Value *map_load(Builder *b, const MapAccess *access, const Op *load);
Op *map_store(Builder *b, const MapAccess *access, Value *tile);
// A load_desc or store_desc of the window becomes one by the descriptor.
void map_replace(Module *m, const Op *window, const Op *descriptor, Op *op);
// Copies the cache hints of a load.
void map_copy_hints(Module *m, Op *to, const Op *from);

// -- Candidates (tensor_maps.c, map_number.c) --------------------------------

typedef struct PointerWindow PointerWindow; // pointer_window.h

typedef struct {
  Op *op; // make_desc, make_block_ptr; load or store of pointers
  const PointerWindow *pointers; // for loads and stores of pointers
  AddressRoot root;              // of the tensor
  int64_t padding;
  unsigned checked; // dimensions of a block pointer with bounds
  bool is_loaded, is_stored;
  bool is_made;  // the program makes its map
  bool fits;     // fits one map
  bool becomes;  // gets a map
  int64_t apart; // a set of bits: parameters that may not lead to the tensor
} MapCandidate;

enum { MOST_APART = 63 }; // bits of such a set

// An op that accesses global memory, with the index of its candidate, or -1.
typedef struct {
  Op *op;
  int candidate;
} NotedAccess;

typedef struct {
  Module *m;
  const Function *f;
  const AxisAnalysis *axes; // NULL: there are no block pointers
  Vec(MapCandidate) candidates;
  Vec(NotedAccess) accesses;
  Vec(Op *) moves;         // advances
  int num_writers;         // accesses that write global memory
  bool acquires, releases; // acquire or release memory of other programs
  bool has_ordered_writes; // a barrier orders writes and later accesses
  bool makes;              // the program makes maps of operands
} MapSearch;

static inline bool map_is_descriptor(const MapCandidate *c) {
  return c->op->kind == OP_make_desc;
}

typedef Vec(Op *) MapList;

// The op of the function's body that is `op` or has it in a region.
Op *map_top_op(Op *op);
// Gives the candidate a descriptor, or that of an equal map in `maps`, and its
// accesses the descriptor's number.  A map that the program makes has no
// number.
void map_use_candidate(MapSearch *s, MapList *maps, size_t candidate);

#endif
