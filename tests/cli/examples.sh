#!/bin/sh
# examples.sh TILEC EXAMPLES PUBLISHED -- every example and published kernel
# fits every chip, and ptxas, if there is one, accepts its PTX without a note of
# lost speed (C75xx). So does its code for other numbers of warps and stages:
# all of them with TILE_TEST_FULL, else some.
examples=$2 published=$3
. "$(dirname "$0")/expect.sh"

chips='sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a'
targets='sm_80 sm_90a'
[ -z "${TILE_TEST_FULL:-}" ] || targets=$chips
run "$tilec" "$examples/vector-add/vector-add.tile" --target=sm_80 -o probe \
  --emit=cubin --signature='*fp32, *fp32, *fp32, i32'
kind=cubin
if [ "$code" = 3 ]; then
  echo 'SKIP (part): ptxas is not installed'
  kind=ptx
fi

# If one warp spills much, ptxas takes long.
limit=300

# assembles TARGET WARPS STAGES OPTION...: ptxas accepts it, or tilec refuses it
# because of its size.
assembles() {
  chip=$1 warps=$2 stages=$3
  shift 3
  run "$tilec" "$file" --kernel="$kernel" --target="$chip" --emit=$kind \
    --signature="$signature" -o out.$kind "$@" \
    --num-warps="$warps" --num-stages="$stages"
  if grep -q C75 err; then
    complain 'ptxas has a note'
  elif [ "$code" != 0 ] && { [ "$code" != 1 ] ||
    ! grep -q 'error: .*\(shared memory\|elements a thread\)' err; }; then
    complain "exit code $code"
  else
    passed=$((passed + 1))
  fi
}

# others OPTION...: one target and number of warps and stages, or all of them.
turn=0
others() {
  if [ -n "${TILE_TEST_FULL:-}" ]; then
    for chip in $chips; do
      for stages in 1 2 3 4 5; do
        for warps in 1 2 4 8; do
          assembles "$chip" $warps $stages "$@"
        done
      done
    done
    return
  fi
  turn=$((turn + 1))
  chip=$(echo "$chips" | cut -d' ' -f$((turn % 6 + 1)))
  assembles "$chip" $((2 << turn % 3)) $((turn % 5 + 1)) "$@"
}

# fits NAME KERNEL SIGNATURE OPTION...: an example, or a published kernel.
fits() {
  file=$examples/$1/$1.tile kernel=$2 signature=$3
  [ -e "$file" ] || file=$published/$1.py
  shift 3
  for target in $targets; do
    expect 0 'fits: [1-9][0-9]* program' "$tilec" "$file" --kernel="$kernel" \
      --target="$target" --signature="$signature" --resource-usage \
      --emit=$kind -o out.$kind "$@"
    ! grep -q C75 err || complain 'ptxas has a note'
  done
  others "$@"
}

fits vector-add vector_add '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024'
fits softmax softmax '*fp32:16, *fp32:16, i32:16, i32:16, i32, i32, 1024'
fits row-normalize row_normalize '*fp32:16, *fp32:16, i32:16, i32:16, 1024'
row='*fp32:16, *fp32:16, *fp32:16'
fits layer-norm layer_norm "$row, $row, i32:16, i32:16, fp32, 1024"

sizes='i32:16, i32:16, i32:16, i32:16, i32:16, i32:16'
fits matmul matmul "*fp16:16, *fp16:16, *fp16:16, $sizes, 128, 128, 32" \
  --num-stages=3
fits matmul matmul "*fp32:16, *fp32:16, *fp32:16, $sizes, 64, 64, 32"

tile='*fp16:16, *fp16:16, *fp16:16'
for blocks in '16, 64, 64' '64, 128, 64' '128, 64, 64' '256, 64, 32'; do
  fits fused-attention attention \
    "$tile, *fp16:16, *fp32:16, fp32, i32:16, $blocks, True"
done
for kernel in delta dkdv dq; do
  fits attention-backward $kernel "$tile, *fp16:16, *fp16:16, *fp32:16, \
    *fp32:16, $tile, fp32, i32:16, 64, 64, 64, True"
done

if [ ! -d "$published" ]; then
  echo "SKIP (part): $published is not there"
  finish
  exit
fi
both=fused_attention_fwd_bwd
rows='i32:16, i32:16, i32:16, 1'
strides="$rows, $rows, $rows, $rows"
loop=16384,8192,64,1
[ -n "${TILE_TEST_FULL:-}" ] || targets='sm_80 sm_90'
fits vector_add_softmax add_kernel '*fp32, *fp32, *fp32, i32, 1024'
fits vector_add_softmax softmax_kernel \
  '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 4'
for stage in 1 3; do
  fits $both _attn_fwd "$tile, fp32, *fp32:16, *fp16:16, $strides, \
    i32, i32, i32:16, 64, 64, 64, $stage"
done
fits $both _attn_bwd_preprocess '*fp16, *fp16, *fp32, i32, i32, i32, 128, 64'
fits $both _attn_bwd "$tile, fp32, $tile, *fp16:16, *fp32:16, *fp32:16, $rows, \
  i32, i32:16, 32, 128, 128, 32, 2, 64"
fits fused_attention_grid_loop _attn_fwd "$tile, *fp32:16, *fp16:16, fp32, \
  $loop,$loop,$loop,$loop, 2, 2, 128, 64, 32, 64, 1"
row='*fp32:16, *fp32:16'
fits flash_attention_causal _attn_fwd "$row, $row, *fp32:16, fp32, $strides, \
  i32:16, i32:16, 1, i32, 4, 2048, 128, 64, 64"
finish
