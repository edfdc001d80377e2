#!/bin/sh
# install.sh CMAKE BUILD PROGRAM.c -- installs into a fresh prefix and builds
# the program there, by find_package(Tile) and by pkg-config.
set -eu
cmake=$1 build=$2 program=$3
if grep -q '^TILE_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
  echo "SKIP: a sanitized library wants a sanitized program"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log" ||
  { cat "$work/log"; exit 1; }
"$work/prefix/bin/tilec" --version

mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Tile 0.1 REQUIRED)
add_executable(user $program)
target_link_libraries(user PRIVATE tile::tile)
END
"$cmake" -S "$work/user" -B "$work/user/build" \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/user/build" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
"$work/user/build/user"

# A program whose kernels are compiled when it is, and that has no compiler.
mkdir "$work/packed"
cat >"$work/packed/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(packed C)
find_package(Tile 0.1 REQUIRED)
add_executable(packed main.c)
tile_add_pack(packed NAME kernels FILES add.tile VARIANTS add.variants
              TARGETS cpu OPTIONS --cache-dir=off)
END
cat >"$work/packed/main.c" <<END
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
cp "$(dirname "$0")"/packs/add.* "$work/packed"
"$cmake" -S "$work/packed" -B "$work/packed/build" \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/packed/build" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
"$work/packed/build/packed" | grep -x '5 7 9'

if command -v pkg-config >/dev/null; then
  pc=$(find "$work/prefix" -name tile.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  cc "$program" -o "$work/user/by-pc" $(pkg-config --cflags --libs tile) \
    "-Wl,-rpath,$(pkg-config --variable=libdir tile)"
  "$work/user/by-pc"
fi
