#!/bin/bash
# persist.sh TILEC FOLDER -- programs that share blocks, in the simulator as on the
# CPU: FOLDER is tests/sim.  Each line of the table has the multiprocessors of the
# GPU, which decide how many blocks there are, whether blocks run several programs
# (`pairs`: two blocks are a cluster), the file, the kernel, its grid, warps,
# stages, the largest difference, its result and its arguments.
folder=$2
. "$(dirname "$0")/beside_cpu.sh"

# causal_args N HEADS D BM BN AXIS BACK: of the square of so many heads
causal_args() {
  local tensor="[$(($1 * $2 * $2))x$3]"
  all="q_ptr=randn:fp16$tensor k_ptr=randn:fp16$tensor v_ptr=randn:fp16$tensor
    o_ptr=zeros:fp16$tensor N=$1 H=$2 D=$3 BM=$4 BN=$5 AXIS=$6 BACK=$7"
}

while read -r processors shared file kernel grid warps stages tolerance result \
  all
do
  case $processors in '#'* | '') continue ;; esac
  kernels=$folder/$file.tile
  # shellcheck disable=SC2086
  [ "$kernel" != causal ] || causal_args $all
  expand_args
  run_cpu
  for schedule in late 1; do
    TILE_SIM_SCHEDULE=$schedule TILE_SIM_PROCESSORS=$processors \
      run_sim "$kernels"
  done
  found=no
  has_ptx '%nctaid' && found=yes
  [ $found = yes ] && has_ptx 'multicast::cluster' && found=pairs
  [ "$shared" = "$found" ] || complain persist "shared: $found, grid $grid"
done << 'TABLE'
# processors shared file kernel grid warps stages tolerance result arguments
1 yes persist causal 4,2,2 4 3 4e-3 o_ptr 200 2 64 64 32 0 0
1 yes persist causal 6,2,2 4 2 4e-3 o_ptr 256 2 64 64 32 0 1
2 yes persist causal 2,3,2 4 3 4e-3 o_ptr 130 2 64 64 32 1 0
3 yes persist causal 3,3,5 4 3 4e-3 o_ptr 300 3 64 64 32 2 0
2 yes persist causal 3,3,1 8 2 4e-3 o_ptr 100 3 128 128 64 2 1
1 yes persist causal 4,1,1 4 3 4e-3 o_ptr 500 1 64 128 64 0 0
1 yes persist causal 3,1,1 8 2 4e-3 o_ptr 384 1 256 128 64 0 0
# The band is one trip, whose blocks come to the ring of the loop before it.
1 yes persist causal 4,1,1 8 3 4e-3 o_ptr 500 1 128 128 128 0 0
2 yes persist causal 3,2,2 4 3 4e-3 o_ptr 180 2 64 64 64 0 1
1 yes persist causal 1,2,2 4 3 4e-3 o_ptr 64 2 64 64 32 0 0
9 yes persist causal 5,1,1 4 3 4e-3 o_ptr 320 1 64 64 32 0 0
1 yes persist causal 1 4 3 4e-3 o_ptr 30 1 64 64 32 0 0
3 pairs blocks product 4,3 4 3 1e-3 c_ptr fp16 fp32 500 184 200 128 64 32 0
2 pairs blocks product 3,2 4 3 1e-3 c_ptr fp16 fp32 384 128 96 128 64 32 0
2 pairs blocks product 5,3 4 3 1e-3 c_ptr fp16 fp32 640 192 96 128 64 32 1
2 pairs blocks attention 4 8 3 4e-3 o_ptr 500 264 128 128 128
2 pairs blocks attention 6 4 3 4e-3 o_ptr 700 200 64 128 64
2 pairs windows tutorial 12 4 3 1e-3 c_ptr a_ptr=randn:fp16[360x128] b_ptr=randn:fp16[128x256] c_ptr=zeros:fp16[360x256] M=360 N=256 K=120 stride_am=128 stride_ak=1 stride_bk=256 stride_bn=1 stride_cm=256 stride_cn=1 BM=128 BN=64 BK=32
2 pairs persist added 4,3 4 3 2e-3 c_ptr a_ptr=randn:fp16[500x200] b_ptr=randn:fp16[200x184] c_ptr=zeros:fp16[500x184] d_ptr=randn:fp16[500x184] M=500 N=184 K=200 BM=128 BN=64 BK=32
TABLE
exit $failed
