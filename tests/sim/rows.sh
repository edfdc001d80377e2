#!/bin/bash
# rows.sh TILEC KERNELS -- rows that are stored at places of their own, in the
# simulator as on the CPU: KERNELS is tests/sim/rows.tile.  Each line of the
# table is whether rows are stored by bulk copies, a kernel, its grid, warps, the
# largest difference, and its arguments; the result is y_ptr.
. "$(dirname "$0")/beside_cpu.sh"

stages=3 result=y_ptr
while read -r bulk kernel grid warps tolerance all; do
  case $bulk in '#'* | '') continue ;; esac
  run_cpu
  for schedule in late early 1 2; do
    export TILE_SIM_SCHEDULE=$schedule
    [ $schedule = late ] && unset TILE_SIM_SCHEDULE
    run_sim "$kernels"
    found=no
    has_ptx 'cp.async.bulk.global.shared::cta.bulk_group' && found=yes
    [ "$found" = "$bulk" ] || complain "$kernels" "bulk copies: $found"
  done
done << 'TABLE'
# bulk kernel grid warps tolerance arguments
yes scatter 4,1 4 0 y_ptr=zeros:fp16[128x512] t_ptr=arange:i32[128] M=128 N=512 P=128 R=32 W=512
yes scatter 4,2 1 0 y_ptr=zeros:fp16[128x1024] t_ptr=arange:i32[64] M=100 N=1024 P=128 R=16 W=512
yes scatter 2,2 8 0 y_ptr=zeros:fp16[128x1040] t_ptr=arange:i32[64] M=100 N=1040 P=128 R=32 W=1024
yes scatter 2,1 16 0 y_ptr=zeros:fp16[64x512] t_ptr=arange:i32[64] M=64 N=512 P=64 R=32 W=512
yes scatter 2,1 2 0 y_ptr=zeros:fp16[64x2048] t_ptr=arange:i32[64] M=64 N=2048 P=64 R=2 W=2048
yes scatter 2,1 4 0 y_ptr=zeros:fp16[16x512] t_ptr=arange:i32[64] M=16 N=512 P=16 R=32 W=512
yes scatter 1,1 1 0 y_ptr=zeros:fp16[16x512] t_ptr=arange:i32[64] M=0 N=512 P=16 R=64 W=512
yes described 4,2 4 0 y_ptr=zeros:fp16[128x1024] t_ptr=arange:i32[128] M=128 N=1024 P=132 R=32 W=512
yes described 2,2 8 0 y_ptr=zeros:fp16[30x528] t_ptr=arange:i32[64] M=30 N=528 P=64 R=16 W=512
yes product 2,1 4 1e-3 a_ptr=randn:fp16[1x96] b_ptr=randn:fp16[96x256] y_ptr=zeros:fp32[40x256] t_ptr=arange:i32[128] N=256 K=96 P=40 R=64 W=256 BK=32
# programs that may be in one cluster; too many bytes; rows at no multiple of 16
# bytes; short rows
no product 1,1 8 1e-3 a_ptr=randn:fp16[1x32] b_ptr=randn:fp16[32x256] y_ptr=zeros:fp32[40x256] t_ptr=arange:i32[128] N=256 K=32 P=40 R=64 W=256 BK=32
no product 1,1 8 1e-3 a_ptr=randn:fp16[1x32] b_ptr=randn:fp16[32x256] y_ptr=zeros:fp32[40x256] t_ptr=arange:i32[128] N=256 K=32 P=40 R=128 W=256 BK=32
no scatter 2,1 4 0 y_ptr=zeros:fp16[64x515] t_ptr=arange:i32[64] M=64 N=515 P=64 R=32 W=512
no scatter 2,1 4 0 y_ptr=zeros:fp16[64x256] t_ptr=arange:i32[64] M=64 N=256 P=64 R=32 W=256
no read_too 2,1 4 0 y_ptr=zeros:fp16[64x512] t_ptr=arange:i32[64] N=512 P=64 R=32 W=512
no in_loop 2,1 4 0 y_ptr=zeros:fp16[64x1536] t_ptr=arange:i32[64] N=1536 P=64 R=32 W=512
no regular 2,1 4 0 y_ptr=zeros:fp16[64x512] N=512 R=32 W=512
TABLE
exit $failed
