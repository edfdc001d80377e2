#!/bin/bash
# clusters.sh TILEC FOLDER -- programs that the blocks of a cluster share, in the
# simulator as on the CPU: FOLDER is tests/sim.  Each line of the table has the
# blocks of a cluster, whether they share the program (`no`: it runs in one;
# `cast`: tiles that all need come in parts, each to all), the file, the kernel,
# its grid, warps, stages, the largest difference, its result and its arguments.
# If a cluster has 1 block, `cast` and `lone` are programs that may be pairs: some
# are, and read tiles once; none is.
# Backs I4 of passes/cluster and I15 of passes/pipeline.
folder=$2
. "$(dirname "$0")/beside_cpu.sh"

# cluster BLOCKS SOURCE: each kernel with num_ctas=BLOCKS.
cluster() {
  local config="triton.Config({}, num_ctas=$1)"
  sed "s/^@triton.jit/@triton.autotune([$config], key=[])\n&/" "$2" \
    > "$work/cluster.tile"
}

while read -r blocks shared file kernel grid warps stages tolerance result all
do
  case $blocks in '#'* | '') continue ;; esac
  kernels=$folder/$file.tile
  expand_args
  run_cpu
  cluster "$blocks" "$kernels"
  rm -f "$work/stats"
  TILE_SIM_STATS=text:$work/stats run_sim "$work/cluster.tile"
  found=no
  has_ptx "reqnctapercluster $blocks, 1, 1" && found=yes
  has_ptx 'multicast::cluster' && found=cast
  [ "$blocks$found" = 1cast ] && ! grep -q 'not read again' "$work/stats" &&
    found=lone
  [ "$shared" = "$found" ] || complain cluster "shared: $found"
