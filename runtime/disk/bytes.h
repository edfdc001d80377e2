// bytes.h -- serialization: numbers and blocks of bytes, one behind the other.
//
// A block is written with a NUL behind it, so that a text is read in place.
#ifndef TILE_RUNTIME_BYTES_H
#define TILE_RUNTIME_BYTES_H

#include "ir/base/base.h"

#include <stdint.h>

typedef struct {
  const void *data;
  size_t size;
} Bytes;

// The bytes of a text, "" for NULL.
Bytes bytes_of_text(const char *text);
bool bytes_same(Bytes a, Bytes b);

void bytes_add_number(Str *out, uint64_t number);
void bytes_add_block(Str *out, Bytes block);
// NULL and "" are read back as such.
void bytes_add_text(Str *out, const char *text);

// The bytes left to be read.  Past the end every number is 0 and `bad` is set.
typedef struct {
  const char *at, *end;
  bool bad;
} ByteReader;

uint64_t bytes_read_number(ByteReader *from);
// Reads `size` bytes that are no block.
void bytes_read_raw(ByteReader *from, void *to, size_t size);
// The returned bytes lie in the input.
Bytes bytes_read_block(ByteReader *from);
const char *bytes_read_text(ByteReader *from);
// The number of items that follow, each of at least `size` bytes.
size_t bytes_read_count(ByteReader *from, size_t size);

#endif
