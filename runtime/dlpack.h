// dlpack.h -- memory of a buffer that belongs to another library's tensor.
#ifndef TILE_RUNTIME_DLPACK_H
#define TILE_RUNTIME_DLPACK_H

#include "runtime/device/device.h"

// Gives the memory back, once nothing that was launched may use it.
void dlpack_release(const TileBuffer *buffer);

#endif
