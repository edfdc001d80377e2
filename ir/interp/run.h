// run.h -- inside the interpreter: slots, code and the run.
//
// A function becomes flat code once: an Inst for each op, operands resolved to
// Slots, regions laid out in place, terminators that jump.  The state of a
// program is its slots and a program counter, so nothing recurses.  A Slot
// belongs to one SSA value and is overwritten each time its op runs.
//
// A value is an array of cells: one for each element of a tile, else
//   block_ptr  address, shape[rank], strides[rank], offsets[rank]
//   desc       address, shape[rank], strides[rank], padding
//   memdesc    number of the buffer, offset, strides[rank]
//   mbarrier   its number;   token  nothing of interest
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
  int64_t count, capacity; // cells in force, and at most
  Cell *cells;
  Cell *marks;   // NULL until first needed
  bool poisoned; // are the marks in force?
  Slot *next;    // of a loop's argument: its value in the next round
  int home;      // code of the reduce or scan it is local to, or -1
};

typedef struct Run Run;
typedef struct Inst Inst;

// The lanes of a reduction run side by side: its region's slots are as wide as
// the combinations that one step makes, and values from outside are copied in.
typedef struct {
  bool wide;
  int64_t width; // most cells of a local slot
  int axis;
  int64_t outer, length, inner; // shape of the inputs around the axis
  Vec(Slot *) locals;
  Vec(Slot *) captured;
  Vec(Slot *) copies; // one for each captured
  Cell **work;        // one plane for each input, as large
} Reduction;

struct Inst {
  bool (*exec)(Run *r, const Inst *in);
  const Op *op;
  Slot **in, **out;
  int parent;           // of a terminator: code of the op that owns the region
  int body[2];          // of an op with regions: where each starts,
  int end;              // and where the code goes on after them
  Slot **args[2];       // and the arguments of each
  Reduction *reduction; // of reduce and scan
  int object; // of alloc_shared, mbarrier_alloc: its buffer or barrier
};

typedef struct {
  Cell *cells, *marks;
  int64_t count;
  bool live;
} Buffer;

typedef struct {
  int64_t count, arrivals; // wanted each phase, still missing in this one
  int64_t bytes;           // still expected
  int64_t phase;
  int64_t awaited; // phases, by mbarrier_await
} MBarrier;

// A copy on its way: what it will write, and to where.
typedef struct Copy Copy;
struct Copy {
  Copy *next;
  const Type *type; // of the memdesc
  Cell view[2 + MAX_RANK];
  Cell *data;
  int64_t count, capacity;
  int64_t group;   // 0: not committed yet
  int64_t barrier; // -1: of no barrier
};

// Roles take turns: one runs until it would wait for ever.
typedef struct {
  int pc;     // where the other goes on; -1: it has ended, or there is none
  bool tried; // it waits, and this one has arrived nowhere since
} Roles;

struct Run {
  Arena *arena;
  DiagList *diags;
  const Function *f;
  const InterpLaunch *launch;
  Vec(Inst) code;
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

// One for each op: what it means.  False after a diagnostic.
#define OP(name, ...) bool exec_##name(Run *r, const Inst *in);
#include "ir/op/ops.def"

// -- interp/plan.c -----------------------------------------------------------

bool plan_function(Run *r);

// -- run.c -------------------------------------------------------------------

// Runs the code [start, end); r->pc is `end` then, or the error is reported.
bool run_code(Run *r, int start, int end);
// Says in which program the error just reported was; false.
bool run_stop(Run *r, const Inst *in);

// -- interp/roles.c ----------------------------------------------------------

// The role that runs cannot go on at `in`: the other one does.  False if it
// cannot, either.
bool roles_turn(Run *r, const Inst *in);
void roles_arrive(Run *r); // something that the other may wait for
bool yield_role(Run *r, const Inst *head);

// -- interp/cells.c ----------------------------------------------------------

Slot *slot_create(Run *r, const Type *type, int64_t capacity);
int64_t type_num_cells(const Type *type);
// The marks, all 0 if they were not in force.
Cell *slot_marks(Run *r, Slot *slot);
void slot_poison(Run *r, Slot *slot, int64_t mark);
// False with a diagnostic if one of the cells is poison.
bool slot_defined(Run *r, const Inst *in, const Slot *slot, const char *what);
// Lane i of `slot` where lane i of the mask holds (NULL: everywhere).
bool lanes_defined(Run *r, const Inst *in, const Slot *slot, const Cell *mask,
                   const char *what);
void slot_copy(Run *r, Slot *to, const Slot *from);
// All at once: a source may be another's destination.
void slots_move(Run *r, int count, Slot **to, Slot *const *from);
// Result lane i is poison where a lane i of an operand is.
void spread_marks(Run *r, const Inst *in);
// The whole results are poison if anything of an operand is; true then.
bool spread_all(Run *r, const Inst *in);
// First slot of an operand group, NULL if it is empty.
Slot *inst_group(const Inst *in, int group);

void cells_fill(Cell *cells, int64_t count, Cell value);
void cells_copy(Cell *to, const Cell *from, int64_t count);
// Results of arithmetic in 64 bits, brought to the element type.  A NaN becomes
// the canonical one, so that results do not depend on the machine.
void cells_wrap(Cell *cells, int64_t count, Elem elem);
void cells_round(Cell *cells, int64_t count, Elem elem);
// The NaN of this type that a constant is.
Cell cell_nan(Elem elem);
// The NaN of this type that rounding to it makes: of 16 and 8 bits that of
// GPUs, all bits but the sign.
Cell cell_rounded_nan(Elem elem);
// Bits in memory to values and back; NaNs keep theirs.  `type` is a scalar or
// a pointer; an i1 is a byte, 0 or 1.
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

// Bits at each address whose mask holds (NULL: all); 0 elsewhere.
bool fetch_bits(Run *r, const Inst *in, int64_t count, const Cell *addresses,
                const Cell *mask, size_t bytes, Cell *out);
bool write_bits(Run *r, const Inst *in, int64_t count, const Cell *addresses,
                const Cell *mask, size_t bytes, const Cell *bits);
// Updates what is at each address whose mask holds by the op's `kind`; `old`,
// which may be NULL, gets what was there.
bool update_lanes(Run *r, const Inst *in, int64_t count, const Cell *addresses,
                  const Cell *mask, const Type *type, const Cell *values,
                  Cell *old);
// The values that `load` and async_copy read: elements where the mask holds,
// else those of `other`, else 0.
bool load_lanes(Run *r, const Inst *in, const Slot *ptr, const Slot *mask,
                const Slot *other, Slot *out);

// -- interp/block.c ----------------------------------------------------------

// Elements of the block at `offsets` of a descriptor.
bool load_desc_block(Run *r, const Inst *in, const Type *block,
                     const Slot *desc, Slot *const *offsets, Cell *out);
bool store_desc_block(Run *r, const Inst *in, const Slot *desc,
                      Slot *const *offsets, const Slot *value);

// -- interp/shared.c ---------------------------------------------------------

// The buffer behind a view, NULL with a diagnostic if it is gone.
Buffer *view_buffer(Run *r, const Inst *in, const Cell *view);
Box view_box(const Type *type, const Cell *view);
// Element-wise contents and marks; either may be NULL.
bool view_read(Run *r, const Inst *in, const Slot *view, Cell *cells,
               Cell *marks);

#endif
