// nest.h -- loop nests over the elements of a tile.
//
// A nest is built from the outside in.  Level 0 is the code before it, level n
// the body of the n-th loop.  Evaluation places each computation at the
// outermost level at which its index is known, so that loop-invariant code is
// computed before the loop; the code of a level can be extended until its loop
// is closed.
#ifndef TILE_CODEGEN_NEST_H
#define TILE_CODEGEN_NEST_H

#include "codegen/host/host.h"

enum { MAX_LOOPS = MAX_RANK + 5 };
enum { LINE_BYTES = 64 }; // of a line of the caches

// An index along one dimension.
typedef struct {
  LLVMValueRef at; // i64
  int level;       // the level from which on it is known
} Coord;

// An element of a tile; or `lanes` elements along dimension `vec`.
typedef struct {
  Coord at[MAX_RANK];
  int vec; // -1: one element
  int lanes;
  int64_t offset; // of the elements along `vec` from those of a loop's index
} Index;

typedef struct {
  LLVMBasicBlockRef head, block; // NULL: a loop of one iteration, not emitted
  LLVMValueRef iv;               // NULL for a level that is a part: no loop
  LLVMValueRef bound;            // the end, if it is not constant; or NULL
  int64_t end, step;
  int first_phi;
} NestLoop;

typedef struct {
  LLVMValueRef phi, init, next;
} LoopPhi;

typedef struct {
  const Value *value;
  Index index;
  int level;
  LLVMValueRef out;
} Memo;

typedef struct {
  Host *h;
  const Op *root; // for messages
  int depth;      // number of open loops
  bool is_part;   // is level 1 a part of the kernel?
  NestLoop loops[MAX_LOOPS + 1];
  Vec(LoopPhi) carried;
  Vec(Memo) memo;
  Vec(LLVMValueRef *) results; // of the part
} Nest;

Nest nest_begin(Host *h, const Op *root);
// In a kernel of many nests, makes this one, over a tile, a function of its
// own, which is level 1; no loop is open yet.  The nest may not return from the
// kernel, and has no results except memory and nest_result().
void nest_part(Nest *nest, const Type *tile, int lanes);
// `*value` is a result of the nest; if the nest is a function of its own,
// nest_end() replaces it by the call's result.
void nest_result(Nest *nest, LLVMValueRef *value);
// Opens a loop from `start` up to `end`.
Coord nest_loop(Nest *nest, int64_t start, int64_t end, int64_t step);
// Opens a loop from 0 up to `end`, which is known outside of the loop, and is a
// multiple of `step`, but not 0.
Coord nest_loop_to(Nest *nest, LLVMValueRef end, int64_t step);
// Adds a value that the innermost loop carries, which must have no code yet;
// `init` is known outside.  Returns its number.
int nest_carry(Nest *nest, LLVMValueRef init);
LLVMValueRef nest_carried(const Nest *nest, int number);
void nest_carry_next(Nest *nest, int number, LLVMValueRef next);
// Closes the innermost loop; nest_carried() then gives the last carried values.
void nest_close(Nest *nest);
void nest_end(Nest *nest); // closes all loops
// From here on, code is added at the end of a level.
void nest_seek(Nest *nest, int level);
// After code with branches: the level continues in the builder's block.
void nest_moved(Nest *nest, int level);

Coord coord_constant(Host *h, int64_t at);
// The same, for a computation that belongs to the part.
Coord coord_in_part(const Nest *nest, int64_t at);
// Opens a loop for each dimension; that of `vec` is innermost and goes by
// vectors.
Index nest_over(Nest *nest, const Type *tile, int vec, int lanes);
// The innermost dimension of more than one element; -1 if there is none.
int inner_dim(const Type *tile);

// -- Evaluation (eval.c) -----------------------------------------------------

// The value of an element or vector: in compute form, scalar if all lanes are
// equal.  The builder is at the level of the result.  NULL after a diagnostic.
LLVMValueRef eval(Nest *nest, const Value *value, const Index *index);
// The same, in compute form or as kept bits.
LLVMValueRef eval_as(Nest *nest, const Value *value, const Index *index,
                     bool bits);
// The same, as a vector of index->lanes elements if the index is of a vector.
LLVMValueRef eval_lanes(Nest *nest, const Value *value, const Index *index,
                        bool bits);
int index_level(const Index *index, const Type *tile);

// A value in its own form, computed even if it has a buffer, which the caller
// then fills.
LLVMValueRef eval_root(Nest *nest, const Value *value, const Index *index);

