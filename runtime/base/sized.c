// sized.c -- a caller's struct as the library itself has it.
#include "runtime/base/sized.h"

#include "runtime/errors.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define SIZED(name, type, last)                                                \
  const SizedStruct sized_##name = {                                           \
      #name, #type, offsetof(type, last) + sizeof(((type *)0)->last),          \
      sizeof(type)};
#include "runtime/base/sized.def"

static size_t size_of(const SizedStruct *sized, const void *from) {
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

TileStatus sized_check(const Report *report, const SizedStruct *sized,
                       const void *out) {
  const size_t size = size_of(sized, out);
  assert(sized->least > sizeof size && sized->least <= sized->size); // I3
  if (size >= sized->least) return TILE_OK;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_struct_too_small,
                      sized->name, sized->type, sized->least, size);
}

TileStatus sized_read(const Report *report, const SizedStruct *sized,
                      const void *from, void *to) {
  const size_t size = size_of(sized, from);
  const size_t known = size < sized->size ? size : sized->size;
  const TileStatus status = sized_check(report, sized, from);
  assert(sized->least <= sized->size && known <= sized->size); // I3
  if (status) return status;
  if (!is_zero((const unsigned char *)from + known, size - known))
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_struct_too_new,
                        sized->name, sized->type, tile_version());
  memcpy(to, from, known);
  memset((char *)to + known, 0, sized->size - known);
  memcpy(to, &sized->size, sizeof sized->size);
  return TILE_OK;
}

void sized_write(const SizedStruct *sized, const void *from, void *out) {
  const size_t size = size_of(sized, out);
  const size_t known = size < sized->size ? size : sized->size;
  const size_t head = sizeof size;
  assert(size >= sized->least && known >= head && "not checked before"); // I3
  memcpy((char *)out + head, (const char *)from + head, known - head);
  memset((char *)out + known, 0, size - known);
}
