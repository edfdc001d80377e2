// assembly.h -- assembly that every target understands: registers which say
// when and where a program runs.
#ifndef TILE_IR_ASSEMBLY_H
#define TILE_IR_ASSEMBLY_H

#define ASSEMBLY_CLOCK     "mov.u64 $0, %globaltimer;" // nanoseconds, i64
#define ASSEMBLY_PROCESSOR "mov.u32 $0, %smid;"        // its number, i32

#endif
