#!/bin/sh
# run.sh LIBTILESIM WORK -- runs kernels of CUTLASS, compiled in WORK by nvcc,
# in every schedule: all values are right, and nothing is reported.
#
# $TILE_CUTLASS_PYTHON, or python3, must have `nvidia-cutlass`.
set -eu
library=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
python=${TILE_CUTLASS_PYTHON:-python3}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

skip() {
  echo "SKIP: $1"
  exit 77
}

[ -x "$nvcc" ] || skip "there is no nvcc"
command -v "$python" > /dev/null || skip "there is no $python"
package=$("$python" -c '
import importlib.util
print(importlib.util.find_spec("cutlass_library").submodule_search_locations[0])
' 2> /dev/null) || skip "$python has no nvidia-cutlass"

# Compiling takes a minute, so that build() runs again only if a file has
# changed.
build() {
  "$nvcc" -std=c++17 -w --expt-relaxed-constexpr -O1 -cudart=none \
    -gencode arch=compute_90a,code=compute_90a \
    -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL=1 \
    -I"$package/source/include" --keep --keep-dir "$work" \
    -o "$work/gemm" "$here/gemm.cu" "$here/runtime.c" "$library" \
    -Xlinker "-rpath=$(dirname "$library")"
}

mkdir -p "$work"
is_built=yes
for file in gemm.cu runtime.c runtime.h run.sh; do
  [ "$work/gemm" -nt "$here/$file" ] || is_built=
done
[ -f "$work/gemm.ptx" ] && [ -n "$is_built" ] || build

export TILE_SIM_CHIP=sm_90 TILE_SIM_REPORT="$work/report"
for schedule in late early 7; do
  rm -f "$work/report"
  TILE_SIM_SCHEDULE=$schedule "$work/gemm" "$work/gemm.ptx"
  if [ -s "$work/report" ]; then
    cut -c1-2000 "$work/report"
    exit 1
  fi
done
