// host.h -- lowering for the host: shared by its files.
//
// A scalar is an LLVM value.  A tile is either *virtual*, recomputed element by
// element in the loops of its users, or has a *buffer*: row-major, with
// elements in compute form (i1 as i8), at a fixed offset of the program's
// scratch memory.  codegen/host/plan*.c decide which, and where.  Values that
// are only copied are in another form (codegen/host/bits.c).
#ifndef TILE_CODEGEN_HOST_H
#define TILE_CODEGEN_HOST_H

#include "codegen/emit.h"

enum { MAX_REGIONS = 200 };

// A block pointer or a tensor descriptor.
typedef struct {
  LLVMValueRef base;
  LLVMValueRef shape[MAX_RANK], strides[MAX_RANK]; // i64
  LLVMValueRef offsets[MAX_RANK];                  // i32, of a block pointer
  LLVMValueRef padding;                            // i32, of a descriptor
} Window;

typedef struct {
  const Value *value;
  bool buffer;
  int position;     // of its definition
  int last;         // position of the last op whose loops read it
  const Op *fill;   // the later op whose loops compute it, and fill the buffer
  const Op *first;  // the first op whose loops read it
  int cost, height; // of recomputing an element, when virtual
  int depth;        // nesting of its evaluation in the loops of another op
  int slot;         // index of its slot, if it has a buffer
  bool from_memory, to_memory; // through ops that only move elements
  bool keeps;                  // kept as bits, see host/bits.c
  bool packed;       // packed where it is computed, for the dot that reads it
                     // (product.c)
  LLVMValueRef llvm; // of a scalar
  LLVMValueRef bits; // in the form of kept bits; NULL: not kept
  Window *window;
} Placement;

// Values that share memory, as no two are live at the same time.
typedef struct {
  int parent;      // the slot into which it was merged, or itself
  int first, last; // positions
  size_t bytes, offset;
  Vec(Placement *) places;
} BufferSlot;

typedef struct {
  int position;
  int begin, end;        // for a loop: the positions of its body
  int seen[2];           // the last search that visited it, for each kind
  Vec(const Op *) loads; // for a store: the loads in its loops
} OpPlace;

// A part of the kernel that is a function of its own, with its only call.
typedef struct {
  LLVMValueRef function, call;
} Outlined;

// The loop whose body is being lowered: the number of its trips, and of those
// left, including this one.
typedef struct {
  const Op *loop; // or NULL
  LLVMValueRef count, left;
} Trips;

// The run that a load or store will access in a later trip.
typedef struct {
  const Op *op;
  LLVMValueRef now;  // the address of this trip's run, as a number
  LLVMValueRef near; // bytes from there to the next trip's
  LLVMValueRef far;  // bytes to the run that is prefetched
  bool later;     // of a load: the run is prefetched where the buffer is read,
                  // while loads of this trip do not wait for memory
  const Op *root; // of the loops that do so; NULL: none yet
} NextRun;

typedef struct HostDot HostDot;
typedef struct Reuse Reuse;
typedef struct HostCounts HostCounts;

// A part of the scratch memory that is no slot.
typedef struct {
  size_t offset, bytes;
} Spare;

typedef struct {
  Emit *e;
  LLVMBuilderRef b;
  const Function *f;
  LLVMValueRef function, scratch, program, grid;
  Placement *places;          // by Value.id
  Map ops;                    // Op* to OpPlace*
  Vec(const Op *) order;      // all ops, by position
  Vec(const OpPlace *) loops; // outer before inner
  int searches;    // number of calls of visits_once() and reads_in_place()
  Vec(int) writes; // positions of ops that write global memory
  Vec(BufferSlot) slots;
  Vec(Outlined) parts;
  Trips trips;              // of the innermost `for`
  Map products;             // dot to HostDot*
  Map next_run;             // load or store to its NextRun
  Vec(NextRun *) next_runs; // the same
  Vec(Spare) unused;
  size_t scratch_bytes;
  Vec(Reuse *) reuses;  // of packed operands by the next program
  LLVMValueRef again;   // with `reuses`: did the thread run another program
                        // before?
  LLVMValueRef streams; // i1: do stores outside of loops bypass the caches?
                        // NULL: none does
  bool may_stream, may_fence; // may a store bypass the caches? one in a loop?
  bool promised;              // in some access only a hint says that lanes are
                              // adjacent
  HostCounts *counts;         // NULL: nothing is counted
} Host;

