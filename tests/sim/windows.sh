#!/bin/bash
# windows.sh TILEC KERNELS -- tiles of pointers that are windows, in the
# simulator as on the CPU: KERNELS is tests/sim/windows.tile. Each line of the
# table is a kernel, its grid, warps, stages, the largest difference, whether it
# has tensor maps, whether it adds by tensor maps, its result and its arguments;
# a function makes the arguments of `tutorial`. Each case runs with loops that
# have roles if the compiler chooses so, and never.
. "$(dirname "$0")/beside_cpu.sh"

# tutorial_args OF TO M N K BM BN BK STRIDE_A STRIDE_B: strides of rows of a and
# b; where a stride is 0, columns are contiguous.
tutorial_args() {
  local am=$9 ak=1 bk=${10} bn=1 a=${3}x$9 b=${5}x${10}
  [ "$9" = 0 ] && am=1 ak=$3 a=${5}x$3
  [ "${10}" = 0 ] && bk=1 bn=$5 b=${4}x$5
  all="a_ptr=randn:$1[$a] b_ptr=randn:$1[$b] c_ptr=zeros:$2[${3}x$4] M=$3 N=$4
    K=$5 stride_am=$am stride_ak=$ak stride_bk=$bk stride_bn=$bn stride_cm=$4
    stride_cn=1 BM=$6 BN=$7 BK=$8"
}

# compare SOURCE: compares with the results of the CPU.
compare() {
  local found=no
  run_sim "$1"
  # A launch without maps compiles a second time.
  newest=$(ls -t "$work"/*.ptx | head -n 1)
  grep -q cp.async.bulk.tensor "$newest" && found=yes
  grep -q cp.reduce.async.bulk.tensor "$newest" && found=sums
  [ "$found" = "$maps" ] || complain "$1" "tensor maps: $found"
}

sed "s/in range(\(.*\)):/in tl.range(\1, warp_specialize=False):/" \
  "$kernels" > "$work/refused.tile"
while read -r kernel grid warps stages tolerance maps result all; do
  case $kernel in '#'* | '') continue ;; esac
  # shellcheck disable=SC2086
  case $kernel in
    tutorial) tutorial_args $all ;;
  esac
  run_cpu
  compare "$kernels"
  compare "$work/refused.tile"
done << 'TABLE'
# kernel grid warps stages tolerance maps result arguments
tutorial 4  4 3 1e-3 yes c_ptr fp16 fp32 256 256 320 128 128 64 320 256
tutorial 6  4 4 1e-3 yes c_ptr fp16 fp32 200 264 136 128 128 64 136 264
tutorial 12 4 3 1e-3 yes c_ptr fp16 fp32 193 200 72 64 64 32 80 200
tutorial 6  8 3 1e-3 yes c_ptr fp16 fp32 136 200 72 128 64 32 0 0
tutorial 4  4 2 1e-3 yes c_ptr bf16 fp32 72 66 100 64 64 32 104 72
tutorial 4  4 1 1e-3 yes c_ptr fp16 fp32 72 72 100 64 64 32 104 72
tutorial 4  8 3 3e-2 yes c_ptr fp32 fp32 72 72 100 64 64 32 100 0
tutorial 4  4 3 2e-2 yes c_ptr fp8e4nv fp32 66 72 144 64 64 64 144 0
tutorial 1  4 3 1e-3 yes c_ptr fp16 fp32 8 8 16 64 64 32 16 8
tutorial 9  2 3 1e-3 yes c_ptr fp16 fp32 40 40 80 16 16 16 80 40
# There is no map where the bytes of a row are not a multiple of 16, or are 0.
tutorial 4  4 3 1e-3 no  c_ptr fp16 fp32 72 72 100 64 64 32 100 72
tutorial 4  4 3 1e-3 no  c_ptr fp16 fp32 72 66 96 64 64 32 96 66
tutorial 4  4 3 1e-3 no  c_ptr fp16 fp32 72 72 0 64 64 32 8 72
persistent 3 4 3 4e-3 yes c_ptr a_ptr=randn:fp16[300x200] b_ptr=randn:fp16[200x200] c_ptr=zeros:fp16[300x200] M=300 N=200 K=200 BM=128 BN=64 BK=32 P=3
persistent 1 8 2 4e-3 yes c_ptr a_ptr=randn:fp16[130x96] b_ptr=randn:fp16[72x96] c_ptr=zeros:fp16[130x72] M=130 N=72 K=96 BM=128 BN=64 BK=32 P=1
persistent 2 4 3 4e-3 no  c_ptr a_ptr=randn:fp16[130x98] b_ptr=randn:fp16[72x98] c_ptr=zeros:fp16[130x72] M=130 N=72 K=98 BM=128 BN=64 BK=32 P=2
counted 3 4 3 4e-3 yes c_ptr a_ptr=randn:fp16[300x200] b_ptr=randn:fp16[200x208] c_ptr=zeros:fp16[300x208] M=300 N=208 K=200 BM=128 BN=64 BK=32 P=3
counted 1 8 2 4e-3 yes c_ptr a_ptr=randn:fp16[130x96] b_ptr=randn:fp16[96x72] c_ptr=zeros:fp16[130x72] M=130 N=72 K=96 BM=128 BN=64 BK=32 P=1
parts 2,2,3 4 3 4e-3 yes c_ptr a_ptr=randn:fp16[100x328] b_ptr=randn:fp16[328x72] c_ptr=zeros:fp32[100x72] M=100 N=72 K=328 BM=64 BN=64 BK=32 SPLIT=3
parts 2,2,3 4 3 4e-3 sums c_ptr a_ptr=randn:fp16[100x328] b_ptr=randn:fp16[328x80] c_ptr=zeros:fp32[100x80] M=100 N=80 K=328 BM=64 BN=64 BK=32 SPLIT=3
parts 1,1,2 8 2 4e-2 sums c_ptr a_ptr=randn:fp16[128x128] b_ptr=randn:fp16[128x64] c_ptr=zeros:fp16[128x64] M=128 N=64 K=128 BM=128 BN=64 BK=64 SPLIT=2
attention 2,3 4 3 4e-3 yes o_ptr q_ptr=randn:fp16[100x3x64] k_ptr=randn:fp16[72x3x64] v_ptr=randn:fp16[72x3x64] o_ptr=zeros:fp16[100x3x64] M=100 N=72 H=3 scale=0.2 D=64 BM=64 BN=32
attention 1,2 8 2 4e-3 yes o_ptr q_ptr=randn:fp16[128x2x128] k_ptr=randn:fp16[128x2x128] v_ptr=randn:fp16[128x2x128] o_ptr=zeros:fp16[128x2x128] M=128 N=128 H=2 scale=0.2 D=128 BM=128 BN=64
TABLE
exit $failed
