// loop_registers.h -- an estimate of the registers of a loop of dots.
#ifndef TILE_PASSES_LOOP_REGISTERS_H
#define TILE_PASSES_LOOP_REGISTERS_H

#include "ir/op.h"
#include "ir/target.h"

enum { AMPLE_REGISTERS = 128 }; // a thread with this many has enough room

typedef Vec(Op *) FragmentOps;

// Numbers of 32-bit words, for tiles in a thread.
typedef struct {
  int64_t all;  // at the same time
  int64_t sums; // results of dots that are carried, among these
  int num_dots;
  FragmentOps operands; // conversions before the loop that feed its dots
} LoopWords;

// The 32-bit words of a tile in a thread; 0 for other types.
int64_t registers_words(const Type *type);
LoopWords loop_words(Op *loop);

// The registers of a thread that holds `words` words at the same time.
int64_t registers_of(int64_t words);
// The number of programs with such threads for which an SM has registers.
int64_t registers_programs(const Target *target, int num_warps,
                           int64_t registers);

#endif