// From this number of writes to global memory, none gets a second loop or
// branch.
enum { MANY_WRITES = 32 };

// -- The plan ----------------------------------------------------------------

// Fills places; false after a diagnostic.
bool host_plan(Host *h);
bool plan_number(Host *h);  // positions
void plan_bits(Host *h);    // values that keep their bits
void plan_buffers(Host *h); // tiles that get memory
void plan_lives(Host *h);   // live ranges
void plan_slots(Host *h);   // values that share memory
// Gives all places but packed ones their offsets in memory; sets scratch_bytes.
void plan_offsets(Host *h);

static inline Placement *host_place(const Host *h, const Value *value) {
  return &h->places[value->id];
}
static inline OpPlace *host_op(const Host *h, const Op *op) {
  return map_get(&h->ops, op);
}
int plan_slot_of(const Host *h, const Value *value); // after merging
// Does the op compute its tile results in its users' loops?
bool plan_is_virtual(const Host *h, const Op *op);
// Does reshape only remove or add dimensions of size 1?
bool reshape_is_view(const Op *op);

// -- Lowering (values.c, host.c) ---------------------------------------------

// Bytes of one element in a buffer.
size_t host_buffer_bytes(const Type *element);
LLVMValueRef host_buffer(Host *h, const Value *value); // its address
// Private memory that is used for nothing else.
LLVMValueRef host_spare(Host *h, size_t bytes);
// The same, to be given back when its contents are dead: code emitted after
// that may reuse it.
Spare host_borrow(Host *h, size_t bytes);
void host_give_back(Host *h, Spare spare);
LLVMValueRef host_spare_address(Host *h, Spare spare);
LLVMValueRef host_scalar(Host *h, const Value *value);
void host_set(Host *h, const Value *value, LLVMValueRef llvm);
LLVMValueRef host_i64(Host *h, int64_t value);
LLVMBasicBlockRef host_block(Host *h, const char *name);
// The number of lanes in vectors for tiles of such elements with rows of
// `size`.
int host_lanes(const Host *h, const Type *element, int64_t size);
// The same for a value of bytes or halves that is computed in memory form, from
// bytes or halves only: a whole vector.
int host_short_lanes(const Host *h, const Value *value, int64_t size);
LLVMValueRef host_lane(Host *h, LLVMValueRef vector, int number);

bool host_lower_block(Host *h, const Block *block);
// An op where its operands are known; it may be lowered once more later.
bool host_lower_op(Host *h, const Op *op);

// -- Kept bits (host/bits.c) -------------------------------------------------

static inline bool host_keeps(const Host *h, const Value *value) {
  return host_place(h, value)->keeps;
}
// May a conversion to the compute form lose bits?
bool host_may_lose(const Type *type);
// Are the operand's bits written, instead of its value?
bool host_writes_bits(const Op *op, int operand);
// Elements in memory form, converted to the compute form or to kept bits, and
// back.
LLVMValueRef host_from_memory(Host *h, const Type *element, LLVMValueRef memory,
                              bool keeps);
LLVMValueRef host_to_memory(Host *h, const Type *element, LLVMValueRef x,
                            bool keeps);
// Elements of a type in another form: `from` and `to` say whether bits are
// kept.
LLVMValueRef host_form(Host *h, const Type *type, LLVMValueRef x, bool from,
                       bool to);
// From the compute form to the value's own form.
LLVMValueRef host_own_form(Host *h, const Value *value, LLVMValueRef x);
LLVMValueRef host_bits(Host *h,
                       const Value *scalar); // in the form of kept bits
