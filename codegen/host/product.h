// product.h -- matrix products: shared by their blocks and packed operands.
#ifndef TILE_CODEGEN_HOST_PRODUCT_H
#define TILE_CODEGEN_HOST_PRODUCT_H

#include "codegen/host/nest.h"

enum { MAX_ROWS = 8, MAX_VECTORS = 2, REST_ROWS = 4 };

// The products that one instruction adds to a lane of sums.
typedef enum {
  UNIT_FMA,   // one product
  UNIT_PAIRS, // two, of bf16; reads denormals as 0
  UNIT_QUADS, // four, of int8
  UNIT_WIDE,  // two, of int8 as int16
} Unit;

// An operand or the sums in memory, with strides in units of `type`: elements,
// or words of adjacent elements along k.
typedef struct {
  const Value *buffer;
  LLVMValueRef base; // NULL: does not exist yet
  LLVMTypeRef type;
  int64_t batch, row, column;
  LLVMValueRef row_at; // the stride of rows, if it is no constant; else NULL
  LLVMValueRef last;   // of rows that may be read; NULL: all may
  int64_t panel;       // from the first column of a block to the next column
} HostMatrix;

struct HostDot {
  Host *h;
  Nest nest;
  const Op *op;
  int64_t batches, m, n;
  int64_t k;    // words of a row of the left operand
  int64_t full; // the same in memory, if products wait for more trips
  int rows, vectors, lanes;
  int rest;      // the number of last rows that are in blocks of REST_ROWS
  int at_once;   // words along k that a trip of the inner loop multiplies
  int amx_words; // the same by AMX; 0: it is not used
  bool zero;     // the accumulator is the constant 0
  bool starts;   // the accumulator is computed block by block
  Unit unit;
  int step;   // elements in a word
  bool packs; // the operands are packed
  bool waits; // products wait for more trips
  bool alone; // sums are not read before the loop ends
  // For waiting products: words of earlier trips, and including this one.
  LLVMValueRef first, depth;
  LLVMValueRef most;  // words of these trips with an element inside the bounds,
                      // at least one; NULL: all
  LLVMValueRef words; // of `depth`, those that are multiplied
  // Is the left operand of these trips read where it is? NULL: never.
  LLVMValueRef stays;
  LLVMValueRef trip; // of the loop around the dot, from 0, with `reuse`
  Reuse *reuse;      // of b by the next program; NULL: none
  HostMatrix a, b, c;
  Coord at[3];            // of a block: batch, row, column
  Spare memory[2];        // for a and b, if they are packed and do not wait
  const Op *ahead[2];     // loads of a and b that are prefetched
  LLVMValueRef rows_left; // from the block's first row to a.last, if it is set
  LLVMValueRef bias[MAX_VECTORS]; // of UNIT_QUADS: excess of the sums
  LLVMValueRef denormals;         // of UNIT_PAIRS: is an operand denormal?
  // Rows and columns that are multiplied, a multiple of blocks; NULL: all.
  LLVMValueRef end[2];
  LLVMValueRef stored; // with `rest`: rows that are stored; NULL: all
  bool has_edges;      // they were searched
};

// Is the left operand packed with 128 added, as the instruction reads it as
// unsigned?
static inline bool product_has_bias(const HostDot *d) {
  return d->unit == UNIT_QUADS && !d->amx_words;
}

// Does the op load a tile?
static inline bool product_loads(const Op *op) {
  return op->kind == OP_load || op->kind == OP_load_block ||
         op->kind == OP_load_desc;
}

// Does the load of a right operand find columns, whose words it can load as
// vectors, instead of rows? The operand is then packed like a transpose.
bool product_lies_by_k(const HostDot *d, const Op *load);

// Can the dot's right operand be packed at this load, if the dot packs?
bool product_may_pack(Host *h, const Op *load);

// The facts about a dot, computed at the first call for one of its operands.
HostDot *product_of(Host *h, const Op *dot);

// Packs an operand (pack.c) into the words and the order that blocks read: from
// the buffer `from`, or, if that has no base, as it is loaded or computed.
// `*denormal` becomes the test whether it has one; NULL: none is needed.  False
// after a diagnostic.
bool product_pack(HostDot *d, const Value *value, HostMatrix from, bool is_left,
                  LLVMValueRef *denormal);

// Prefetches a part of the next trips' operands, from within the block at `row`
// and `column` of the sums.
void product_ask_ahead(HostDot *d, LLVMValueRef row, LLVMValueRef column);

// In the last trip: prefetches the memory in which the block of sums at `row`
// and `column` is stored after the loop, if its address can be known.
void product_ask_for_sums(HostDot *d, LLVMValueRef row, LLVMValueRef column);

// Finds d->end, beyond which the store of the sums writes no rows and columns.
// False after a diagnostic.
bool product_find_edges(HostDot *d);

