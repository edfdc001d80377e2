// jit_log.h -- what the driver's compiler says about a kernel.
#ifndef TILE_RUNTIME_JIT_LOG_H
#define TILE_RUNTIME_JIT_LOG_H

// Bytes that spills of the kernel store and load, both together, by the text
// of a verbose log; -1 where it does not say so.
int jit_log_spills(const char *log, const char *kernel);

#endif
