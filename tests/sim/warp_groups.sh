#!/bin/bash
# warp_groups.sh TILEC KERNELS -- products by groups of four warps, in the
# simulator as on the CPU: KERNELS is tests/golden/ptx/wgmma.tile.  Each line of
# the table is a kernel, the types of the operands and of the result, a tile's
# sizes, warps, stages and how long K is.  Operands come by tensor maps, and by
# copies of threads where rows have numbers that are no sum.
set -u
tilec=$1 kernels=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TILE_SIM_CHIP=sm_90 TILE_SIM_CHECKS=strict TILE_SIM_PTX=$work
failed=0

# run_on DEVICE OPTION...: of the case that is read.
run_on() {
  local device=$1 b_shape=${k}x$n b_stride=$n
  shift
  if [ "$kernel" = matmul_nt ]; then b_shape=${n}x$k b_stride=$k; fi
  "$tilec" run "$source" --kernel="$kernel" --device="$device" --grid=1 \
    --num-warps="$warps" --num-stages="$stages" -D BLOCK_M="$m" \
    -D BLOCK_N="$n" -D BLOCK_K="$depth" --arg "a=randn:${of%/*}[${m}x$k]" \
    --arg "b=randn:${of#*/}[$b_shape]" --arg "c=zeros:$to[${m}x$b_stride]" \
    --arg K="$k" --arg a_stride="$k" --arg b_stride="$b_stride" "$@" 2>&1
}

# Not all: PTX without these instructions would give the same.
uses_groups() {
  grep -q wgmma.mma_async "$work"/*.ptx
}

# compare SOURCE INSTRUCTION: with what the CPU computes; operands come by it.
compare() {
  source=$1
  rm -f "$work"/*.ptx
  if ! out=$(run_on sim --reference c="$work/want.npy" \
    --tolerance="$tolerance") || ! uses_groups ||
    ! grep -q "$2" "$work"/*.ptx; then
    echo "$2 $kernel $of ${m}x${n}x$depth w$warps s$stages K=$k: $out"
    failed=1
  fi
}

sed 's/\(.\)\[:, None\] \* /(\1[:, None] ^ (K >> 31)) * /' "$kernels" \
  > "$work/copied.tile"
while read -r kernel of to m n depth warps stages k tolerance; do
  case $kernel in '#'*) continue ;; esac
  source=$kernels
  if ! out=$(run_on cpu --save c="$work/want.npy"); then
    echo "$kernel $of on the CPU: $out"
    failed=1
  fi
  compare "$kernels" cp.async.bulk.tensor
  compare "$work/copied.tile" 'cp.async.c[ag]'
done << 'TABLE'
# kernel  of to  m n depth  warps stages  k  tolerance
matmul    fp16 fp32     64  16  16  4 3   64 1e-4
matmul    fp16 fp32     64  64  32  4 3   32 1e-4
matmul    fp16 fp32     64  64  32  4 3   64 1e-4
matmul    fp16 fp32     64  64  32  4 3  224 1e-4
matmul    fp16 fp32     64  64  32  4 2  160 1e-4
matmul    fp16 fp32     64  64  32  4 5  352 1e-4
matmul    fp16 fp32     64  64  32  4 1  160 1e-4
matmul    fp16 fp32    128 128  64  4 3  320 1e-4
matmul    bf16 fp32     64 128  64  8 3  256 1e-4
matmul    fp16 fp32     64  16  32  8 3  128 1e-4
matmul    fp16 fp32    128 256  64  8 4  256 1e-4
matmul    fp16 fp32    256  64  32  8 3  128 1e-4
matmul    fp16 fp32    128  64  32 16 3  128 1e-4
matmul_nt fp16 fp32     64  64  16  4 3  112 1e-4
matmul_nt fp16 fp32    128 128 128  4 2  256 1e-4
matmul_nt bf16 fp32    128  64  64  8 3  320 1e-4
matmul_nt fp32 fp32     64  64  32  4 3  224 3e-2
matmul_nt fp32 fp32    128  64   8  8 3  256 3e-2
matmul_nt int8 int32    64  64  64  4 3  448 0
matmul_nt int8 int32   128 128  32  8 3  256 0
matmul_nt fp8e4nv fp32  64  64  64  4 3  448 2e-2
matmul_nt fp8e5 fp32   128 128  32  8 3  256 2e-2
matmul    fp16/int8 fp32  64  64 64  4 3  320 1e-4
matmul    bf16/int8 fp32 128  64 32  8 2  128 1e-4
matmul    fp16/fp8e5 fp32 64 128 64  4 4  256 1e-4
TABLE
exit $failed
