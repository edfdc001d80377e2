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

if command -v pkg-config >/dev/null; then
  pc=$(find "$work/prefix" -name tile.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  cc "$program" -o "$work/user/by-pc" $(pkg-config --cflags --libs tile) \
    "-Wl,-rpath,$(pkg-config --variable=libdir tile)"
  "$work/user/by-pc"
fi
