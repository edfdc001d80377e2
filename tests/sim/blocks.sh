#!/bin/bash
# blocks.sh TILEC KERNELS -- blocks of tensor maps, in the simulator as on the
# CPU: KERNELS is tests/sim/blocks.tile. Each line of the table is a kernel, its
# grid, warps, stages, the largest difference, its result and its arguments;
# functions make the arguments of `product` and `attention`. Each case runs with
# loops that have roles if the compiler chooses so, if possible, and never.
. "$(dirname "$0")/beside_cpu.sh"

# ask WORD FILE: the file with tl.range(warp_specialize=WORD) in each loop.
ask() {
  sed "s/in range(\(.*\)):/in tl.range(\1, warp_specialize=$1):/" \
    "$kernels" > "$2"
}

# compare SOURCE: compares with the results of the CPU.
compare() {
  run_sim "$1"
  # The results do not show whether these instructions are there.
  has_ptx cp.async.bulk.tensor || complain "$1" 'no block is copied'
  has_ptx setmaxnreg || return
  num_roles=$((num_roles + 1))
  [ "$1" != "$work/refused.tile" ] || complain "$1" 'it has roles'
}

ask True "$work/asked.tile"
ask False "$work/refused.tile"
num_roles=0
while read -r kernel grid warps stages tolerance result all; do
  case $kernel in '#'* | '') continue ;; esac
  expand_args
  run_cpu
  compare "$kernels"
  compare "$work/asked.tile"
  compare "$work/refused.tile"
