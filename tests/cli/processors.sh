#!/bin/sh
# processors.sh TILEC -- code for each level of x86-64 gives the same results,
# and so does a machine that has no more than that; qemu-x86_64 stands for it,
# where it is installed.  No instruction is one that the machine lacks.
. "$(dirname "$0")/expect.sh"
limit=200

cat >exact.tile <<'END'
@jit
def exact(x, n, products, sums, bits, order):
    i = tl.arange(0, 64)
    r, c = i[:, None], i[None, :]
    at = r * 64 + c
    a = (r * 7 + c * 3) % 11 - 5
    b = (r * 5 + c * 13) % 9 - 4
    tl.store(products + at, tl.dot(a.to(tl.float32), b.to(tl.float32)))
    tl.store(products + 4096 + at, tl.dot(a.to(tl.float16), b.to(tl.float16)))
    tl.store(products + 8192 + at, tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16)))
    tl.store(products + 12288 + at, tl.dot(a.to(tl.int8), b.to(tl.int8)).to(tl.float32))
    v = tl.load(x + i, mask=i < n, other=-3.0)
    tl.store(sums + i, tl.cumsum(v.to(tl.int32), 0))
    tl.store(sums + 64 + i, tl.sum(a, 1))
    tl.store(sums + 128 + i, (i * 1103515245 + 12345) // (i - 31 + (i == 31)))
    tl.store(sums + 192 + i, tl.floor(v * 0.37).to(tl.int32))
    w = v * 0.1 + 0.7
    tl.store(bits + i, w.to(tl.float16).to(tl.int16, bitcast=True))
    tl.store(bits + 64 + i, w.to(tl.bfloat16).to(tl.int16, bitcast=True))
    tl.store(bits + 128 + i, tl.fma(w, v, w).to(tl.float16).to(tl.int16, bitcast=True))
    tl.store(bits + 192 + i, tl.sqrt_rn(tl.abs(w)).to(tl.float16).to(tl.int16, bitcast=True))
    tl.store(order + i, tl.sort((i * 37) % 64 - 5))

@jit
def near(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + i, e / tl.sum(e, 0) + tl.sin(v) * tl.erf(v))
END

# exact HOW COMMAND...: runs the kernel, and saves its results or compares them.
exact() {
  how=$1
  shift
  for name in products=fp32[16384] sums=i32[256] bits=i16[256] order=i32[64]; do
    set -- "$@" --arg "${name%%=*}=zeros:${name#*=}" "--$how" \
      "${name%%=*}=${name%%=*}.npy"
  done
  expect 0 '' "$@" --arg x=arange:fp32[64] --arg n=50 --tolerance=0
}
near() {
  how=$1
  shift
  expect 0 '' "$@" --arg x=@x.npy --arg out=zeros:fp32[256] "--$how" out=out.npy
}
run_exact="$tilec run exact.tile --kernel=exact --device=cpu --grid=1"
run_near="$tilec run exact.tile --kernel=near --device=cpu --grid=1"

exact save $run_exact
expect 0 '' $run_near --arg x=rand:fp32[256] --arg out=zeros:fp32[256] \
  --save x=x.npy --save out=out.npy

# A level that the machine does not have is refused.
for cpu in x86-64 x86-64-v2 x86-64-v3 x86-64-v4; do
  export TILE_CPU=$cpu
  run $run_near --arg x=@x.npy --arg out=zeros:fp32[256]
  if [ "$code" = 4 ] && grep -q 'this machine does not run' err; then
    passed=$((passed + 1))
    continue
  fi
  exact reference $run_exact
  exact reference $run_exact --tier=0
  near reference $run_near
done
unset TILE_CPU

if grep -q __asan_init "$tilec"; then
  echo "without machines of other levels: a sanitizer needs more addresses"
  finish
  exit
fi
if ! qemu=$(command -v qemu-x86_64); then
  echo "without machines of other levels: there is no qemu-x86_64"
  finish
  exit
fi

# SSE2 alone; SSE4.2; AVX2 without AVX-512.
for machine in Opteron_G1 Nehalem Haswell; do
  exact reference "$qemu" -cpu $machine $run_exact
  near reference "$qemu" -cpu $machine $run_near --tier=0
done
export TILE_CPU=x86-64-v3
expect 4 'this machine does not run' "$qemu" -cpu Nehalem $run_near \
  --arg x=@x.npy --arg out=zeros:fp32[256]
finish
