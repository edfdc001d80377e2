// nvptx_math.h -- elementwise operations for which PTX has better ones.
#ifndef TILE_CODEGEN_NVPTX_MATH_H
#define TILE_CODEGEN_NVPTX_MATH_H

#include "codegen/scalar.h"

// NULL: what all targets do is right.
ScalarEmitter *nvptx_scalar(const Op *op);

#endif
