#!/bin/sh
# install.sh CMAKE BUILD PROGRAM.c -- installs into a fresh prefix and builds
# the program there.
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
"$(dirname "$0")/user.sh" "$cmake" "$work/prefix" "$program"
"$(dirname "$0")/packed_user.sh" "$cmake" "$work/prefix"
