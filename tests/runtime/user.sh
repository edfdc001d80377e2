#!/bin/sh
# user.sh CMAKE PREFIX PROGRAM.c -- builds the program with the files installed
# in PREFIX, by find_package(Tile) and by pkg-config, and runs it.
set -eu
cmake=$1 prefix=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Tile 0.1 REQUIRED)
add_executable(user $program)
target_link_libraries(user PRIVATE tile::tile)
END
"$cmake" -S "$work" -B "$work/build" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/build" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
"$work/build/user"

if command -v pkg-config >/dev/null; then
  pc=$(find "$prefix" -name tile.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  cc "$program" -o "$work/by-pc" $(pkg-config --cflags --libs tile) \
    "-Wl,-rpath,$(pkg-config --variable=libdir tile)"
  "$work/by-pc"
fi
