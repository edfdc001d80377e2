// check.h -- what else is wrong in a source that has syntax errors.
#ifndef TILE_RUNTIME_CHECK_H
#define TILE_RUNTIME_CHECK_H

#include "runtime/compile/compile.h"

// Are the types of its arguments known without a signature?
bool kernel_is_typed(const AstFunction *kernel);

// Reports the errors of a kernel without syntax errors, and takes them from
// the limit of `report`.
TileStatus kernel_check(Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization);

// The same of all such kernels whose types are known.  False when memory ran
// out.
bool unit_check(const Report *report, SourceUnit *unit);

#endif
