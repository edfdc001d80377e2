// inputs.c -- all inputs of a compilation, as one key.
#include "runtime/disk/inputs.h"

#define NUMBER add_number
#define BLOCK  bytes_add_block

static void add_number(Str *out, int64_t number) {
  bytes_add_number(out, (uint64_t)number);
}

Bytes inputs_key(const DiskInputs *inputs, Arena *arena) {
  Str key = str_in(arena);
#define INPUT(name, kind, what) kind(&key, inputs->name);
#include "runtime/disk/inputs.def"
  return (Bytes){str_text(&key), key.length};
}

#undef NUMBER
#undef BLOCK
#define NUMBER (int64_t) bytes_read_number
#define BLOCK  bytes_read_block

bool inputs_read(Bytes key, DiskInputs *out) {
  const char *begin = key.data;
  ByteReader from = {begin, begin + key.size, false};
#define INPUT(name, kind, what) out->name = kind(&from);
#include "runtime/disk/inputs.def"
  return !from.bad && from.at == from.end;
}
