# loops.py -- range() with run-time bounds of every integer type, and steps.
# run: --kernel=bounds --grid=1 --arg limits=@loops-limits.npy --arg out=zeros:i64[8x6x4] --reference out=loops.npy --tolerance=0
# run: --kernel=edges --grid=1 --arg limits=@loops-edges-limits.npy --arg out=zeros:i64[8x2] --reference out=loops-edges.npy --tolerance=0
# run: --kernel=steps --grid=1 --arg n=23 --arg out=zeros:i64[7x4] --reference out=loops-steps.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def record(out, count, total, first, last):
    tl.store(out, count)
    tl.store(out + 1, total)
    tl.store(out + 2, first)
    tl.store(out + 3, last)


@triton.jit
def sum_of(out, start, end, step: tl.constexpr):
    count, total = 0, tl.full((), 0, tl.int64)
    first, last = tl.full((), -1, tl.int64), tl.full((), -1, tl.int64)
    for i in range(start, end, step):
        if count == 0:
            first = i.to(tl.int64)
        last = i.to(tl.int64)
        total += i.to(tl.int64)
        count += 1
    record(out, count, total, first, last)


@triton.jit
def of_type(limits, out, T: tl.constexpr):
    start, end = tl.load(limits).to(T), tl.load(limits + 1).to(T)
    sum_of(out, start, end, 1)
    sum_of(out + 4, start, end, 3)
    sum_of(out + 8, end, start, -1)
    sum_of(out + 12, end, start, -4)
    sum_of(out + 16, 0, end, 2)
    sum_of(out + 20, start, 100, tl.load(limits + 2).to(T))


@triton.jit
def bounds(limits, out):
    of_type(limits, out, tl.int8)
    of_type(limits, out + 24, tl.int16)
    of_type(limits, out + 48, tl.int32)
    of_type(limits, out + 72, tl.int64)
    of_type(limits, out + 96, tl.uint8)
    of_type(limits, out + 120, tl.uint16)
    of_type(limits, out + 144, tl.uint32)
    of_type(limits, out + 168, tl.uint64)


@triton.jit
def near_the_end(limits, out, row, T: tl.constexpr):
    """Loops start three below the largest value of the type."""
    count, total = 0, tl.full((), 0, tl.int64)
    start = tl.load(limits + 2 * row).to(T)
    end = tl.load(limits + 2 * row + 1).to(T)
    for i in range(start, end):
        count += 1
        total += (i - start).to(tl.int64)
    tl.store(out + 2 * row, count)
    tl.store(out + 2 * row + 1, total)


@triton.jit
def edges(limits, out):
    near_the_end(limits, out, 0, tl.int8)
    near_the_end(limits, out, 1, tl.int16)
    near_the_end(limits, out, 2, tl.int32)
    near_the_end(limits, out, 3, tl.int64)
    near_the_end(limits, out, 4, tl.uint8)
    near_the_end(limits, out, 5, tl.uint16)
    near_the_end(limits, out, 6, tl.uint32)
    near_the_end(limits, out, 7, tl.uint64)


@triton.jit
def steps(n, out):
    sum_of(out, n, 0, -1)
    sum_of(out + 4, n - 1, -1, -5)
    sum_of(out + 8, 0, n, n)
    sum_of(out + 12, n, n, 1)
    sum_of(out + 16, n, 0, 1)
    sum_of(out + 20, -n, n, n // 3)
    sum_of(out + 24, tl.cdiv(n, 4) - 1, -1, -1)
