#!/bin/bash
# warp_groups.sh TILEC KERNELS -- products by groups of four warps, in the
# simulator as on the CPU: KERNELS is tests/golden/ptx/wgmma.tile.  Each line of
# the table is a kernel, the types of the operands and of the result, a tile's
# sizes, warps, stages, how long K is, the largest difference, and, if limited,
# the terms of a sum: the simulator then sums as the hardware does, and without
# the limit the difference is larger.  Operands come by tensor maps, and by copies
# of threads where a row's number is no sum.
. "$(dirname "$0")/beside_cpu.sh"

# compare SOURCE INSTRUCTION: compares with the CPU's result; operands come by
# INSTRUCTION.
compare() {
  run_sim "$1"
  # PTX without these instructions would give the same results.
  has_ptx wgmma.mma_async || complain "$1" 'no group of warps multiplies'
  has_ptx "$2" || complain "$1" "no $2"
}

grid=1 result=c
sed 's/\(.\)\[:, None\] \* /(\1[:, None] ^ (K >> 31)) * /' "$kernels" \
  > "$work/copied.tile"
while read -r kernel of to m n depth warps stages k tolerance terms; do
  case $kernel in '#'*) continue ;; esac
  b_shape=${k}x$n stride=$n
  [ "$kernel" = matmul ] || b_shape=${n}x$k stride=$k
  all="a=randn:${of%/*}[${m}x$k] b=randn:${of#*/}[$b_shape]
    c=zeros:$to[${m}x$stride] K=$k a_stride=$k b_stride=$stride BLOCK_M=$m
    BLOCK_N=$n BLOCK_K=$depth${terms:+ TERMS=$terms}"
  export TILE_SIM_SUM=${terms:+hardware}
  run_cpu
  compare "$kernels" cp.async.bulk.tensor
  compare "$work/copied.tile" 'cp.async.c[ag]'
done << 'TABLE'
# kernel  of to  m n depth  warps stages  k  tolerance  terms
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
matmul_weights fp16/int8 fp32  32 128 64  4 3  320 1e-4
matmul_weights fp16/int8 fp32  64  64 64  4 2   64 1e-4
matmul_weights bf16/fp8e5 fp32 128 128 32  8 3  256 1e-4
matmul_weights fp16/fp8e4nv fp32 64 256 64 16 1 256 1e-4
matmul_terms fp8e4nv fp32  64  64 64  4 3  448 2e-3 32
matmul_terms fp8e4nv fp32 128 128 128  4 3  640 2e-3 32
matmul_terms fp8e5 fp32   128 256 128  8 3  256 2e-3 0
matmul_terms fp8e4nv fp32 128 128 128  4 2  640 6e-3 64
matmul_terms fp8e4nv fp32  64  32 128  8 1  640 6e-3 96
matmul_terms fp8e4nv fp32 128 128 128  4 3  640 1e-2 128
TABLE
exit $failed
