#!/bin/sh
# order.sh TILEC -- loads of a program see its earlier stores, by any of its
# threads.
#
# The CPU runs a program as one thread; the simulator reports every race.
. "$(dirname "$0")/expect.sh"
export TILE_SIM_CHECKS=all

cat >order.tile <<'END_OF_FILE'
@jit
def scalar(p):
    tl.store(p, tl.load(p) + 2)

@jit
def scalars(p):
    for i in range(1, 12):
        tl.store(p + i, tl.load(p + i) + tl.load(p + i - 1))

@jit
def copies(p):
    r = tl.arange(0, 16)
    tl.store(p + r, tl.load(p + r) * 2)

@jit
def pairs(p):
    r = tl.arange(0, 512) // 2
    tl.store(p + r, tl.load(p + r) + 1)

@jit
def neighbours(p):
    r = tl.arange(0, 256)
    tl.store(p + r, tl.load(p + r) + 1)
    tl.store(p + r, tl.load(p + r + 1) * 2)

@jit
def windows(p):
    r = tl.arange(0, 256)
    for i in range(5):
        tl.store(p + i + r, tl.load(p + i + r) + i)

@jit
def fills(p):
    r = tl.arange(0, 256)
    tl.store(p + r * 2, 7.0)
    tl.store(p + 255 - r, tl.load(p + 256 + r))

@jit
def until(p):
    i = 0
    while tl.load(p + i) < 9:
        tl.store(p + i + 1, tl.load(p + i + 1) + 1)
        i += 1

@jit
def either(p):
    r = tl.arange(0, 256)
    if tl.load(p) < 1:
        tl.store(p + r, 3.0)
    tl.store(p + 1 + r, tl.load(p + 2 + r))

@jit
def atomics(p):
    r = tl.arange(0, 256)
    tl.atomic_add(p + r // 4, 1.0, sem="relaxed")
    tl.store(p + 256 + r, tl.load(p + r))
END_OF_FILE

for kernel in scalar scalars copies pairs neighbours windows fills until \
  either atomics; do
  for warps in 1 4; do
    set -- "$tilec" run order.tile --kernel=$kernel --grid=1 \
      --num-warps=$warps --arg 'p=arange:fp32[520]'
    expect 0 '' "$@" --device=cpu --save p=want.npy
    for schedule in late early 1 2; do
      export TILE_SIM_SCHEDULE=$schedule
      expect 0 'ok$' "$@" --device=sim --reference p=want.npy --tolerance=0
      if [ -s err ]; then complain "the simulator reports"; fi
    done
  done
done

# Threads that end with the same result of a reduction may all write it, so
# their bits must be equal: whichever of two lanes had the left operand, and
# whatever LLVM fuses.
cat >replicas.tile <<'END_OF_FILE'
@jit
def welford(mean_a, var_a, n_a, mean_b, var_b, n_b):
    delta = mean_b - mean_a
    n = n_a + n_b
    part = tl.where(n == 0.0, 0.0, n_b / n)
    return mean_a + delta * part, var_a + var_b + delta * delta * n_a * part, n

@jit
def moments(p, q):
    i = tl.arange(0, 16)[:, None]
    v = tl.load(p + i * 16 + tl.arange(0, 16)[None, :])
    mean, var, n = tl.reduce((v, v * 0.1, v * 0.0 + 1.0), 1, welford)
    tl.store(q + i, mean[:, None])
    tl.store(q + 16 + i, var[:, None])

@jit
def products(p, q):
    i = tl.arange(0, 16)[:, None]
    v = tl.load(p + i * 16 + tl.arange(0, 16)[None, :])
    tl.store(q + i, tl.sum(v * 0.1, 1, keep_dims=True))
END_OF_FILE
for kernel in moments products; do
  for warps in 1 2 4 8; do
    set -- "$tilec" run replicas.tile --kernel=$kernel --grid=1 \
      --num-warps=$warps --arg p=randn:fp32[256] --arg q=zeros:fp32[32]
    expect 0 '' "$@" --device=cpu --save q=want.npy
    export TILE_SIM_SCHEDULE=late
    expect 0 'ok$' "$@" --device=sim --reference q=want.npy --tolerance=1e-5
    if [ -s err ]; then complain "the simulator reports"; fi
  done
done

finish
