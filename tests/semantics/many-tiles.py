# many-tiles.py -- a reduction and a scan of as many tiles as there may be.
# run: --kernel=many --grid=1 --arg sums=zeros:i32[16] --arg runs=zeros:i32[16,32] --reference sums=many-tiles.npy --reference runs=many-tiles-runs.npy --tolerance=0
import triton
import triton.language as tl


# fmt: off
@triton.jit
def mixed(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,
          b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15):
    return (a0 + b0, a1 + b1, a2 + b2, a3 + b3, tl.maximum(a4, b4), a5 + b5,
            a6 + b6, a7 + b7, a8 + b8, tl.minimum(a9, b9), a10 + b10,
            a11 + b11, a12 + b12, a13 + b13, a14 + b14, tl.maximum(a15, b15))
# fmt: on


@triton.jit
def many(sums, runs):
    i = tl.arange(0, 32)
    x = i * 7 % 13
    tiles = [x * (k + 1) - 5 * k for k in tl.static_range(16)]
    totals = tl.reduce(tiles, 0, mixed)
    so_far = tl.associative_scan(tiles, 0, mixed)
    for k in tl.static_range(16):
        tl.store(sums + k, totals[k])
        tl.store(runs + k * 32 + i, so_far[k])
