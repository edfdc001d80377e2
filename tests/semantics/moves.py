# moves.py -- ops that passes may not move, or run too often: loads of one of two
# pointers beside stores to one, exchanges before and behind loops of no trip, steps
# so large that the next trip's number wraps in loops that load ahead.
# also: sim sm_75 sm_80 sm_90
# run: --grid=1 --kernel=either --arg x=@moves-x.npy --arg y=@moves-y.npy --arg out=zeros:i32[8x64] --reference x=moves-x-after.npy --reference out=moves-either.npy --tolerance=0
# run: --grid=1 --kernel=turned_either --arg x=@moves-x.npy --arg y=@moves-y.npy --arg out=zeros:i32[8x64] --reference x=moves-x-after.npy --reference out=moves-either.npy --tolerance=0
# run: --grid=1 --kernel=either --num-stages=1 --num-warps=1 --arg x=@moves-x.npy --arg y=@moves-y.npy --arg out=zeros:i32[8x64] --reference x=moves-x-after.npy --reference out=moves-either.npy --tolerance=0
# run: --grid=4 --kernel=exchanges --arg x=@moves-square.npy --arg out=zeros:i32[4x16x16] --arg sums=zeros:i32[4x16] --reference out=moves-turned.npy --reference sums=moves-sums.npy --tolerance=0
# run: --grid=4 --kernel=exchanges --num-warps=8 --arg x=@moves-square.npy --arg out=zeros:i32[4x16x16] --arg sums=zeros:i32[4x16] --reference out=moves-turned.npy --reference sums=moves-sums.npy --tolerance=0
# run: --grid=12 --kernel=steps --arg ranges=@moves-ranges.npy --arg x=@moves-tiles.npy --arg out=zeros:fp32[12x16x16] --reference out=moves-steps.npy --tolerance=0
# run: --grid=12 --kernel=steps --num-stages=5 --num-warps=2 --arg ranges=@moves-ranges.npy --arg x=@moves-tiles.npy --arg out=zeros:fp32[12x16x16] --reference out=moves-steps.npy --tolerance=0
# run: --grid=12 --kernel=steps --num-stages=1 --arg ranges=@moves-ranges.npy --arg x=@moves-tiles.npy --arg out=zeros:fp32[12x16x16] --reference out=moves-steps.npy --tolerance=0
# run: --grid=1 --kernel=carried --num-warps=8 --arg x=@moves-long.npy --arg n=5 --reference x=moves-carried.npy --tolerance=0
# run: --grid=1 --kernel=masked --arg x=@moves-square.npy --arg others=@moves-others.npy --arg out=zeros:i32[8x16x16] --reference out=moves-masked.npy --tolerance=0
# run: --grid=1 --kernel=masked --num-stages=1 --arg x=@moves-square.npy --arg others=@moves-others.npy --arg out=zeros:i32[8x16x16] --reference out=moves-masked.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def either(x, y, out):
    """Every second load reads the elements that the trip before has stored."""
    i = tl.arange(0, 64)
    for k in range(8):
        p = tl.where((i + k) % 2 == 0, x + i, y + i)
        v = tl.load(p)
        tl.store(x + i, v * 2 + k)
        tl.store(out + k * 64 + i, tl.load(p) - v)


@triton.jit
def turned_either(x, y, out):
    """The same, in a loop that asks for loads ahead."""
    i = tl.arange(0, 64)
    for k in tl.range(8, num_stages=3):
        p = tl.where((i + k) % 2 == 1, y + i, x + i)
        v = tl.load(p)
        tl.store(x + i, v * 2 + k)
        tl.store(out + k * 64 + i, tl.load(p) - v)


@triton.jit
def square(p):
    i = tl.arange(0, 16)
    return p + i[:, None] * 16 + i[None, :]


@triton.jit
def exchanges(x, out, sums):
    """A loop with as many trips as the program's number, between two
    transposes."""
    n = tl.program_id(0)
    tile = tl.trans(tl.load(square(x)))
    for k in range(n):
        tile = tl.trans(tile) * 3 + tl.sum(tile, 0)[:, None]
    tl.store(square(out + n * 256), tl.trans(tile))
    for k in range(n - 2):
        tile += tl.cumsum(tile, 1)
    tl.store(sums + n * 16 + tl.arange(0, 16), tl.sum(tile, 1))


@triton.jit
def steps(ranges, x, out):
    n = tl.program_id(0)
    start, end = tl.load(ranges + n * 3), tl.load(ranges + n * 3 + 1)
    step = tl.load(ranges + n * 3 + 2)
    b = tl.load(square(x))
    sums = tl.zeros((16, 16), tl.float32)
    for k in range(start, end, step):
        a = tl.load(square(x + (k & 3) * 256))
        sums = tl.dot(a, b, sums)
    tl.store(square(out + n * 256), sums)


@triton.jit
def carried(x, n):
    """Pointers move by one element in a trip, k by a whole tile."""
    i = tl.arange(0, 256)
    p, q = x + i, x + 255 - i
    for k in range(0, 256 * n, 256):
        v = tl.load(q)
        tl.store(p, v * 2 + k)
        p += 1
        q += 1


@triton.jit
def masked(x, others, out):
    """A product takes masked elements of copies: `others` has them, zeros but for one."""
    sums = tl.zeros((16, 16), tl.int32)
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    b = tl.load(x + at).to(tl.int8)
    b32 = tl.join(b, b).permute(2, 0, 1).reshape(32, 16)
    for k in tl.range(8, num_stages=3):
        j = tl.arange(0, 32)
        where = i[:, None] * 32 + j[None, :]
        other = tl.load(others + where)
        a = tl.load(x + where % 256, mask=where % 8 < k, other=other)
        sums = tl.dot(a.to(tl.int8), b32, sums)
        tl.store(out + k * 256 + at, sums)
