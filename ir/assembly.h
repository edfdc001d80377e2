// assembly.h -- assembly for every target: registers that tell the time and the
// processor of a program.
#ifndef TILE_IR_ASSEMBLY_H
#define TILE_IR_ASSEMBLY_H

#define ASSEMBLY_CLOCK     "mov.u64 $0, %globaltimer;" // nanoseconds, i64
#define ASSEMBLY_PROCESSOR "mov.u32 $0, %smid;"        // its number, i32

#endif
