// transpose.h -- exchanging the last two dimensions of tiles in memory.
#ifndef TILE_CODEGEN_TRANSPOSE_H
#define TILE_CODEGEN_TRANSPOSE_H

#include "codegen/host/host.h"

// Loops along `vec` would write a tile's buffer in steps: is it better to write
// it transposed, and then turn it?
bool transpose_wanted(const Host *h, const Type *tile, int vec);
// The tile's shape with the last two dimensions exchanged.
const Type *transpose_type(Host *h, const Type *tile);
// Turns what `from` holds, a tile of transpose_type(tile), into `tile`.
void transpose_memory(Host *h, LLVMValueRef to, LLVMValueRef from,
                      const Type *tile);
// Fills a value that is the transpose of a buffer; false if it is not one.
bool transpose_buffer(Host *h, const Value *value);

#endif
