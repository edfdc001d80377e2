// runtime.h -- the part of CUDA's runtime library that CUTLASS's host side
// needs, by functions of the driver; it takes the module as PTX.
#ifndef TILE_TESTS_SIM_CUTLASS_RUNTIME_H
#define TILE_TESTS_SIM_CUTLASS_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A context, with the PTX of the file for its launches; false, after a message,
// if that fails.
bool runtime_start(const char *ptx_file);

// A copy of `from`, or unwritten bytes.
void *device_copy(const void *from, size_t bytes);
// Waits for all launches; false if one has failed.
bool device_read(void *to, const void *from, size_t bytes);
void device_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
