#!/bin/sh
# run.sh CC LIBTILESIM -- builds reverse.c outside the tree and expects the race.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$1" -std=c11 -o reverse "$here/reverse.c" -ldl
TILE_SIM_REPORT=$work/report ./reverse "$2" "$here/../ptx/reverse.ptx" > out 2> err
grep -qx CUDA_ERROR_LAUNCH_FAILED out
grep -q '"kind":"race"' report
grep -q '^tilesim: race: reverse, CTA 0,0,0, warp .*, lane .*, reverse.ptx:[0-9]*:' err
# Without the fault the same program has no report.
sed 's/^.*st\.shared\.f32.*$/&\n\tbar.sync 0;/' "$here/../ptx/reverse.ptx" > right.ptx
./reverse "$2" right.ptx | grep -qx CUDA_SUCCESS