// The same as host_set(), for a value in its own form.
void host_set_own(Host *h, const Value *value, LLVMValueRef x);
// An elementwise op, in its result's form; the operands are in compute form, or
// bits if it reads those.
LLVMValueRef host_elementwise(Host *h, const Op *op, LLVMValueRef const *x);
bool host_takes_bits(const Host *h, const Op *op, int operand);

// An op that is not an elementwise scalar one.  False after a diagnostic.
typedef bool HostEmitter(Host *h, const Op *op);
#define HOST_OP(name) HostEmitter host_emit_##name;
#include "codegen/host/host.def"

// Is the result read by one dot alone, which packs its operands, and computed
// in a suitable order?  Then it has no other buffer (product.c).  Valid after
// slots were shared.
bool product_wants(Host *h, const Op *op);
// Packs such a result; false after a diagnostic.
bool product_take(Host *h, const Op *op);

// At the end of a trip: prefetches the first bytes that the next one loads
// (memory.c).
void memory_end_trip(Host *h, const Op *loop);

// Finds dots whose right operands are left for the next program (reuse.c).
// Valid after slots were shared, before product_wants().
void reuse_find(Host *h);
// In front of a loop: emits the tests whether the previous program has left
// operands.
void reuse_begin(Host *h, const Op *loop);

// Evaluates `from` into the buffer of `to`, which has its shape.
bool host_fill(Host *h, const Op *root, const Value *from, const Value *to);

// -- Counters (count.c) ------------------------------------------------------

// The end of the emitted code in front of an op, to see whether the op adds any
// code that takes time.
typedef struct {
  LLVMBasicBlockRef block;
  int num_tiles;
} CountMark;

// Each of these functions does nothing unless the options ask for counts.
// count_prepare() is called before the plan, since it adds sums of masks; the
// others where the kernel begins, where a block begins, before an op, behind an
// op, in front of a loop, at the end of a trip, behind a loop, and where the
// kernel ends.
void count_prepare(Host *h);
void count_begin(Host *h);
void count_block(Host *h, const Block *block);
CountMark count_mark(const Host *h);
void count_op(Host *h, const Op *op, CountMark before);
void count_enter(Host *h, const Op *loop);
void count_trip(Host *h, const Op *loop);
void count_leave(Host *h, const Op *loop);
void count_end(Host *h);
// Calls the hook for counters, with their table.
void debug_tell_counts(Host *h, const char *table, LLVMValueRef counters);
// Calls the hook for events; the address is NULL where a program begins.
void debug_read_events(Host *h, LLVMValueRef counters);
// The number of a window's elements that are inside the bounds that its access
// checks.
LLVMValueRef window_elements(Host *h, const Op *op);

// The parts of a window for control flow: base, shape, strides, and then
// offsets or padding.
int window_parts(const Type *type);
LLVMValueRef *window_part(Window *window, const Type *type, int part);
Window *window_new(Host *h);
// The op that made the window, if only its position has changed since; else
// NULL.
const Op *window_maker(const Value *window);

// False after a diagnostic, if a reduce or scan has too many inputs.
enum { HOST_MAX_INPUTS = 17 }; // 16 of a kernel, and one for assertions
bool host_check_inputs(Host *h, const Op *op);
// The number of lanes in vectors along dimension `vec` of the op's inputs.
// `vec` may be -1.
int host_combined_lanes(Host *h, const Op *op, int vec);
// host_combines_bits(): are values of an input combined as kept bits?
// host_combined(): converts from there to the form of the result.
bool host_combines_bits(const Host *h, const Op *op, int i);
LLVMValueRef host_combined(Host *h, const Op *op, int i, LLVMValueRef x);
// Emits the region of a reduce or scan, on scalars or vectors.
bool host_combine(Host *h, const Op *op, LLVMValueRef const *left,
                  LLVMValueRef const *right, LLVMValueRef *out);

#endif
