// frames.h -- calls of recursive functions.
//
// The decoder expands a recursive function once, around the calls to itself.  A
// call saves the registers of the expansion, allocates local memory for its
// variables, and goes to its start; the end returns to the lane's caller.
//
// For example, fib(n) contains two calls of fib: they have the numbers 1 and 2,
// and a call by the kernel has 0.  A call stores its number in the register
// `site` of its lanes.  The end of fib reads this register: lanes with 1 go on
// behind the first call, lanes with 2 behind the second, lanes with 0 in the
// kernel.
#ifndef TILE_SIMULATOR_FRAMES_H
#define TILE_SIMULATOR_FRAMES_H

#include "runtime/simulator/ptx/ptx.h"

// The meaning of a name in a function's text.
typedef enum {
  SYMBOL_REG,
  SYMBOL_VECTOR, // of registers: elements
  SYMBOL_RANGE,  // %r<100>
  SYMBOL_PARAM,  // of the kernel: offset
  SYMBOL_VAR,    // address in a space
  SYMBOL_LABEL,
} PtxSymbolKind;

typedef struct PtxSymbol {
  PtxSymbolKind kind;
  const struct FunctionFrame *frame; // frame of the address; NULL: none
  uint8_t size;                      // bytes of a register, 0 for a predicate
  uint8_t type;                      // TypeId of a register
  uint8_t count;                     // elements of a vector; 0: it is none
  uint8_t space;
  struct PtxSymbol *elements;
  uint32_t offset; // in the file
  uint64_t address, bytes;
  uint32_t unit; // bytes that an index counts; 0: no index
  int64_t range;
  uint32_t place; // of a label
  bool placed;
  // The first and the last mention of a register.
  bool is_used;
  uint32_t first_use, last_use;
  struct PtxSymbol *next_register; // in the list of used registers
} PtxSymbol;

// The place of an argument or result.
typedef struct Spot {
  bool in_register;
  uint8_t size;            // of the register
  uint32_t offset;         // of the register, or in local memory
  const PtxSymbol *symbol; // in local memory
} Spot;

typedef struct Transfer {
  Spot from, to;
  uint32_t bytes;
} Transfer;

typedef struct SavedRegister {
  uint32_t offset, size;
} SavedRegister;

// The expansion of a function, at decode time and at run time.
typedef struct FunctionFrame {
  const PtxFunction *function;
  struct FunctionFrame *outer;
  uint32_t base, site; // registers: its local memory, the place of its call
  uint32_t bytes;      // of local memory
  SavedRegister *saved;
  size_t num_saved, saved_bytes;
  PtxSymbol *entry;
  uint32_t num_sites; // inner calls
  Spot *params, *results;
  struct FrameCall *calls; // from inside
} FunctionFrame;

typedef struct FrameCall {
  const FunctionFrame *frame;
  uint32_t site; // 0: from outside
  PtxSymbol *back;
  Transfer *args, *results;
  uint32_t num_args, num_results;
  uint32_t bytes; // bytes of all arguments, or of all results, whichever are
                  // more
  struct FrameCall *next;
} FrameCall;

#endif
