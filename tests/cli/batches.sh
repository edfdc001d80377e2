#!/bin/sh
# batches.sh TILEC -- products of several matrices at once on the CPU, whose operands
# come as they are loaded or turned, against sums that the kernel computes itself.
#
# All numbers are integers of eight bits, so that each sum is exact.
. "$(dirname "$0")/expect.sh"

cat >batches.py <<'END'
import triton
import triton.language as tl


@triton.jit
def load3(p, B: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    b, r, c = tl.arange(0, B), tl.arange(0, R), tl.arange(0, C)
    at = b[:, None, None] * R * C + r[None, :, None] * C + c[None, None, :]
    return tl.load(p + at)


@triton.jit
def check(out, got, x, y):
    # x: rows of A; y: columns of B, both along K
    want = tl.sum(x[:, :, None, :].to(tl.float32) * y[:, None, :, :].to(tl.float32), 3)
    bad = tl.where(got != want, 1, 0)
    tl.store(out, tl.sum(tl.sum(tl.sum(bad, 2), 1), 0))


@triton.jit
def product(p, q, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr, TYPE: tl.constexpr, TURNED: tl.constexpr):
    x = load3(p, B, M, K).to(TYPE)
    if TURNED:
        y = load3(q, B, N, K).to(TYPE)
        got = tl.dot(x, tl.trans(y, 0, 2, 1))
        check(out, got, x, y)
    else:
        y = load3(q, B, K, N).to(TYPE)
        got = tl.dot(x, y)
        check(out, got, x, tl.trans(y, 0, 2, 1))
END

# product TYPE BATCHES N K TURNED...: counts elements that differ.
product() {
  type=$1 batches=$2 n=$3 k=$4
  shift 4
  for turned; do
    expect 0 '^  \[0\] 0$' "$tilec" run batches.py --device=cpu --kernel=product \
      --grid=1 --arg p=arange:i8[16384] --arg q=arange:i8[16384] \
      --arg out=full\(9\):i32[1] -D B="$batches" -D M=16 -D N="$n" -D K="$k" \
      -D TYPE="tl.$type" -D TURNED="$turned" --print out
  done
}
for type in bfloat16 float16 float32; do
  product $type 2 32 64 True False
  product $type 4 16 128 True False
done
product bfloat16 2 32 128 True
product bfloat16 1 64 128 True

finish
