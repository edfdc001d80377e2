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

# A second trip is impossible; where the bounds wrap, the first one is, too.
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

# The address and the mask of a copy come from another copy, of this trip or of
# the one before.
cat >chase.tile <<'END_OF_FILE'
@jit
def chase(p, x, next, n, CARRIED: tl.constexpr, STAGES: tl.constexpr):
    r = tl.arange(0, 32)
    sum = tl.zeros([32, 32], tl.float32)
    rows = tl.load(next + r)
    for i in tl.range(n, num_stages=STAGES):
        if not CARRIED:
            rows = tl.load(next + i * 32 + r)
        to = (rows * 7 % 64)[:, None] * 32 + r[None, :]
        sum += tl.load(x + to, mask=(rows % 5 > 0)[:, None], other=3)
        sum = tl.dot(tl.load(x + to), tl.load(x + to), sum, input_precision="ieee")
        if CARRIED:
            rows = tl.load(next + i * 32 + r)
    tl.store(p + r[:, None] * 32 + r[None, :], sum)
END_OF_FILE

# chases N: results are those of the CPU, where no loop copies ahead
chases() {
  trips=$1
  for carried in 0 1; do
    set -- --grid=1 -D CARRIED=$carried --arg 'p=zeros:fp32[1024]' \
      --arg 'x=rand:fp32[2048]' --arg 'next=arange:i32[512]' --arg "n=$trips"
    expect 0 '' "$tilec" run chase.tile --device=cpu "$@" -D STAGES=1 \
      --save p=want.npy
    for stages in 1 2 3 4; do
      expect 0 'ok$' "$tilec" run chase.tile --device=sim "$@" \
        -D STAGES=$stages --reference p=want.npy --tolerance=1e-4
    done
  done
}

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
for n in 0 1 2 3 5; do chases $n; done
blocks 1 3 64
blocks 1 -5 64
blocks 0 33554431 64
blocks 1 33554430 64
blocks 1 3 -64
blocks 0 33554431 -64

finish
