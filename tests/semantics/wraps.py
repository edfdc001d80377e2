# wraps.py -- a promise of adjacent elements that does not hold where a block
# wraps around: 52 is a multiple of the elements that a GPU loads at once, but
# not of a CPU's vector.
# run: --kernel=read --grid=1 --arg x=arange:fp32[208] --arg out=empty:fp32[64] --arg n=52 --reference out=wraps-read.npy --tolerance=0
# run: --kernel=read_some --grid=1 --arg x=arange:fp32[208] --arg out=empty:fp32[64] --arg n=52 --arg m=60 --reference out=wraps-read.npy --tolerance=0
# run: --kernel=look_up --grid=1 --arg rows=@wraps-rows.npy --arg x=arange:fp32[208] --arg out=empty:fp32[64] --arg n=52 --reference out=wraps-found.npy --tolerance=0
# run: --kernel=write_some --grid=1 --arg out=zeros:fp32[64] --arg n=52 --arg m=64 --reference out=wraps-written.npy --tolerance=0
# run: --kernel=write --grid=1 --arg out=zeros:fp32[64] --arg n=52 --reference out=wraps-written.npy --tolerance=0
import triton.language as tl
from triton import jit


@jit
def wrapped(i, n):
    return tl.max_contiguous(tl.multiple_of(i % n, 64), 64)


@jit
def read(x, out, n):
    j = tl.arange(0, 64)
    p = x + wrapped(j, n)
    sum = tl.zeros((64, ), tl.float32)
    for _ in range(0, 3):
        sum += tl.load(p, mask=j < 60, other=1)
        p += n
    tl.store(out + j, sum)


@jit
def read_some(x, out, n, m):
    j = tl.arange(0, 64)
    p = x + wrapped(j, n)
    sum = tl.zeros((64, ), tl.float32)
    for _ in range(0, 3):
        sum += tl.load(p, mask=j < m, other=1)
        p += n
    tl.store(out + j, sum)


@jit
def look_up(rows, x, out, n):
    j = tl.arange(0, 64)
    row = tl.load(rows + wrapped(j, n))
    tl.store(out + j, tl.load(x + row))


@jit
def write(out, n):
    i = wrapped(tl.arange(0, 64) + 24, n)
    tl.store(out + i, i.to(tl.float32) + 1)


@jit
def write_some(out, n, m):
    j = tl.arange(0, 64)
    i = wrapped(j + 24, n)
    tl.store(out + i, i.to(tl.float32) + 1, mask=j < m)
