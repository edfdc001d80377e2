// header_c.c -- tile/tile.h compiles alone, first, as strict C11.
#include "tile/tile.h"

int main(void) {
  return tile_version()[0] ? 0 : 1;
}
