// format.h -- the file format of a pack.
//
// A head of fixed size, then numbers and blocks as in bytes.h, in the order in
// which pack_write() adds them.
#ifndef TILE_RUNTIME_PACK_FORMAT_H
#define TILE_RUNTIME_PACK_FORMAT_H

#include <stdint.h>

#define PACK_MAGIC "tilepack"

typedef struct {
  char magic[8]; // no NUL at its end
  uint32_t version;
  uint32_t zero;     // reserved for later versions
  uint64_t size;     // of the whole pack
  uint64_t checksum; // of all bytes behind the head
} PackHead;

enum {
  PACK_PARAM_CONSTEXPR = 1,
  PACK_PARAM_DEFAULT = 2,
  PACK_PARAM_POINTER = 4,
  PACK_PARAM_FIXED = 8,
  PACK_PARAM_FLAGS = 15,
};

#endif
