#!/bin/sh
# packs_doc.sh ROOT BUILD -- the program that docs/packs.md shows compiles, by
# the library and by the archive, and runs.
set -eu
root=$1 build=$2
if grep -q '^TILE_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
  echo "SKIP: a sanitized library wants a sanitized program"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed -n '/^```c$/,/^```$/p' "$root/docs/packs.md" | sed '/^```/d' >main.c
sed -n '/^    # KERNEL(SIG/,/^$/p' "$root/docs/packs.md" | sed 's/^    //' >kernels.variants
"$build/bin/tilec" pack "$root/tests/runtime/packs/add.tile" --cache-dir=off \
  --variants=kernels.variants -o kernels.c --header=kernels.h
flags="-std=c99 -Wall -Wextra -Wpedantic -Werror -I$root/runtime/include"
# shellcheck disable=SC2086
cc $flags main.c kernels.c -L"$build/runtime/rt" -ltilert -o main \
  "-Wl,-rpath,$build/runtime/rt"
./main
# shellcheck disable=SC2086
cc $flags main.c kernels.c "$build/runtime/rt/libtilert.a" -o alone
./alone
if command -v c++ >/dev/null; then
  cp main.c main.cpp
  cc $flags -c kernels.c
  c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$root/runtime/include" \
    main.cpp kernels.o "$build/runtime/rt/libtilert.a" -o cxx
  ./cxx
fi
