#!/bin/sh
# packed_user.sh CMAKE PREFIX -- builds a program together with its kernels, by
# the files that are installed in PREFIX, and runs it; and again after a change
# of a file that they import. In C by make, in C++ by Ninja. And by pkg-config.
set -eu
cmake=$1 prefix=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(packed \${LANGUAGE})
find_package(Tile 0.1 REQUIRED)
add_executable(packed main.\${ENDING})
tile_add_pack(packed NAME kernels FILES add.tile VARIANTS add.variants
              TARGETS cpu \${MORE} OPTIONS \${OPTIONS} -I none)
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
cp "$work/main.c" "$work/main.cpp"
mkdir "$work/lib"
cp "$(dirname "$0")"/packs/add.* "$work"
{
  echo 'from sums import total'
  sed 's/tl.load(x + i, mask=m) + \(.*\), mask=m)$/total(tl.load(x + i, mask=m), \1), mask=m)/' \
    "$(dirname "$0")/packs/add.tile"
} >"$work/add.tile"
fail() {
  cat "$work/log"
  exit 1
}
# built RESULT OPERATOR
built() {
  printf '@jit\ndef total(a, b):\n    return a %s b\n' "$2" >"$work/lib/sums.tile"
  "$cmake" --build "$work/build" >"$work/log" 2>&1 || fail
  "$work/build/packed" | grep -x "$1"
}
more=
configure() { # configure GENERATOR LANGUAGE ENDING OPTIONS
  rm -rf "$work/build"
  "$cmake" -G "$1" -S "$work" -B "$work/build" -DLANGUAGE="$2" -DENDING="$3" -DOPTIONS="$4" \
    -DMORE="$more" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1
}
both() { # both GENERATOR LANGUAGE ENDING OPTIONS: before a change and after it
  configure "$@" || fail
  built '5 7 9' +
  built '4 10 18' '*'
}
both 'Unix Makefiles' C c '--cache-dir=off;-Ilib'
if command -v ninja >/dev/null; then both Ninja CXX cpp '--cache-dir;off;-I;lib'; fi
configure 'Unix Makefiles' NONE c '' && fail
grep 'tile_add_pack(packed): C or CXX is needed' "$work/log"
# Relative folders are those of CMakeLists.txt, wherever tilec runs.
both 'Unix Makefiles' C c '--cache-dir=kept;--include=lib'
[ -d "$work/kept" ]
rm -r "$work/kept"
both 'Unix Makefiles' C c '--include;lib;--cache-dir;kept'
[ -d "$work/kept" ]
for given in '-o;x.c' '-ox.c' '--variants=v' '--header;h' '-MF;x.d' '--output=x.c' '--target=cpu' '--cpu;x86-64'; do
  configure 'Unix Makefiles' C c "--cache-dir=off;$given" && fail
  tr -s '\n ' ' ' <"$work/log" | grep "tile_add_pack(packed): ${given%%;*} is no option for OPTIONS"
done
# An option that is abbreviated or unknown, and a misspelt keyword.
for given in '--vari=v' '--cache=off' '--fast' '--num-warps=4' '-DBLOCK=4' 'x.tile' '--debug=1'; do
  configure 'Unix Makefiles' C c "$given" && fail
  tr -s '\n ' ' ' <"$work/log" | grep -e "tile_add_pack(packed): $given is no option of tilec pack"
done
more=OPTION
configure 'Unix Makefiles' C c --cache-dir=off && fail
grep 'tile_add_pack(packed): not understood: OPTION' "$work/log"
more=

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tilert.pc)")
  export PKG_CONFIG_PATH
  cd "$work"
  "$prefix/bin/tilec" pack add.tile --variants=add.variants -I lib --cache-dir=off \
    -o kernels.c --header=kernels.h
  libdir=$(pkg-config --variable=libdir tilert)
  # shellcheck disable=SC2046
  cc main.c kernels.c $(pkg-config --cflags --libs tilert) -o by-pc "-Wl,-rpath,$libdir"
  ./by-pc | grep -x '4 10 18'
  # shellcheck disable=SC2046
  cc main.c kernels.c $(pkg-config --cflags tilert) "$libdir/libtilert.a" -lpthread -ldl -o alone
  ./alone | grep -x '4 10 18'
fi
