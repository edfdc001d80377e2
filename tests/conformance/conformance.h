// conformance.h -- every op, element type and shape on a device.
//
// A case is a kernel of three inputs, one output and an i32 `n`, small enough
// to show the fault when it fails.  The interpreter gives the answer, and for
// sums the size of the terms, from which the bound follows.
#ifndef TILE_TESTS_CONFORMANCE_H
#define TILE_TESTS_CONFORMANCE_H

#include "ir/builder.h"
#include "ir/interp.h"

enum { NUM_INPUTS = 3, MAX_BATCH = 100 };

typedef enum {
  FAMILY_ELEMENTWISE,
  FAMILY_FUSED, // a product in a sum, which may be rounded once
  FAMILY_COMPARE,
  FAMILY_SELECT,
  FAMILY_CONVERT,
  FAMILY_SHAPE,
  FAMILY_REDUCE,
  FAMILY_DOT,
  FAMILY_ATOMIC,
  FAMILY_BLOCK,
  FAMILY_CONTROL,
  FAMILY_COUNT
} Family;

// The use of the product x * y.
typedef enum {
  FUSED_ADD,  // x * y + z
  FUSED_LESS, // x * y - z
  FUSED_FROM, // z - x * y
  FUSED_COUNT
} Fused;

typedef struct {
  Family family;
  OpKind op;
  int variant;      // predicate, combining op, axis, precision, …
  Elem from, elem;  // of operands and result, where they differ
  Elem second;      // of a dot's second operand
  int64_t shape[3]; // rows, columns; of dot m, n, k; 0: not there
  int64_t length;   // elements that are there: the rest is masked off
  int batches;      // of a dot: 0: no such axis
  int warps;
} Case;

typedef struct {
  Case *items;
  size_t count, capacity;
} CaseList;

// -- cases.c -----------------------------------------------------------------

// Lists all cases, in an order that does not change.
void cases_list(Arena *arena, CaseList *out);
// A few cases: each pair of op, type, shape and length that occurs in any case
// is in one of them; and a sample of `extra` of the others.
void cases_cover(Arena *arena, const CaseList *all, uint64_t seed, int extra,
                 CaseList *out);
const char *case_name(Arena *arena, const Case *c);
int64_t case_elements(const Case *c); // of the tile
// The numbers of elements in memory: of input i, and of the output.
Elem case_input_elem(const Case *c, int input);
int64_t case_input_count(const Case *c, int input);
int64_t case_output_count(const Case *c);

// The case that the interpreter computes instead: only matrix instructions
// for tf32 cut operands off, every other way multiplies all bits of an f32.
Case case_reference(const Case *c, bool has_tf32);

// -- kernels*.c --------------------------------------------------------------

// Adds the kernel; with `magnitudes` one that sums absolute values instead.
Function *case_build(Module *m, const Case *c, const char *name,
                     bool magnitudes);

typedef struct {
  Builder b;
  const Case *c;
  bool magnitudes;
  Value *args[NUM_INPUTS + 2]; // inputs, output, n
} Kernel;

const Type *kernel_tile(Kernel *k, int rank, const int64_t *shape, Elem elem);
// The case's tile of elements, or a scalar.
const Type *kernel_type(Kernel *k, Elem elem);
// Input i in the case's shape, the elements that are not there masked off.
Value *kernel_input(Kernel *k, int input);
// Input i, all of it, as a tile of that shape.
Value *kernel_read(Kernel *k, int input, int rank, const int64_t *shape);
// Writes to the output, from its start; `masked`: the first `n` only.
void kernel_write(Kernel *k, Value *value, bool masked);
Value *kernel_scalar(Kernel *k, Elem elem, int64_t value);
Value *kernel_absolute(Kernel *k, Value *value); // with magnitudes, if a float
Value *kernel_fold(Kernel *k, OpKind kind, OpKind combine, Value *value,
                   int axis, bool reverse);

void build_shape_case(Kernel *k);
void build_block_case(Kernel *k);
void build_control_case(Kernel *k);

// -- bounds.c ----------------------------------------------------------------

// The result of the interpreter for one element.
typedef struct {
  uint64_t value;   // encoded
  double magnitude; // the sum of absolute values
  bool on_gpu;      // the bounds are those of GPUs
  bool is_product;  // the exact product of a FAMILY_FUSED is not 0
} Expected;

// May the device give `got`, encoded too?
bool case_agrees(const Case *c, const Expected *expected, uint64_t got);
// May a GPU take denormal inputs for zeros?
bool case_may_flush(const Case *c);

// A row of unsupported.def.
typedef struct {
  const char *device;
  OpKind op;
  Elem elem; // ELEM_COUNT: all
  const char *reason;
} Unsupported;

extern const Unsupported unsupported_table[]; // ends where there is no reason
enum { MAX_UNSUPPORTED = 64 };
// The row that allows the device to refuse the case, or -1.
int case_unsupported(const char *device, const Case *c);

#endif
