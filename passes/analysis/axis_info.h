// axis_info.h -- facts about the values along each dimension of a tile.
//
// Along dimension d, every aligned group of contiguity[d] elements counts up by
// one (pointers: by one element), its first value is a multiple of
// divisibility[d] (pointers: in bytes), and every aligned group of constancy[d]
// elements is equal.  All are powers of two; a scalar is a tile of one element.
//
// Example: arange(0, 64) * 4 has contiguity 1, divisibility 4 and constancy 1;
// arange(0, 64) // 4 has constancy 4.
//
// Two assumptions are made: index arithmetic does not wrap, and a nonnegative
// number divided by one of unknown sign is nonnegative.  A program that
// violates them accesses memory that it does not own.
#ifndef TILE_PASSES_AXIS_INFO_H
#define TILE_PASSES_AXIS_INFO_H

#include "ir/op.h"

// Facts about a block pointer or descriptor: that about its base in bytes, the
// others in elements.
typedef struct {
  int64_t base_divisibility;
  int64_t bound_divisibility[MAX_RANK]; // of the tensor's shape
  int64_t stride_divisibility[MAX_RANK], offset_divisibility[MAX_RANK];
  bool stride_is_one[MAX_RANK];
} WindowFacts;

typedef struct {
  int64_t contiguity[MAX_RANK], divisibility[MAX_RANK], constancy[MAX_RANK];
  bool nonnegative;
  bool known; // each element equals `value`
  int64_t value;
  const WindowFacts *window; // of block pointers and descriptors; else NULL
} AxisInfo;

typedef struct AxisAnalysis AxisAnalysis;

// Analyses the whole function; the result lives as long as `arena`, and is
// valid until the function is changed.
AxisAnalysis *axis_analyze(const Function *f, Arena *arena);
// Never NULL; an unknown value has no facts.
const AxisInfo *axis_info(const AxisAnalysis *analysis, const Value *value);

// For an op that accesses global memory by a tile of pointers, a block pointer
// or a descriptor: contiguity and divisibility of its addresses, constancy of
// its mask or bounds check.  False for other ops.
bool axis_access(const AxisAnalysis *analysis, const Op *op, AxisInfo *out);

// Elements along d that one instruction of up to 16 bytes may access.
int64_t axis_access_run(const AxisInfo *info, int d, const Type *pointers);

// Divisor of the first values of aligned groups of `size` elements along d.
int64_t axis_start_divisor(const AxisInfo *info, int d, int64_t size);

#endif
