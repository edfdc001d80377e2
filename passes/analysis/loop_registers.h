// loop_registers.h -- how many registers a loop of dots takes, roughly.
#ifndef TILE_PASSES_LOOP_REGISTERS_H
#define TILE_PASSES_LOOP_REGISTERS_H

#include "ir/op.h"
#include "ir/target.h"

enum { AMPLE_REGISTERS = 128 }; // with as many as these there is room

typedef Vec(Op *) FragmentOps;

// Words of 32 bits, of tiles in a thread.
typedef struct {
  int64_t all;  // at once
  int64_t sums; // of those, the dots' results that are carried, too
  int num_dots;
  FragmentOps operands; // conversions before the loop that feed its dots
} LoopWords;

// Words of 32 bits that a thread holds of a tile; 0 of anything else.
int64_t registers_words(const Type *type);
LoopWords loop_words(Op *loop);

// The registers of a thread that holds so many words at once.
int64_t registers_of(int64_t words);
// The number of programs of such threads that an SM has registers for.
int64_t registers_programs(const Target *target, int num_warps,
                           int64_t registers);

#endif
