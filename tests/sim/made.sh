#!/bin/bash
# made.sh TILEC KERNELS -- tensor maps that programs make themselves, in the
# simulator as on the CPU: KERNELS is tests/sim/made.tile.  A line of the table is
# a kernel, its grid, warps, stages, the largest difference, its result and its
# arguments.
. "$(dirname "$0")/beside_cpu.sh"

while read -r kernel grid warps stages tolerance result all; do
  case $kernel in '#'* | '') continue ;; esac
  run_cpu
  run_sim "$kernels"
  has_ptx tensormap.replace || complain "$kernels" 'no map is made'
  # Both roles have the values that are loaded at the top, or load them.
  case $kernel in
    experts | grouped | halves)
      has_ptx setmaxnreg || complain "$kernels" 'it has no roles' ;;
  esac
  [ "$kernel" != padded ] || has_ptx 'fill_mode.*, 1;' ||
    complain "$kernels" 'no map pads with NaN'
done << 'TABLE'
# kernel grid warps stages tolerance result arguments
tables 2 4 3 4e-3 c_ptr a_ptr=randn:fp16[5x160x96] b_ptr=randn:fp16[5x72x96] c_ptr=zeros:fp16[5x160x72] s_ptr=full(160):i32[5] at=zeros:i64[2x5] bt=zeros:i64[2x5] ct=zeros:i64[2x5] M=160 N=72 K=96 G=5 less=40 BM=64 BN=64 BK=32
tables 1 8 4 4e-3 c_ptr a_ptr=randn:fp16[3x128x64] b_ptr=randn:fp16[3x128x64] c_ptr=zeros:fp16[3x128x128] s_ptr=full(120):i32[3] at=zeros:i64[3] bt=zeros:i64[3] ct=zeros:i64[3] M=128 N=128 K=64 G=3 less=100 BM=128 BN=128 BK=64
tables 2 4 2 4e-3 c_ptr a_ptr=randn:fp16[4x64x32] b_ptr=randn:fp16[4x64x32] c_ptr=zeros:fp16[4x64x64] s_ptr=full(64):i32[4] at=zeros:i64[2x4] bt=zeros:i64[2x4] ct=zeros:i64[2x4] M=64 N=64 K=32 G=4 less=0 BM=64 BN=64 BK=32
tables 2 4 1 4e-3 c_ptr a_ptr=randn:fp16[2x64x64] b_ptr=randn:fp16[2x64x64] c_ptr=zeros:fp16[2x64x64] s_ptr=full(50):i32[2] at=zeros:i64[2x2] bt=zeros:i64[2x2] ct=zeros:i64[2x2] M=64 N=64 K=64 G=2 less=0 BM=64 BN=64 BK=32
tables 1 2 3 4e-3 c_ptr a_ptr=randn:fp16[2x32x64] b_ptr=randn:fp16[2x32x64] c_ptr=zeros:fp16[2x32x32] s_ptr=full(30):i32[2] at=zeros:i64[2] bt=zeros:i64[2] ct=zeros:i64[2] M=32 N=32 K=64 G=2 less=30 BM=32 BN=32 BK=32
experts 3 4 3 4e-3 y_ptr x_ptr=randn:fp16[480x96] w_ptr=randn:fp16[3x64x96] y_ptr=zeros:fp16[480x64] first=full(150):i32[3] count=full(140):i32[3] N=64 K=96 BM=64 BN=64 BK=32
experts 2 8 4 4e-3 y_ptr x_ptr=randn:fp16[320x256] w_ptr=randn:fp16[2x128x256] y_ptr=zeros:fp16[320x128] first=full(160):i32[2] count=full(160):i32[2] N=128 K=256 BM=128 BN=128 BK=64
grouped 3 4 3 4e-3 y_ptr x_ptr=randn:fp16[640x96] w_ptr=randn:fp16[4x72x96] y_ptr=zeros:fp16[640x72] first=full(150):i32[4] count=full(140):i32[4] G=4 N=72 K=96 BM=64 BN=64 BK=32
grouped 2 4 2 4e-3 y_ptr x_ptr=randn:fp16[800x160] w_ptr=randn:fp16[5x64x160] y_ptr=zeros:fp16[800x64] first=full(150):i32[5] count=full(32):i32[5] G=5 N=64 K=160 BM=64 BN=64 BK=32
grouped 1 8 4 4e-3 y_ptr x_ptr=randn:fp16[320x256] w_ptr=randn:fp16[2x128x256] y_ptr=zeros:fp16[320x128] first=full(160):i32[2] count=full(160):i32[2] G=2 N=128 K=256 BM=128 BN=128 BK=64
grouped 2 4 3 4e-3 y_ptr x_ptr=randn:fp16[320x32] w_ptr=randn:fp16[2x64x32] y_ptr=zeros:fp16[320x64] first=full(160):i32[2] count=full(160):i32[2] G=2 N=64 K=32 BM=64 BN=64 BK=32
halves 2 4 3 4e-3 y_ptr x_ptr=randn:fp16[480x96] w_ptr=randn:fp16[3x64x96] y_ptr=zeros:fp16[480x64] first=full(150):i32[3] count=full(140):i32[3] G=3 N=64 K=96 BM=64 BN=64 BK=32
halves 1 8 2 4e-3 y_ptr x_ptr=randn:fp16[480x256] w_ptr=randn:fp16[3x128x256] y_ptr=zeros:fp16[480x128] first=full(150):i32[3] count=full(140):i32[3] G=3 N=128 K=256 BM=128 BN=128 BK=64
padded 3 4 3 4e-3 y_ptr x_ptr=randn:fp16[64x96] w_ptr=randn:fp16[64x96] y_ptr=zeros:fp32[192x64] s_ptr=full(20):i32[3] K=96 BM=64 BK=64
padded 4 8 3 2e-2 y_ptr x_ptr=randn:fp32[128x64] w_ptr=randn:fp32[64x64] y_ptr=zeros:fp32[512x32] s_ptr=full(41):i32[4] K=64 BM=128 BK=32
odd 1 4 3 1e-3 y_ptr x_ptr=randn:fp16[64x64] y_ptr=zeros:fp32[64x64] s_ptr=full(64):i32[1] K=64 BM=64 BK=32
both 1 8 3 4e-3 y_ptr x_ptr=randn:fp16[128x128] y_ptr=zeros:fp32[64x64] s_ptr=full(120):i32[1] K=128 BM=64
TABLE

# The map is wrong and no launch can refuse it: the program stops.
kernel=odd grid=1 warps=4 stages=3
all='x_ptr=randn:fp16[64x64] y_ptr=zeros:fp32[64x64] s_ptr=full(60):i32[1] K=64
  BM=64 BK=32'
out=$(run_on sim "$kernels")
[[ $out == *"out-of-bounds: odd"*"write of 8 bytes at 0x0"* ]] || complain "$kernels" "$out"
exit $failed
