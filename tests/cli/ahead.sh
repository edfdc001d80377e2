#!/bin/sh
# ahead.sh TILEC -- loads in a loop whose addresses are loaded trips before, masked at
# the end, with elements of their own there: in the simulator as on the CPU.
. "$(dirname "$0")/expect.sh"

cat >ahead.py <<'END'
import triton
import triton.language as tl


@triton.jit
def gathered(a, index, b, out, K, BK: tl.constexpr):
    i = tl.arange(0, 32)
    k = tl.arange(0, BK)
    acc = tl.zeros((32, 32), tl.float32)
    for at in range(0, K, BK):
        inside = at + k < K
        rows = tl.load(index + at + k, mask=inside, other=5)
        y = tl.load(b + rows[:, None] * 32 + i[None, :])
        x = tl.load(a + i[:, None] * K + (at + k)[None, :], mask=inside[None, :], other=0.5)
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * 32 + i[None, :], acc)
END

# gathered K STAGES: of a loop over K.
gathered() {
  k=$1 stages=$2
  set -- "$tilec" run ahead.py --kernel=gathered --grid=1 -D BK=32 --arg K="$k" \
    --arg a=randn:fp16[32x"$k"] --arg b=randn:fp16[128x32] \
    --arg index=arange:i32["$k"] --arg out=zeros:fp32[32x32]
  expect 0 '' "$@" --device=cpu --save out=want.npy
  expect 0 'ok$' "$@" --device=sim --num-stages="$stages" --reference out=want.npy \
    --tolerance=1e-3
}
gathered 16 3
gathered 40 2
gathered 40 4
gathered 100 3

finish
