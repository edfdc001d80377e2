// product.h -- matrix products: what their blocks and packed operands share.
#ifndef TILE_CODEGEN_HOST_PRODUCT_H
#define TILE_CODEGEN_HOST_PRODUCT_H

#include "codegen/host/nest.h"

enum { MAX_ROWS = 8, MAX_VECTORS = 2 };

// The products that one instruction adds to a lane of sums.
typedef enum {
  UNIT_FMA,   // one product
  UNIT_PAIRS, // two, of bf16; takes denormals for 0
  UNIT_QUADS, // four, of int8
} Unit;

// An operand or the sums in memory, by strides of `type`: of elements, or of
// words that hold the neighbours along k that a unit takes.
typedef struct {
  const Value *buffer;
  LLVMValueRef base; // NULL: not there yet
  LLVMTypeRef type;
  int64_t batch, row, column;
  int64_t panel; // from the column where a block begins to the next column
} HostMatrix;

struct HostDot {
  Host *h;
  Nest nest;
  const Op *op;
  int64_t batches, m, n;
  int64_t k;    // words of a row of the left operand
  int64_t full; // the same in memory, where products wait for more trips
  int rows, vectors, lanes;
  bool zero; // the accumulator is the constant 0
  Unit unit;
  int step;   // elements of a word
  bool packs; // are the operands packed?
  bool waits; // do products wait for more trips?
  // If a product waits: words of the trips before this one, and with it.
  LLVMValueRef first, depth;
  LLVMValueRef group; // of the trips that are multiplied at once, from 0
  HostMatrix a, b, c;
  Spare memory[2];    // of a and b, if they are packed and do not wait
  const Op *ahead[2]; // the loads of a and b, of which more is asked for
  LLVMValueRef bias[MAX_VECTORS]; // of UNIT_QUADS: more than the sums
  LLVMValueRef denormals;         // of UNIT_PAIRS: is one among the operands?
};

// The facts about a dot, made for the first of its operands that asks.
HostDot *product_of(Host *h, const Op *dot);

// Packs an operand (pack.c) in the words and the order in which blocks read it:
// from the buffer `from`, or if that has no base, as it is loaded or computed.
// Adds to `denormals`.  False after a diagnostic.
bool product_pack(HostDot *d, const Value *value, HostMatrix from,
                  bool is_left);

// Asks for a share of what the operands of the next trips are in memory, from
// within the block at `row` and `column` of the sums.
void product_ask_ahead(HostDot *d, LLVMValueRef row, LLVMValueRef column);

// The store of the sums behind the loop, once its address is known; NULL: none.
const Op *product_open_store(HostDot *d);
// Asks for where it stores the block at `row` and `column`.
void product_ask_for_sums(HostDot *d, const Op *store, LLVMValueRef row,
                          LLVMValueRef column);

// One nest that multiplies what is packed, or in buffers (dot.c).
void product_multiply(HostDot *d);

// The bytes of the right operand's panels that are multiplied at once.
size_t product_panel_bytes(const HostDot *d);

// -- Panels that are left for the next program (reuse.c) ----------------------

bool reuse_is_of(const HostDot *d);
// This trip's panels.
LLVMValueRef reuse_memory(HostDot *d);
LLVMValueRef reuse_is_ready(const HostDot *d);
// Around the code that packs, which is left out if they are ready.  Returns if
// there are denormals, given those of the trip; NULL: nobody looked.
void reuse_open(HostDot *d);
LLVMValueRef reuse_close(HostDot *d, LLVMValueRef denormal);

#endif
