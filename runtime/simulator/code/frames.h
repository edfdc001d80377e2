// frames.h -- calls of functions that may be called again before they return.
//
// Such a function is expanded once around the calls to itself.  A call saves
// the registers of the expansion, gives its variables new local memory, and
// goes to its start; the end goes back to where the lane was called from.
#ifndef TILE_SIMULATOR_FRAMES_H
#define TILE_SIMULATOR_FRAMES_H

#include "runtime/simulator/decode/decode.h"

// The place of an argument or result.
typedef struct Spot {
  bool in_register;
  uint8_t size;         // of the register
  uint32_t offset;      // of the register, or in local memory
  const Symbol *symbol; // in local memory
} Spot;

typedef struct Transfer {
  Spot from, to;
  uint32_t bytes;
} Transfer;

typedef struct SavedRegister {
  uint32_t offset, size;
} SavedRegister;

// The expansion of a function, while it is decoded and when it runs.
typedef struct Frame {
  const PtxFunction *function;
  struct Frame *outer;
  uint32_t base, site; // registers: its local memory, where to go back to
  uint32_t bytes;      // of local memory
  SavedRegister *saved;
  size_t num_saved, saved_bytes;
  Symbol *entry;
  uint32_t num_sites; // calls from inside
  Spot *params, *results;
  struct FrameCall *calls; // from inside
} Frame;

typedef struct FrameCall {
  const Frame *frame;
  uint32_t site; // 0: from outside
  Symbol *back;
  Transfer *args, *results;
  uint32_t num_args, num_results;
  uint32_t bytes; // of all arguments, or of all results, if these are more
  struct FrameCall *next;
} FrameCall;

// The operands of a call.
typedef struct CallText {
  const PtxOperand *results, *callee, *args; // of lists, NULL: none
  const PtxOperand *list; // of targets, or a prototype; NULL: neither
} CallText;

// False where the callee is no name.
bool read_call(const PtxStmt *stmt, CallText *call);
// Of the targets that the text lists, or else of all functions that fit and
// that something points to.
bool may_be_target(const PtxFunction *f, const PtxStmt *targets,
                   const PtxOperand *results, const PtxOperand *args);
// Whether a call of the function may lead to another one.
bool function_recurs(const Decoder *d, PtxFunction *function);
// Expands it around calls to itself.
bool expand_frame(Decoder *d, const PtxFunction *callee,
                  const PtxOperand *results, const PtxOperand *args);
// Calls one that is being expanded.
bool call_frame(Decoder *d, const PtxFunction *callee,
                const PtxOperand *results, const PtxOperand *args);

#endif