done << 'TABLE'
# kernel grid warps stages tolerance result arguments
product 2,2  4 3 1e-3 c_ptr fp16 fp32 256 256 320 128 128 64 0
product 2,3  4 4 1e-3 c_ptr fp16 fp32 200 264 136 128 128 64 0
product 1,1  4 3 1e-3 c_ptr fp16 fp32 64 64 16 64 64 32 0
product 1,1  4 3 1e-3 c_ptr fp16 fp32 64 64 64 64 64 32 0
product 1,1  4 5 1e-3 c_ptr fp16 fp32 64 128 128 64 128 32 0
product 1,1  4 5 1e-3 c_ptr fp16 fp32 64 128 160 64 128 32 1
product 1,1  8 3 1e-3 c_ptr fp16 fp32 128 256 256 128 256 64 0
product 1,1  4 3 1e-3 c_ptr fp16 fp32 128 256 192 128 256 64 0
product 1,1  8 2 1e-3 c_ptr fp16 fp32 64 64 128 64 64 64 0
product 1,1 16 3 1e-3 c_ptr fp16 fp32 256 128 256 256 128 64 0
product 1,1  8 1 1e-3 c_ptr fp16 fp32 256 128 128 256 128 64 0
product 1,2  8 2 1e-3 c_ptr fp16 fp32 64 520 72 64 512 16 0
product 4,2  4 3 1e-3 c_ptr fp16 fp32 100 48 64 32 32 32 0
product 7,3  2 3 1e-3 c_ptr fp16 fp16 100 48 80 16 16 16 0
product 1,1  1 3 1e-3 c_ptr fp16 fp32 64 64 96 64 64 32 1
product 1,1  4 3 1e-3 c_ptr bf16 fp32 64 64 96 64 64 32 0
product 1,1  4 3 3e-2 c_ptr fp32 fp32 64 64 96 64 64 32 0
product 1,1  4 3 3e-2 c_ptr fp32 fp32 64 64 96 64 64 32 1
product 1,1  4 3 2e-2 c_ptr fp8e4nv fp32 64 64 96 64 64 32 0
product 1,1  4 3 2e-2 c_ptr fp8e5 fp32 64 64 96 64 64 32 1
product 1,1  4 3 0    c_ptr i8 i32 64 64 96 64 64 32 0
product 1,1  4 3 0    c_ptr i8 i32 64 64 96 64 64 32 1
either 3 4 3 2e-1 c_ptr a_ptr=randn:fp16[640x160] b_ptr=randn:fp16[640x96] c_ptr=zeros:fp16[640x64] K=160 L=96 first=0 tiles=10 BM=64 BK=32
either 1 4 2 2e-1 c_ptr a_ptr=randn:fp16[640x64] b_ptr=randn:fp16[640x64] c_ptr=zeros:fp16[640x64] K=64 L=32 first=1 tiles=10 BM=64 BK=32
either 4 8 4 2e-1 c_ptr a_ptr=randn:fp16[384x128] b_ptr=randn:fp16[384x64] c_ptr=zeros:fp16[384x128] K=128 L=64 first=0 tiles=3 BM=128 BK=64
product 1,1  4 3 1e-3 c_ptr fp16/i8 fp32 64 64 320 64 64 32 0
product 1,1  8 3 1e-3 c_ptr fp16/i8 fp32 64 64 320 64 64 32 0
batched 2,6  4 3 4e-3 c_ptr a_ptr=randn:fp16[2x200x96] b_ptr=randn:fp16[3x64x96] c_ptr=zeros:fp16[6x200x64] M=200 N=64 K=96 H=3 BM=128 BN=64 BK=32
batched 1,4  8 4 4e-3 c_ptr a_ptr=randn:fp16[2x128x128] b_ptr=randn:fp16[2x128x128] c_ptr=zeros:fp16[4x128x128] M=128 N=128 K=128 H=2 BM=128 BN=128 BK=64
persistent 1 4 3 4e-3 c_ptr a_ptr=randn:fp16[256x96] b_ptr=randn:fp16[256x96] c_ptr=zeros:fp16[256x256] M=256 N=256 K=96 BM=128 BN=64 BK=32 P=1
persistent 3 4 4 4e-3 c_ptr a_ptr=randn:fp16[300x200] b_ptr=randn:fp16[200x200] c_ptr=zeros:fp16[300x200] M=300 N=200 K=200 BM=128 BN=64 BK=32 P=3
persistent 2 8 2 4e-3 c_ptr a_ptr=randn:fp16[256x32] b_ptr=randn:fp16[256x32] c_ptr=zeros:fp16[256x256] M=256 N=256 K=32 BM=128 BN=64 BK=32 P=2
persistent 1 8 4 4e-3 c_ptr a_ptr=randn:fp16[256x192] b_ptr=randn:fp16[256x192] c_ptr=zeros:fp16[256x256] M=256 N=256 K=192 BM=128 BN=256 BK=64 P=1
persistent 1 16 3 4e-3 c_ptr a_ptr=randn:fp16[512x96] b_ptr=randn:fp16[128x96] c_ptr=zeros:fp16[512x128] M=512 N=128 K=96 BM=256 BN=64 BK=32 P=1
bands   2    4 3 2e-2 c_ptr a_ptr=randn:fp16[320x160] c_ptr=zeros:fp16[320x64] M=320 K=160 L=96 tiles=5 BM=64 BK=32
bands   2    8 4 2e-2 c_ptr a_ptr=randn:fp16[256x160] c_ptr=zeros:fp16[256x128] M=256 K=160 L=0 tiles=2 BM=128 BK=32
bands   2    4 2 2e-2 c_ptr a_ptr=randn:fp16[64x96] c_ptr=zeros:fp16[64x64] M=64 K=96 L=96 tiles=1 BM=64 BK=32
attention 1  4 3 4e-3 o_ptr 128 200 64 128 64
attention 1  8 3 4e-3 o_ptr 128 192 128 128 64
attention 1  4 3 4e-3 o_ptr 128 64 64 128 64
attention 1  4 3 4e-3 o_ptr 128 128 64 128 64
attention 1  4 4 4e-3 o_ptr 128 400 64 128 64
attention 2  8 3 4e-3 o_ptr 200 264 128 128 128
# Scores below 0 and NaN, whose maxima are not those of integers
attention 1  8 3 4e-3 o_ptr 128 264 128 128 128 full(-0.5) full(0.25)
attention 1  8 3 4e-3 o_ptr 128 264 128 128 128 full(nan) randn
attention 1  4 3 4e-3 o_ptr 128 200 64 128 64 rand full(-0.25)
attention 1  4 2 4e-3 o_ptr 64 64 64 64 64
attention 1  4 1 4e-3 o_ptr 64 32 32 64 32
attention 1  2 3 4e-3 o_ptr 32 96 64 32 32
attention 1  8 2 4e-3 o_ptr 64 256 256 64 64
bytes   1    4 3 2e-2 o_ptr q_ptr=randn:fp8e5[128x64] k_ptr=randn:fp8e5[208x64] v_ptr=randn:fp8e5[64x208] o_ptr=zeros:fp32[128x64] M=128 N=208 scale=0.2 D=64 BM=128 BN=64 along=1
bytes   1    8 3 2e-2 o_ptr q_ptr=randn:fp8e4nv[128x128] k_ptr=randn:fp8e4nv[256x128] v_ptr=randn:fp8e4nv[128x256] o_ptr=zeros:fp32[128x128] M=128 N=256 scale=0.2 D=128 BM=128 BN=128 along=1
bytes   1    4 2 2e-2 o_ptr q_ptr=randn:fp8e4nv[128x64] k_ptr=randn:fp8e4nv[144x64] v_ptr=randn:fp8e4nv[64x144] o_ptr=zeros:fp32[128x64] M=128 N=144 scale=0.2 D=64 BM=128 BN=64 along=1
bytes   1    4 3 2e-2 o_ptr q_ptr=randn:fp8e5[128x64] k_ptr=randn:fp8e5[208x64] v_ptr=randn:fp8e5[208x64] o_ptr=zeros:fp32[128x64] M=128 N=208 scale=0.2 D=64 BM=128 BN=64 along=0
bytes   1    8 3 2e-2 o_ptr q_ptr=randn:fp8e4nv[128x128] k_ptr=randn:fp8e4nv[192x128] v_ptr=randn:fp8e4nv[192x128] o_ptr=zeros:fp32[128x128] M=128 N=192 scale=0.2 D=128 BM=128 BN=64 along=0
rows    1    4 3 0    y_ptr x_ptr=rand:fp32[160x32] y_ptr=zeros:fp32[160x32] N=150 trips=10
three 3,3,2  4 3 0    y_ptr x_ptr=rand:fp32[5x20x72] y_ptr=zeros:fp32[5x20x72] A=5 B=20 C=72
turned  1    4 3 0    z_ptr x_ptr=rand:fp32[64x64] y_ptr=rand:fp32[64x64] z_ptr=zeros:fp32[64x64] N=64
padded  1    4 3 0    y_ptr x_ptr=rand:fp16[20x64] y_ptr=zeros:fp16[16x64] M=20 N=64
weighed 1    4 3 2e-2 c_ptr a_ptr=rand:fp16[128x320] b_ptr=rand:fp16[320x64] w_ptr=rand:fp32[320] c_ptr=zeros:fp32[128x64] K=320 BM=128 BN=64
weighed 1    8 4 2e-2 c_ptr a_ptr=rand:fp16[128x128] b_ptr=rand:fp16[128x128] w_ptr=rand:fp32[128] c_ptr=zeros:fp32[128x128] K=128 BM=128 BN=128
mixed   1    4 3 1e-3 c_ptr a_ptr=randn:fp16[128x320] b_ptr=randn:fp16[320x64] c_ptr=zeros:fp32[128x64] K=320 BM=128 BN=64 BK=64
mixed   1    8 2 1e-3 c_ptr a_ptr=randn:fp16[32x320] b_ptr=randn:fp16[320x64] c_ptr=zeros:fp32[32x64] K=320 BM=32 BN=64 BK=64
branch  1    4 3 0    y_ptr x_ptr=rand:fp16[64x64] y_ptr=zeros:fp16[64x64] z_ptr=zeros:fp32[4096] n=5
paged   1    4 3 1e-3 c_ptr a_ptr=randn:fp16[64x320] t_ptr=full(3):i32[10] b_ptr=randn:fp16[320x64] c_ptr=zeros:fp32[64x64] K=320 BM=64 BN=64 BK=32
paged   1    8 5 1e-3 c_ptr a_ptr=randn:fp16[64x320] t_ptr=full(3):i32[10] b_ptr=randn:fp16[320x64] c_ptr=zeros:fp32[64x64] K=320 BM=64 BN=64 BK=32
TABLE
if [ $num_roles -lt 50 ]; then
  echo "only $num_roles kernels have roles"
  failed=1
fi
exit $failed
