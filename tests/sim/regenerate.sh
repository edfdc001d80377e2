#!/bin/sh
# regenerate.sh [NVCC] -- compile cuda/*.cu to ptx/*.ptx, which is committed.
set -eu
cd "$(dirname "$0")"
nvcc=${1:-nvcc}
for file in cuda/*.cu; do
  name=$(basename "$file" .cu)
  "$nvcc" -arch=sm_80 -ptx "$file" -o "ptx/$name.ptx"
done
for file in cuda/sm_90a/*.cu; do
  name=$(basename "$file" .cu)
  "$nvcc" -arch=sm_90a -ptx "$file" -o "ptx/$name.ptx"
done
