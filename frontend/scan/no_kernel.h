// no_kernel.h -- what is said where a file has no kernel.
#ifndef TILE_FRONTEND_NO_KERNEL_H
#define TILE_FRONTEND_NO_KERNEL_H

#include "frontend/module/program.h"

// `name`: of the kernel that is asked for; NULL: any.
void no_kernel_at_all(Program *program, DiagList *diags, const char *name);
// The same of `d`, which is no kernel.
void not_a_kernel(Program *program, DiagList *diags, const Definition *d);

#endif
