#!/bin/bash
# few_rows.sh TILEC KERNELS -- products of few rows, in the simulator as on the
# CPU: KERNELS is tests/golden/ptx/wgmma.tile.  Each line of the table is a
# kernel, the types of the operands and of the result, a tile's sizes, warps,
# stages, how long K is, and the largest difference.
. "$(dirname "$0")/beside_cpu.sh"

grid=1 result=c
while read -r kernel of to m n depth warps stages k tolerance; do
  case $kernel in '#'*) continue ;; esac
  b_shape=${k}x$n stride=$n
  [ "$kernel" = matmul ] || b_shape=${n}x$k stride=$k
  all="a=randn:${of%/*}[${m}x$k] b=randn:${of#*/}[$b_shape]
    c=zeros:$to[${m}x$stride] K=$k a_stride=$k b_stride=$stride BLOCK_M=$m
    BLOCK_N=$n BLOCK_K=$depth"
  run_cpu
  for chip in sm_80 sm_90; do
    export TILE_SIM_CHIP=$chip
    run_sim "$kernels"
    has_ptx mma.sync || complain "$kernels" 'no matrix instruction'
  done
done << 'TABLE'
# kernel  of to  m n depth  warps stages  k  tolerance
matmul    fp16 fp32       8  16  32  1 1  96 1e-4
matmul    fp16 fp32       8 128  64  4 3 192 1e-4
matmul_nt bf16 fp32       8  32  64  8 2 192 1e-4
matmul_nt fp32 fp32       8 128  32  4 3 128 3e-2
matmul    fp32 fp32       8  64  32  4 2  96 3e-2
matmul_nt int8 int32      8 128  64  4 3 192 0
matmul_nt fp8e4nv fp32    8  64  64  4 3 192 2e-2
matmul    fp16/int8 fp32  8 128  64  4 3 192 1e-4
matmul    fp16/fp8e5 fp32 8  64  32  2 2  96 1e-4
matmul_weights fp16/int8 fp32    8 128 64  4 3 192 1e-4
matmul_weights fp16/fp8e4nv fp32 8  32 64  8 2 192 1e-4
matmul    fp16 fp32       4  64  32  4 2  96 1e-4
matmul_weights fp16/int8 fp32    1 128 64  4 3 192 1e-4
TABLE
exit $failed
