#!/bin/sh
# packed_user.sh CMAKE PREFIX -- builds a program whose kernels are compiled
# when it is, with what is installed in PREFIX, and runs it.
set -eu
cmake=$1 prefix=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(packed C)
find_package(Tile 0.1 REQUIRED)
add_executable(packed main.c)
tile_add_pack(packed NAME kernels FILES add.tile VARIANTS add.variants
              TARGETS cpu OPTIONS --cache-dir=off)
END
cat >"$work/main.c" <<END
#include "kernels.h"
#include <stdio.h>
int main(void) {
  static float x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, z[3];
  TilertPack *pack;
  TilertDevice *device;
  if (kernels_open(&pack, NULL) ||
      tilert_device_open("cpu", NULL, &device, NULL) ||
      kernels_add(device, pack, NULL, 1, 1, 1, x, y, z, 3, NULL))
    return 1;
  printf("%g %g %g\n", z[0], z[1], z[2]);
  tilert_device_close(device);
  tilert_pack_close(pack);
  return 0;
}
END
cp "$(dirname "$0")"/packs/add.* "$work"
"$cmake" -S "$work" -B "$work/build" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/build" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
"$work/build/packed" | grep -x '5 7 9'
