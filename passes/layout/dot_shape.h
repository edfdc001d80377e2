// dot_shape.h -- the arrangement of a matrix instruction's operands and result
// in lanes.
#ifndef TILE_PASSES_DOT_SHAPE_H
#define TILE_PASSES_DOT_SHAPE_H

#include "passes/analysis/analysis.h"
#include "passes/layout/dot_layouts.h"

// The shape for one dot, by the rows of dot_shapes.def.
DotShape dot_shape(Module *m, const AxisAnalysis *axes, Op *dot,
                   const Mma *mma);

// The bits of an element of an operand, if memory runs along rows of A or
// columns of B; else 0.
int dot_bits_across(Module *m, const AxisAnalysis *axes, Op *dot, int index,
                    const Layout *layout);

#endif
