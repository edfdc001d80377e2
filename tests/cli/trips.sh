#!/bin/sh
# trips.sh TILEC -- how often a loop runs, near the ends of its numbers' range.
. "$(dirname "$0")/expect.sh"

cat >trips.tile <<'END_OF_FILE'
@jit
def put(p, n):
    tl.store(p + tl.arange(0, 64), n + 0.0)

@jit
def count(p, lower, upper, step):
    n = 0.0
    for i in range(lower, upper, step):
        n += 1
    tl.store(p + tl.arange(0, 64), n)

@jit
def copied(p, x, lower, upper, step, STAGES: tl.constexpr):
    r = tl.arange(0, 64)
    n = tl.zeros([64], tl.float32)
    for i in tl.range(lower, upper, step, num_stages=STAGES):
        n += tl.load(x + r)
    tl.store(p + r, n)

# A second trip is impossible; from where the bounds wrap on, the first is, too.
@jit
def block(p, x, i, SIZE: tl.constexpr, STAGES: tl.constexpr):
    r = tl.arange(0, 64)
    n = tl.zeros([64], tl.float32)
    if SIZE > 0:
        for k in tl.range(i * SIZE, (i + 1) * SIZE, SIZE, num_stages=STAGES):
            n += tl.load(x + r) + (k - i * SIZE)
    else:
        for k in tl.range((i + 1) * -SIZE, i * -SIZE, SIZE, num_stages=STAGES):
            n += tl.load(x + r) + (k + (i + 1) * SIZE)
    tl.store(p + r, n)
END_OF_FILE

# trips N LOWER UPPER STEP
trips() {
  want="$1"
  expect 0 '' "$tilec" run trips.tile --kernel=put --grid=1 --device=cpu \
    --arg 'p=zeros:fp32[64]' --arg "n=$1" --save p=want.npy
  set -- --grid=1 --device=sim --arg 'p=zeros:fp32[64]' --arg "lower=$2" \
    --arg "upper=$3" --arg "step=$4" --reference p=want.npy --tolerance=0
  expect 0 'ok$' "$tilec" run trips.tile --kernel=count "$@"
  for stages in 2 3; do
    expect 0 'ok$' "$tilec" run trips.tile --kernel=copied "$@" \
      -D STAGES=$stages --arg 'x=full(1):fp32[64]'
  done
}

# blocks N I SIZE
blocks() {
  expect 0 '' "$tilec" run trips.tile --kernel=put --grid=1 --device=cpu \
    --arg 'p=zeros:fp32[64]' --arg "n=$1" --save p=want.npy
  for stages in 1 2 3; do
    expect 0 'ok$' "$tilec" run trips.tile --kernel=block --grid=1 \
      --device=sim --arg 'p=zeros:fp32[64]' --arg 'x=full(1):fp32[64]' \
      --arg "i=$2" -D SIZE=$3 -D STAGES=$stages \
      --reference p=want.npy --tolerance=0
  done
}

trips 3 2147483640 2147483647 3
trips 2 0 2147483647 2000000000
trips 3 -2147483648 2147483647 2147483647
trips 1 -2147483648 -2147483640 2147483647
trips 1 2147483640 2147483647 2147483647
trips 2 0 -2147483648 -2000000000
trips 3 -2147483640 -2147483647 -3
trips 1 2147483647 2147483640 -2147483648
trips 2 2147483647 -2147483648 -2147483648
trips 0 -2147483648 2147483647 -5
trips 0 2147483647 -2147483648 5
trips 5 2 12 2
blocks 1 3 64
blocks 1 -5 64
blocks 0 33554431 64
blocks 1 33554430 64
blocks 1 3 -64
blocks 0 33554431 -64

finish