done << 'TABLE'
# blocks shared file kernel grid warps stages tolerance result arguments
2 yes clusters add 3 4 3 0 y_ptr x_ptr=rand:fp32[600] y_ptr=zeros:fp32[600] n=600 B=256
8 yes clusters add 3 1 3 0 y_ptr x_ptr=rand:fp32[600] y_ptr=zeros:fp32[600] n=600 B=256
2 yes clusters softmax 3 4 3 0 p_ptr x_ptr=randn:fp32[20x50] y_ptr=zeros:fp32[20x50] m_ptr=zeros:fp32[20] p_ptr=zeros:fp32[3] M=20 N=50 R=8 C=64
2 yes clusters softmax 3 4 3 1e-6 y_ptr x_ptr=randn:fp32[20x50] y_ptr=zeros:fp32[20x50] m_ptr=zeros:fp32[20] p_ptr=zeros:fp32[3] M=20 N=50 R=8 C=64
4 yes clusters softmax 3 4 3 1e-6 m_ptr x_ptr=randn:fp32[20x50] y_ptr=zeros:fp32[20x50] m_ptr=zeros:fp32[20] p_ptr=zeros:fp32[3] M=20 N=50 R=8 C=64
2 yes clusters shapes 1 4 3 1e-3 y_ptr x_ptr=randn:fp32[128] y_ptr=zeros:fp32[256] n=5 B=128
4 yes clusters block_pointers 3 4 3 0 y_ptr x_ptr=randn:fp16[40x72] y_ptr=zeros:fp16[40x72] M=40 N=72 BM=16 BN=32
2 yes clusters counted 3 4 3 0 y_ptr x_ptr=full(3):i32[384] y_ptr=zeros:i32[128] B=128
4 yes clusters old_values 1 4 3 1e-6 z_ptr x_ptr=rand:fp32[128] y_ptr=rand:fp32[128] z_ptr=zeros:fp32[128] n=3 B=128
2 no clusters slides 1 4 3 0 y_ptr x_ptr=rand:fp32[128] y_ptr=zeros:fp32[384] n=5 B=128 S=64
2 yes clusters slides 1 4 3 0 y_ptr x_ptr=rand:fp32[128] y_ptr=zeros:fp32[640] n=5 B=128 S=128
2 no clusters in_place 1 4 3 0 x_ptr x_ptr=rand:fp32[128] B=128
2 no clusters total 1 4 3 1e-4 y_ptr x_ptr=rand:fp32[128] y_ptr=zeros:fp32[1] B=128
2 cast blocks product 2,2 4 3 1e-3 c_ptr fp16 fp32 256 256 320 128 128 64 0
2 cast blocks product 2,3 8 4 1e-3 c_ptr fp16 fp32 400 264 136 256 128 64 1
2 cast blocks product 1,2 8 3 1e-3 c_ptr bf16 fp32 128 512 192 128 256 64 0
4 cast blocks product 1,2 4 3 1e-3 c_ptr fp16 fp32 256 512 96 256 256 32 1
2 cast blocks product 1,1 4 3 3e-2 c_ptr fp32 fp32 128 64 96 128 64 32 1
2 cast blocks product 1,1 4 3 2e-2 c_ptr fp8e5 fp32 128 64 192 128 64 64 1
2 cast blocks product 1,1 4 3 0 c_ptr i8 i32 64 128 96 64 128 32 0
2 yes blocks product 1,1 4 3 1e-3 c_ptr fp16/i8 fp32 128 64 320 128 64 64 0
2 yes blocks product 1,1 4 3 1e-3 c_ptr fp16 fp32 128 64 0 128 64 64 0
2 cast blocks product 1,1 4 3 1e-3 c_ptr fp16 fp32 128 64 64 128 64 64 0
2 yes blocks product 1,1 4 1 1e-3 c_ptr fp16 fp32 128 64 128 128 64 64 0
2 yes blocks product 7,3 2 3 1e-3 c_ptr fp16 fp16 100 48 80 16 16 16 0
2 cast blocks persistent 2 4 3 4e-3 c_ptr a_ptr=randn:fp16[512x96] b_ptr=randn:fp16[256x96] c_ptr=zeros:fp16[512x256] M=512 N=256 K=96 BM=128 BN=64 BK=32 P=2
2 cast blocks persistent 3 8 4 4e-3 c_ptr a_ptr=randn:fp16[700x200] b_ptr=randn:fp16[200x200] c_ptr=zeros:fp16[700x200] M=700 N=200 K=200 BM=256 BN=64 BK=32 P=3
2 cast blocks attention 2 4 3 4e-3 o_ptr 256 200 64 128 64
2 cast made experts 3 4 3 4e-3 y_ptr x_ptr=randn:fp16[480x96] w_ptr=randn:fp16[3x64x96] y_ptr=zeros:fp16[480x64] first=full(150):i32[3] count=full(140):i32[3] N=64 K=96 BM=128 BN=64 BK=32
2 cast blocks attention 1 8 3 4e-3 o_ptr 256 192 128 256 64
4 cast blocks attention 1 4 2 4e-3 o_ptr 256 128 64 256 64
2 cast clusters causal 3 4 3 4e-3 o_ptr q_ptr=randn:fp16[384x64] k_ptr=randn:fp16[384x64] v_ptr=randn:fp16[384x64] o_ptr=zeros:fp16[384x64] l_ptr=zeros:fp32[384] N=384 D=64 BM=128 BN=32
2 cast clusters causal 2 8 2 4e-3 l_ptr q_ptr=randn:fp16[512x128] k_ptr=randn:fp16[512x128] v_ptr=randn:fp16[512x128] o_ptr=zeros:fp16[512x128] l_ptr=zeros:fp32[512] N=512 D=128 BM=256 BN=64
4 cast clusters causal 2 4 3 4e-3 o_ptr q_ptr=randn:fp16[512x64] k_ptr=randn:fp16[512x64] v_ptr=randn:fp16[512x64] o_ptr=zeros:fp16[512x64] l_ptr=zeros:fp32[512] N=512 D=64 BM=256 BN=64
2 yes blocks rows 1 4 3 0 y_ptr x_ptr=rand:fp32[160x32] y_ptr=zeros:fp32[160x32] N=150 trips=10
2 yes blocks three 3,3,2 4 3 0 y_ptr x_ptr=rand:fp32[5x20x72] y_ptr=zeros:fp32[5x20x72] A=5 B=20 C=72
2 yes blocks padded 1 4 3 0 y_ptr x_ptr=rand:fp16[20x64] y_ptr=zeros:fp16[16x64] M=20 N=64
2 yes blocks mixed 1 4 3 1e-3 c_ptr a_ptr=randn:fp16[128x320] b_ptr=randn:fp16[320x64] c_ptr=zeros:fp32[128x64] K=320 BM=128 BN=64 BK=64
2 cast windows tutorial 4 4 3 1e-3 c_ptr a_ptr=randn:fp16[256x128] b_ptr=randn:fp16[128x128] c_ptr=zeros:fp16[256x128] M=256 N=128 K=128 stride_am=128 stride_ak=1 stride_bk=128 stride_bn=1 stride_cm=128 stride_cn=1 BM=128 BN=64 BK=32
1 cast blocks product 4,3 4 3 1e-3 c_ptr fp16 fp32 500 184 200 128 64 32 0
1 cast blocks product 2,1 8 4 1e-3 c_ptr fp16 fp16 512 136 136 256 128 64 1
1 cast blocks product 3,2 4 3 1e-3 c_ptr fp16 fp32 384 128 96 128 64 32 0
1 lone blocks product 3,3 4 3 1e-3 c_ptr fp16 fp32 384 192 96 128 64 32 0
1 no blocks product 2,2 4 1 1e-3 c_ptr fp16 fp32 256 128 96 128 64 32 0
1 no blocks persistent 2 4 3 4e-3 c_ptr a_ptr=randn:fp16[512x96] b_ptr=randn:fp16[256x96] c_ptr=zeros:fp16[512x256] M=512 N=256 K=96 BM=128 BN=64 BK=32 P=2
1 cast blocks attention 2 4 3 4e-3 o_ptr 256 200 64 128 64
1 cast blocks attention 4 8 3 4e-3 o_ptr 500 264 128 128 128
1 cast windows tutorial 12 4 3 1e-3 c_ptr a_ptr=randn:fp16[360x128] b_ptr=randn:fp16[128x256] c_ptr=zeros:fp16[360x256] M=360 N=256 K=120 stride_am=128 stride_ak=1 stride_bk=256 stride_bn=1 stride_cm=256 stride_cn=1 BM=128 BN=64 BK=32
1 cast made within 2,2 4 3 4e-3 c_ptr a_ptr=randn:fp16[128x128] b_ptr=randn:fp16[128x128] c_ptr=zeros:fp16[256x128] first=zeros:i32[2] N=128 K=128 T=2
1 lone windows tutorial 2 4 3 1e-3 c_ptr a_ptr=randn:fp16[128x128] b_ptr=randn:fp16[128x128] c_ptr=zeros:fp16[128x128] M=128 N=128 K=128 stride_am=128 stride_ak=1 stride_bk=128 stride_bn=1 stride_cm=128 stride_cn=1 BM=128 BN=64 BK=32
1 no clusters causal 2 4 3 4e-3 o_ptr q_ptr=randn:fp16[256x64] k_ptr=randn:fp16[256x64] v_ptr=randn:fp16[256x64] o_ptr=zeros:fp16[256x64] l_ptr=zeros:fp32[256] N=256 D=64 BM=128 BN=32
TABLE
exit $failed