// Elements of a load, at the innermost level, in its result's form; NULL after
// a diagnostic.
LLVMValueRef load_at(Nest *nest, const Op *op, const Index *index);

// Prefetches the next trip's elements of a load whose buffer is read at the
// index, if this is to be done there.  False after a diagnostic.
bool load_look_ahead(Nest *nest, const Op *load, const Index *index);

// Elements of a load_block or load_desc likewise (host/block.c); `inside`: no
// element is out of bounds.
LLVMValueRef window_load_at(Nest *nest, const Op *op, const Index *index,
                            bool inside);
// Are all elements inside?  NULL: no test is needed.
LLVMValueRef window_is_inside(Host *h, const Op *op);
// The number of rows or columns that a store_block writes, by the bounds of the
// dimension.  NULL: the dimension is not checked.
LLVMValueRef window_end(Host *h, const Op *store, int dim);
// The number of rows or columns from the first one that a load reads to the
// end.
LLVMValueRef window_left(Host *h, const Op *load, int dim);
// Does the window move by a constant distance from trip to trip of its loop?
bool window_advances(const Op *op);
// Does it move by `by` elements along `dim`?
bool window_moves(const Op *op, int dim, int64_t by);
// Does it move by `by` elements along rows of adjacent elements, and along
// no other dimension?
bool window_goes_along(const Op *op, int64_t by);
// Are `size` rows and columns inside, from `first` elements behind the first
// one on?
LLVMValueRef window_has(Host *h, const Op *op, LLVMValueRef const *first,
                        LLVMValueRef const *size);
// The address of the element `at`, and the stride of a dimension.
LLVMValueRef window_address(Host *h, const Op *op, LLVMValueRef const *at);
LLVMValueRef window_stride(Host *h, const Op *op, int dim);
// For such a window: prefetches the element at offset `at` of the next trip's
// block, which may be out of bounds.
void window_ask_ahead(Host *h, const Op *op, LLVMValueRef const *at);
// Prefetches the rows and columns from `at` on, which a store_block will write.
void window_ask_for(Host *h, const Op *store, LLVMValueRef const *at, int rows,
                    int64_t columns);
// Are its elements adjacent in memory along `dim`?
bool window_lies_along(const Op *op, int dim);

// A buffer holds the own form of its value.
LLVMValueRef buffer_read(Nest *nest, const Value *value, const Index *index);
void buffer_write(Nest *nest, const Value *value, const Index *index,
                  LLVMValueRef x);
// The same, for memory in which a tile is stored as in a buffer.
void memory_write(Nest *nest, LLVMValueRef base, const Type *tile,
                  const Index *index, LLVMValueRef x);
// Writes a vector of a buffer and ends the nest; goes through a transpose if
// the vectors are not along rows.
void write_and_end(Nest *nest, const Value *value, const Index *index,
                   LLVMValueRef x);
// Position of an element (lane 0) in row-major order, i64, at this level.
LLVMValueRef index_linear(Nest *nest, const Index *index, const Type *tile);
// The index at which an operand of a shape op is read, for an index of its
// result.
bool index_through(Nest *nest, const Op *op, const Index *index, Index *out);

// -- Addresses (access.c) ----------------------------------------------------

// The step of a value from lane to lane along dimension `vec`, if it is known:
// 1 is an integer, or an element for pointers.  Index arithmetic is assumed not
// to wrap within one vector.
bool lane_step(const Value *value, int vec, int lanes, int64_t *step);

// Is that step known to be 1 without any promise?
bool grows_by_one(const Value *value, int vec, int lanes);

typedef struct {
  const Type *element; // the type in memory
  LLVMValueRef ptr;    // of lane 0 if unit or stride, else a vector or a scalar
  LLVMValueRef
      each;       // addresses of all lanes, if unit follows only from a promise
  bool unit;      // lanes are adjacent
  int lanes;      // 0: one element
  int stride;     // of a load: elements from lane to lane; 0: unknown
  bool stream;    // unit, and in a long run
  int64_t offset; // bytes from the address that belongs to a loop's index
  LLVMValueRef far;  // bytes from a run to that of a later trip; NULL: unknown
  bool bits;         // loaded or stored in the form of kept bits
  LLVMValueRef past; // does a store bypass the caches? NULL: no
} NestAccess;

