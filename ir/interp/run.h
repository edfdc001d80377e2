// run.h -- inside the interpreter: slots, code and the run.
//
// A function becomes flat code once: an InterpInst for each op, operands
// resolved to Slots, regions laid out in place, terminators that jump.  The
// state of a program is its slots and a program counter, so there is no
// recursion.  A Slot belongs to one SSA value and is overwritten each time its
// op runs.
//
// A value is an array of cells: one for each element of a tile, else
//   block_ptr  address, shape[rank], strides[rank], offsets[rank]
//   desc       address, shape[rank], strides[rank], padding
//   memdesc    number of the buffer, offset, strides[rank]
//   mbarrier   its number;   token  an unused cell
// A cell of a float type always holds a value of that type.
//
// Poison is a second plane of cells, the marks: 0 for defined, UNDEFINED, or
// IN_FLIGHT + n for the result of the n-th asynchronous dot.
#ifndef TILE_IR_INTERP_RUN_H
#define TILE_IR_INTERP_RUN_H

#include "ir/interp.h"

typedef union {
  int64_t i; // integers, sign-extended (i1: 0 or 1), and addresses
  uint64_t u;
  double f;
} Cell;

enum { UNDEFINED = 1, IN_FLIGHT = 2 };

typedef struct Slot Slot;
struct Slot {
  const Type *type;
  int64_t count, capacity; // cells in use, and allocated
  Cell *cells;
  Cell *marks;   // NULL until first used
  bool poisoned; // the marks are in use
  Slot *next;    // of a loop's argument: its value for the next round
  int home;      // code of the reduce or scan to which it is local; -1: none
};

typedef struct Run Run;
typedef struct InterpInst InterpInst;

// The lanes of a reduction run side by side: the slots of its region have one
// cell for each combination of a step, and values from outside are copied in.
typedef struct {
  bool wide;
  int64_t width; // largest number of cells of a local slot
  int axis;
  int64_t outer, length, inner; // shape of the inputs around the axis
  Vec(Slot *) locals;
  Vec(Slot *) captured;
  Vec(Slot *) copies; // one for each captured value
  Cell **work;        // a plane for each input, of its size
} InterpReduction;

struct InterpInst {
  bool (*exec)(Run *r, const InterpInst *in);
  const Op *op;
  Slot **in, **out;
  int parent;                 // of a terminator: code of the op with the region
  int body[2];                // of an op with regions: the first code of each,
  int end;                    // the code behind them,
  Slot **args[2];             // and the arguments of each
  InterpReduction *reduction; // for reduce and scan
  int object; // of alloc_shared, mbarrier_alloc: buffer or barrier
};

typedef struct {
  Cell *cells, *marks;
  int64_t count;
  bool live;
} Buffer;

typedef struct {
  int64_t count, arrivals; // needed for each phase; missing in this one
  int64_t bytes;           // still expected in this phase
  int64_t phase;
  int64_t awaited; // phases that mbarrier_await has seen
} MBarrier;

// A pending copy: its data and its destination.
typedef struct Copy Copy;
struct Copy {
  Copy *next;
  const Type *type; // of the memdesc
  Cell view[2 + MAX_RANK];
  Cell *data;
  int64_t count, capacity;
  int64_t group;   // 0: not committed yet
  int64_t barrier; // -1: no barrier counts it
};

// Roles take turns: one runs until it cannot continue.
typedef struct {
  int pc;     // where the other role continues; -1: ended, or none
  bool tried; // the other role waits; this one has arrived nowhere since
} Roles;

struct Run {
  Arena *arena;
  DiagList *diags;
  const Function *f;
  const InterpLaunch *launch;
  Vec(InterpInst) code;
  Vec(Slot *) params;
  int pc;
  Roles roles;
  int64_t pid[3];
  int64_t rank; // of the block in its cluster
  uint64_t steps;
  const InterpMemory *last_hit;
  Cell *scratch[4]; // planes as large as the largest value
  Vec(Buffer) buffers;
  Vec(MBarrier) barriers;
  Copy *copies, *free_copies; // oldest first
  int64_t groups, dots;
  Str text;
};

// The function of each op.  False after a diagnostic.
#define OP(name, ...) bool exec_##name(Run *r, const InterpInst *in);
#include "ir/op/ops.def"

// -- interp/plan.c -----------------------------------------------------------

bool plan_function(Run *r);

// -- run.c -------------------------------------------------------------------

// Runs the code [start, end); r->pc is `end` afterwards, or an error was
// reported.
bool run_code(Run *r, int start, int end);
// Adds a note about the current program to the last error; returns false.
bool run_stop(Run *r, const InterpInst *in);

// -- interp/roles.c ----------------------------------------------------------

