// sized.c -- converts a caller's struct to the library's version of it, and
// back.
#include "runtime/base/sized.h"

#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

static TileStatus too_small(const Report *report, const SizedStruct *sized,
                            const void *from) {
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_struct_too_small,
                      sized->name, sized->type, sized->least,
                      sized_size(sized, from));
}

TileStatus sized_check(const Report *report, const SizedStruct *sized,
                       const void *out) {
  assert(sized->least > sizeof sized->size &&
         sized->least <= sized->size); // I3
  if (sized_size(sized, out) >= sized->least) return TILE_OK;
  return too_small(report, sized, out);
}

TileStatus sized_read(const Report *report, const SizedStruct *sized,
                      const void *from, void *to) {
  switch (sized_copy(sized, from, to)) {
  case SIZED_TOO_SMALL: return too_small(report, sized, from);
  case SIZED_TOO_NEW:
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_struct_too_new,
                        sized->name, sized->type, tile_version());
  case SIZED_FINE: break;
  }
  return TILE_OK;
}

void sized_write(const SizedStruct *sized, const void *from, void *out) {
  const size_t size = sized_size(sized, out);
  const size_t known = size < sized->size ? size : sized->size;
  const size_t head = sizeof size;
  assert(size >= sized->least && known >= head && "not checked before"); // I3
  memcpy((char *)out + head, (const char *)from + head, known - head);
  memset((char *)out + known, 0, size - known);
}