// Are the addresses of a load or store known to be adjacent along `vec`?
bool lanes_are_neighbours(const Op *op, int vec, int lanes);
// Are all addresses of a tile adjacent, in its order?
bool is_one_run(const Value *pointers);
int64_t run_bytes(const Op *access); // the bytes of such a load or store
// Does a hint() promise no more about adjacency than its operand shows?
// Kernels also give hints for `i % n`, whose last block wraps.
bool hint_is_sure(const Op *hint);
// The address and mask of a load or store at an index.
bool access_tile(Nest *nest, const Op *op, const Index *index, NestAccess *out);
// `mask`, `other` may be NULL; `other` is in compute form, or in that of
// `bits`.
LLVMValueRef access_load(Host *h, const NestAccess *access, LLVMValueRef mask,
                         LLVMValueRef other);
void access_store(Host *h, const NestAccess *access, LLVMValueRef value,
                  LLVMValueRef mask);
// access_load() and access_store() at the innermost level, with a branch.
// A vector with all lanes on is accessed without a mask, since masked loads and
// stores overlap less; lanes that are not adjacent, contrary to a promise, have
// their own addresses.
LLVMValueRef nest_load(Nest *nest, const NestAccess *access, LLVMValueRef mask,
                       LLVMValueRef other);
void nest_store(Nest *nest, const NestAccess *access, LLVMValueRef value,
                LLVMValueRef mask);
// -- Prefetches (memory.c) ---------------------------------------------------

// Prefetches memory that a long run, or the next trip's run, will access soon;
// this never faults.
void prefetch_ahead(Host *h, const NestAccess *access, bool write);
// The caches that prefetched memory goes to, in LLVM's words; TO_NONE: one from
// which it soon leaves.
enum { TO_NONE = 0, TO_SECOND = 2, TO_FIRST = 3 };
// Prefetches the line of the element of `type` that is `far` elements after
// `from`; neither need exist.  `write`: for a store.
void prefetch_line(Host *h, LLVMTypeRef type, LLVMValueRef from,
                   LLVMValueRef far, bool write, int to);
// The same to the first cache, for an element of a tile.
void prefetch_element(Host *h, const Type *element, LLVMValueRef from,
                      LLVMValueRef far, bool write);

// -- Stores that bypass the caches (stream.c) --------------------------------

// Finds out, where the function begins, whether its stores may bypass the
// caches.
void stream_begin(Host *h);
// i1: does the launch move so much memory that this store bypasses the caches?
// NULL: it never does.
LLVMValueRef stream_past(Host *h, const Op *store);
// i1: does a store with the answer `past` bypass them from the address `first`
// on? Only if `first` is aligned to a line.
LLVMValueRef stream_from(Host *h, LLVMValueRef past, LLVMValueRef first);
void stream_end(Host *h); // of the function

// -- Transposes (transpose.c) ------------------------------------------------

// Loops along `vec` would write a tile's buffer with a stride: is it better to
// write it transposed, and then transpose it?
bool transpose_wanted(const Host *h, const Type *tile, int vec);
// The tile's shape with the last two dimensions exchanged.
const Type *transpose_type(Host *h, const Type *tile);
// Transposes `from`, a tile of transpose_type(tile), to `to`.
void transpose_memory(Host *h, LLVMValueRef to, LLVMValueRef from,
                      const Type *tile);
// Transposes a square block, whose rows are one vector of words, from args[2]
// to args[0]; args[3] and args[1] are the bytes from row to row.
void transpose_words(Host *h, LLVMValueRef *args);
// Does a `trans` exchange the last two dimensions alone?
bool transpose_turns_last(const Op *trans);
// Fills a value that is the transpose of a buffer; false if it is none.
bool transpose_buffer(Host *h, const Value *value);

// -- Parts that become functions of their own (outline.c) --------------------

// LLVM's time grows faster than the size of a function.  So a kernel of many
// loops calls functions for them; functions with equal code, except for
// constants, are merged (codegen/llvm/output.c).

// A part starts in a block without predecessors, and ends with `last`, which
// has no terminator.
typedef struct {
  LLVMBasicBlockRef first, last;
} Part;

// Moves the part into a function, and adds a call of it at the end of `caller`,
// a block without terminator.  Values from before that the part uses become
// arguments; `results`, which it computes, become results of the call.
void host_outline(Host *h, const Part *part, LLVMBasicBlockRef caller,
                  LLVMValueRef **results, int num_results);

// A function for a part, and a call of it at the builder's place.
LLVMValueRef host_part_function(Host *h, LLVMTypeRef result,
                                LLVMTypeRef *params, int num_params);
LLVMValueRef host_part_call(Host *h, LLVMValueRef function, LLVMValueRef *args,
                            int num_args);

// Merges parts that differ only in constants, which become arguments (share.c).
void host_share_parts(Host *h);

#endif