// The running role cannot continue at `in`: switches to the other one.  False
// if the other one cannot continue, either.
bool roles_turn(Run *r, const InterpInst *in);
void roles_arrive(Run *r); // the role has arrived at a barrier
bool yield_role(Run *r, const InterpInst *head);

// -- interp/cells.c ----------------------------------------------------------

Slot *slot_create(Run *r, const Type *type, int64_t capacity);
int64_t type_num_cells(const Type *type);
// The marks of the slot; all 0 if they were not in use.
Cell *slot_marks(Run *r, Slot *slot);
void slot_poison(Run *r, Slot *slot, int64_t mark);
// False with a diagnostic if one of the cells is poison.
bool slot_defined(Run *r, const InterpInst *in, const Slot *slot,
                  const char *what);
// Is lane i of `slot` defined wherever lane i of the mask is true (NULL:
// everywhere)?
bool lanes_defined(Run *r, const InterpInst *in, const Slot *slot,
                   const Cell *mask, const char *what);
void slot_copy(Run *r, Slot *to, const Slot *from);
// Moves all at once: a source may be another's destination.
void slots_move(Run *r, int count, Slot **to, Slot *const *from);
// Lane i of the result becomes poison if lane i of an operand is.
void spread_marks(Run *r, const InterpInst *in);
// All of the results become poison, and true is returned, if any cell of an
// operand is poison.
bool spread_all(Run *r, const InterpInst *in);
// The first slot of an operand group; NULL if it is empty.
Slot *inst_group(const InterpInst *in, int group);

void cells_fill(Cell *cells, int64_t count, Cell value);
void cells_copy(Cell *to, const Cell *from, int64_t count);
// Converts results of 64-bit arithmetic to the element type.  A NaN becomes the
// canonical one, so that results do not depend on the machine.
void cells_wrap(Cell *cells, int64_t count, Elem elem);
void cells_round(Cell *cells, int64_t count, Elem elem);
// The NaN of this type as a constant.
Cell cell_nan(Elem elem);
// The NaN of this type as a result of rounding: for 16 and 8 bits, as on GPUs,
// all bits but the sign are set.
Cell cell_rounded_nan(Elem elem);
// Converts bits in memory to values and back, without changing NaNs.  `type` is
// a scalar or a pointer; an i1 is a byte, 0 or 1.
void cells_decode(Cell *cells, int64_t count, const Type *type);
void cells_encode(Cell *cells, int64_t count, const Type *type);
size_t type_bytes(const Type *type);

// A box of cells in memory order: element [i, j, …] is at base + Σ i * stride.
typedef struct {
  int rank;
  const int64_t *shape;
  int64_t base, strides[MAX_RANK];
} Box;
void row_major(int rank, const int64_t *shape, int64_t *strides);
void box_gather(const Box *box, Cell *out, const Cell *from);
void box_scatter(const Box *box, Cell *to, const Cell *values);

// -- interp/memory.c ---------------------------------------------------------

// Reads the bits at each address whose mask is true (NULL: all); 0 for the
// others.
bool fetch_bits(Run *r, const InterpInst *in, int64_t count,
                const Cell *addresses, const Cell *mask, size_t bytes,
                Cell *out);
bool write_bits(Run *r, const InterpInst *in, int64_t count,
                const Cell *addresses, const Cell *mask, size_t bytes,
                const Cell *bits);
// Updates the memory at each address whose mask is true, by the op's `kind`;
// `old`, which may be NULL, gets the values before.
bool update_lanes(Run *r, const InterpInst *in, int64_t count,
                  const Cell *addresses, const Cell *mask, const Type *type,
                  const Cell *values, Cell *old);
// The values that `load` and async_copy read: elements whose mask is true, else
// those of `other`, else 0.
bool load_lanes(Run *r, const InterpInst *in, const Slot *ptr, const Slot *mask,
                const Slot *other, Slot *out);

// -- interp/block.c ----------------------------------------------------------

// Loads the elements of the block at `offsets` of a descriptor.
bool load_desc_block(Run *r, const InterpInst *in, const Type *block,
                     const Slot *desc, Slot *const *offsets, Cell *out);
bool store_desc_block(Run *r, const InterpInst *in, const Slot *desc,
                      Slot *const *offsets, const Slot *value);

// -- interp/shared.c ---------------------------------------------------------

// The buffer of a view; NULL with a diagnostic if it is gone.
Buffer *view_buffer(Run *r, const InterpInst *in, const Cell *view);
Box view_box(const Type *type, const Cell *view);
// Reads the view's elements and marks; either may be NULL.
bool view_read(Run *r, const InterpInst *in, const Slot *view, Cell *cells,
               Cell *marks);

#endif
