// version.c -- which release of the library this is.
#include "tile/tile.h"

#define TEXT_OF(x)  #x
#define EXPANDED(x) TEXT_OF(x)

const char *tile_version(void) {
  return EXPANDED(TILE_VERSION_MAJOR) "." EXPANDED(
      TILE_VERSION_MINOR) "." EXPANDED(TILE_VERSION_PATCH);
}