// Finds d->most, if both operands are 0 beyond the bounds of their windows.
void product_find_most(HostDot *d);
// Finds d->words.
void product_find_words(HostDot *d);
// Adds the zero that words beyond d->most would have added: it turns -0 to 0.
void product_add_zero(HostDot *d);
// Finds d->stays, if a window's rows may be read in place by all trips that are
// multiplied at once.  False after a diagnostic.
bool product_find_stay(HostDot *d, const Op *load);
// The left operand's matrix: the packed one, or that in place.
void product_choose_left(HostDot *d, const Op *load);

// One nest that multiplies packed operands or buffers (dot.c).  False after a
// diagnostic.
bool product_multiply(HostDot *d);

// Addresses of elements of a matrix: `at` strides from `base`, or `by` units.
LLVMValueRef matrix_offset(Host *h, const HostMatrix *x, LLVMValueRef base,
                           LLVMValueRef at, int64_t stride);
LLVMValueRef matrix_shift(Host *h, const HostMatrix *x, LLVMValueRef base,
                          int64_t by);
// The address of row `at`.
LLVMValueRef matrix_row(Host *h, const HostMatrix *x, LLVMValueRef base,
                        LLVMValueRef at);

// The bytes of the right operand's panels that are multiplied at once.
size_t product_panel_bytes(const HostDot *d);

// -- AMX (amx.c) -------------------------------------------------------------

// Do its registers multiply this?
bool amx_suits(const Host *h, const HostDot *d);
// Rows of a block, and words along k that one instruction multiplies.
int amx_rows(const HostDot *d);
int amx_words(const HostDot *d);
// Adds the products of all words to a block of sums.
void amx_block(HostDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

// -- Packing (pack.c) --------------------------------------------------------

enum { PACK_LOOPS = 4 };

// How denormals of bf16 are found.
typedef enum {
  SEARCH_NONE,    // not at all
  SEARCH_WORDS,   // in words: see LanePack.carried
  SEARCH_ROUNDED, // before f32 is rounded, by the instruction for pairs
} DenormalSearch;

typedef struct {
  HostDot *d;
  const Value *value;
  const Value *rows;   // evaluated, then transposed and rounded
  HostMatrix from, to; // from.base NULL: the value is computed
  bool is_left, inside;
  DenormalSearch search;
  // Each loop carries the minimum of twice the bits of an element, minus one:
  // the sign drops out, and zero becomes the largest number. SEARCH_ROUNDED:
  // whether there was a denormal.
  int carried[PACK_LOOPS];
  int depth;
  LLVMTypeRef bits;
} LanePack;

// The sum of coordinates times strides.
LLVMValueRef pack_place(Host *h, Coord const *at, int64_t const *strides,
                        int num);
// Adjacent elements of a row, or of a column of a buffer: at[] is batch, row,
// column.  NULL after a diagnostic.
LLVMValueRef pack_take(LanePack *p, Coord const *at, int lanes);
// The type of an element of a word, and elements converted to it.
LLVMTypeRef pack_element(const LanePack *p);
LLVMValueRef pack_narrow(LanePack *p, LLVMValueRef x);
// Stores `x` as element `at` of a `type`.
void pack_put(Host *h, LLVMValueRef base, LLVMTypeRef type, LLVMValueRef at,
              LLVMValueRef x);
// Begins the nest that packs, with `lanes` elements at a time.  If its loops
// search words for denormals, they carry a vector of `halves` 16-bit integers.
void pack_begin(LanePack *p, int lanes, int halves);
Coord pack_loop(LanePack *p, int64_t end, int64_t step);
// Closes the innermost loop.  Returns the value that it carried; NULL: none.
LLVMValueRef pack_close(LanePack *p);
// Searches words; added at the end of the innermost loop.
void pack_look_at(LanePack *p, LLVMValueRef x);
// Ends the nest.  Is an element denormal?  NULL: not searched.
LLVMValueRef pack_end(LanePack *p);

// -- Pairs (pairs.c) ---------------------------------------------------------

// Does a right operand lie by rows along k, and is it to be packed by rows?
bool pack_is_turned(const LanePack *p);
bool pack_turned(LanePack *p, LLVMValueRef *denormal);
// Chooses the value to evaluate, and how denormals are found.
void pack_find_rows(LanePack *p);
// Two vectors of a row, as one of pairs: at[] is batch, row, column.
LLVMValueRef pack_pairs(LanePack *p, Coord const *at);

// -- Panels that are left for the next program (reuse.c) ---------------------

// This trip's panels.
LLVMValueRef reuse_memory(HostDot *d);
LLVMValueRef reuse_is_ready(const HostDot *d);
// Enclose the code that packs, which is skipped if the panels are ready.
// Returns whether there are denormals, given those of the trip; NULL: unknown.
void reuse_open(HostDot *d);
LLVMValueRef reuse_close(HostDot *d, LLVMValueRef denormal);

#endif
