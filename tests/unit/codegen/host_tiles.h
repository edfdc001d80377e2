// host_tiles.h -- kernels of the host's tests, as texts with a few shorthands:
// LOAD and STORE move a whole row-major tile between memory and a value.
#ifndef TILE_TESTS_HOST_TILES_H
#define TILE_TESTS_HOST_TILES_H

#include "host_kit.h"

static const int64_t one[] = {1, 1, 1};
static const HostArg data_256 = {.count = 256, .low = -2, .high = 2};

// Tile %name of m x n elements at pointer %ptr.
#define PLACE(name, ptr, m, n, elem)                                           \
  "  %" name "r = arange {start = 0, end = " #m "} : tile<" #m "xi32>\n"       \
  "  %" name "c = arange {start = 0, end = " #n "} : tile<" #n "xi32>\n"       \
  "  %" name "r1 = expand_dims %" name "r {axis = 1} : tile<" #m "x1xi32>\n"   \
  "  %" name "c1 = expand_dims %" name "c {axis = 0} : tile<1x" #n "xi32>\n"   \
  "  %" name "k = constant {value = " #n "} : tile<" #m "x1xi32>\n"            \
  "  %" name "r2 = muli %" name "r1, %" name "k : tile<" #m "x1xi32>\n"        \
  "  %" name "r3 = broadcast %" name "r2 : tile<" #m "x" #n "xi32>\n"          \
  "  %" name "c3 = broadcast %" name "c1 : tile<" #m "x" #n "xi32>\n"          \
  "  %" name "o = addi %" name "r3, %" name "c3 : tile<" #m "x" #n "xi32>\n"   \
  "  %" name "s = splat %" ptr " : tile<" #m "x" #n "xptr<" elem ">>\n"        \
  "  %" name "p = addptr %" name "s, %" name "o : tile<" #m "x" #n             \
  "xptr<" elem ">>\n"
#define LOAD(name, ptr, m, n, elem)                                            \
  PLACE(name, ptr, m, n, elem)                                                 \
  "  %" name " = load %" name "p : tile<" #m "x" #n "x" elem ">\n"
#define STORE(name, value, ptr, m, n, elem)                                    \
  PLACE(name, ptr, m, n, elem) "  store %" name "p, %" value "\n"
#define KERNEL(params, body) "kernel @k(" params ") {\n" body "  return\n}\n"

#endif
