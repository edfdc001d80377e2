// sized_copy.c -- copies a caller's struct to the library's version of it.
//
// libtilert has this file, too: each library reports errors in its own way.
#include "runtime/base/sized.h"

#include <stddef.h>
#include <string.h>

#define SIZED(name, type, last)                                                \
  const SizedStruct sized_##name = {                                           \
      #name, #type, offsetof(type, last) + sizeof(((type *)0)->last),          \
      sizeof(type)};
#include "runtime/base/sized.def"

size_t sized_size(const SizedStruct *sized, const void *from) {
  size_t size;
  memcpy(&size, from, sizeof size);
  return size ? size : sized->least;
}

static bool is_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (bytes[i]) return false;
  }
  return true;
}

SizedState sized_copy(const SizedStruct *sized, const void *from, void *to) {
  const size_t size = sized_size(sized, from);
  const size_t known = size < sized->size ? size : sized->size;
  if (size < sized->least) return SIZED_TOO_SMALL;
  if (!is_zero((const unsigned char *)from + known, size - known))
    return SIZED_TOO_NEW;
  memcpy(to, from, known);
  memset((char *)to + known, 0, sized->size - known);
  memcpy(to, &sized->size, sizeof sized->size);
  return SIZED_FINE;
}
