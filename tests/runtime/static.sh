#!/bin/sh
# static.sh CMAKE BUILD EXAMPLES [PROGRAM] -- links PROGRAM, tilec with LLVM's
# static libraries: it needs no LLVM then, makes the same PTX and runs kernels.
set -eu
cmake=$1 build=$2 examples=$3 static=${4:-}
if [ -z "$static" ]; then
  echo "SKIP: LLVM's static libraries are not installed, or the build has them"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --build "$build" --target tilec_static >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }

others=$(ldd "$static" | awk '{ print $1 }' | grep -v \
  -e '^linux-vdso' -e '/ld-linux' -e '^lib\(c\|m\|dl\|pthread\)\.so' \
  -e '^lib\(stdc++\|gcc_s\|z\|zstd\|tinfo\|keep_ptx\)\.so' \
  -e '/libkeep_ptx\.so$') || true
[ -z "$others" ] || { echo "it needs $others, too"; exit 1; }

types="*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:16, \
i32:16, 64, 64, 32"
for chip in sm_75 sm_80 sm_90a; do
  for program in "$build/bin/tilec" "$static"; do
    "$program" "$examples/matmul/matmul.tile" --signature="$types" \
      --target=$chip -o "$work/${program##*/}.ptx"
  done
  grep -qE 'wgmma.mma_async|mma.sync' "$work/tilec.ptx"
  cmp "$work/tilec.ptx" "$work/tilec_static.ptx"
done

add() {
  "$static" run "$examples/vector-add/vector-add.tile" --device=cpu --grid=3 \
    --arg n=3000 --arg out=empty:fp32[3000] "$@"
}
add --arg 'x=full(3.75):fp32[3000]' --arg y=zeros:fp32[3000] \
  --save "x=$work/want.npy" >"$work/log"
add --arg 'x=full(1.5):fp32[3000]' --arg 'y=full(2.25):fp32[3000]' \
  --reference "out=$work/want.npy" --tolerance=0
