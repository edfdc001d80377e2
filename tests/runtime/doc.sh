#!/bin/sh
# doc.sh ROOT BUILD -- the programs that docs/runtime.md shows compile and run.
set -eu
root=$1 build=$2
if grep -q '^TILE_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
  echo "SKIP: a sanitized library wants a sanitized program"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^```c$/,/^```$/p' "$root/docs/runtime.md" | sed '/^```/d' >"$work/doc.c"
cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/doc.c" -o "$work/doc" \
  -I"$root/runtime/include" -L"$build/runtime" -ltile \
  "-Wl,-rpath,$build/runtime"
TILE_DEVICE=cpu "$work/doc" | grep -x '499.5 on cpu'
command -v c++ >/dev/null || exit 0
sed -n '/^```cpp$/,/^```$/p' "$root/docs/runtime.md" | sed '/^```/d' >"$work/doc.cpp"
c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$work/doc.cpp" -o "$work/docxx" \
  -I"$root/runtime/include" -L"$build/runtime" -ltile \
  "-Wl,-rpath,$build/runtime"
TILE_DEVICE=cpu "$work/docxx" | grep -x '1.5 on cpu'
