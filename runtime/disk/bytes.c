// bytes.c -- reads numbers and blocks of bytes, one behind the other.
#include "runtime/disk/bytes.h"

#include <assert.h>
#include <string.h>

Bytes bytes_of_text(const char *text) {
  return (Bytes){text ? text : "", text ? strlen(text) : 0};
}

bool bytes_same(Bytes a, Bytes b) {
  return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static const char *take(ByteReader *from, size_t size) {
  assert(from->at <= from->end && "behind the end"); // I7
  const char *at = from->at;
  if (from->bad || size > (size_t)(from->end - at)) {
    from->bad = true;
    return NULL;
  }
  from->at += size;
  return at;
}

void bytes_read_raw(ByteReader *from, void *to, size_t size) {
  const char *at = take(from, size);
  if (at) memcpy(to, at, size);
  if (!at) memset(to, 0, size);
}

uint64_t bytes_read_number(ByteReader *from) {
  uint64_t number;
  bytes_read_raw(from, &number, sizeof number);
  return number;
}

Bytes bytes_read_block(ByteReader *from) {
  const uint64_t size = bytes_read_number(from);
  if (size > (size_t)(from->end - from->at)) from->bad = true;
  const char *data = take(from, (size_t)size);
  const char *nul = take(from, 1);
  if (nul && !*nul) return (Bytes){data, (size_t)size};
  from->bad = true;
  return (Bytes){"", 0};
}

const char *bytes_read_text(ByteReader *from) {
  return bytes_read_number(from) ? bytes_read_block(from).data : NULL;
}

size_t bytes_read_count(ByteReader *from, size_t size) {
  const uint64_t count = bytes_read_number(from);
  if (count <= (size_t)(from->end - from->at) / size) return (size_t)count;
  from->bad = true;
  return 0;
}
