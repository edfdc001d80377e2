#!/bin/sh
# order.sh TILEC -- what a program stores it then loads, whichever threads do.
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

finish
