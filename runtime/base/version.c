// version.c -- the version of the library.
#include "tile/tile.h"

#define TEXT_OF(x)  #x
#define EXPANDED(x) TEXT_OF(x)

const char *tile_version(void) {
  return EXPANDED(TILE_VERSION_MAJOR) "." EXPANDED(
      TILE_VERSION_MINOR) "." EXPANDED(TILE_VERSION_PATCH);
}
