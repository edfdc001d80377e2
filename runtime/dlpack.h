// dlpack.h -- buffers whose memory belongs to another library's tensor.
#ifndef TILE_RUNTIME_DLPACK_H
#define TILE_RUNTIME_DLPACK_H

#include "runtime/device/device.h"

// Releases the memory, once no launch may use it any more.
void dlpack_release(const TileBuffer *buffer);

#endif
