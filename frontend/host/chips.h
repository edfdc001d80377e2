// chips.h -- a program whose modules ask what GPU there is.
//
// Conditions of a module are decided once, when its file is read.  Those that
// ask for the GPU are decided for the one that code is made for at that time;
// for another one the program is read again.
#ifndef TILE_FRONTEND_CHIPS_H
#define TILE_FRONTEND_CHIPS_H

#include "frontend/module/program.h"

// 80 for sm_80, 0 for the CPU.
int chip_of(const Target *target);

// A condition of a module is about to be told of program->target.
void chip_was_asked(Program *program);

// Turns to `target`: makes of both what they are there.  False after an error:
// there the kernel is missing, or has other parameters.
bool chip_turn(Program **program, const AstFunction **kernel,
               const Target *target, DiagList *diags);

#endif
