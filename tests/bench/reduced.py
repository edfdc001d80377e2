"""reduced.py -- sums of blocks with strides from the launch, of rows that start
anywhere, and of columns; and the places of the greatest numbers.
"""
import triton
import triton.language as tl


@triton.jit
def cube(x, out, s0, s1, s2, t0, t1, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = i[:, None, None] * s0 + i[None, :, None] * s1 + i[None, None, :] * s2
    sums = tl.sum(tl.load(x + at), axis=2)
    tl.store(out + i[:, None] * t0 + i[None, :] * t1, sums)


@triton.jit
def jagged_softmax(x, offsets, out, WIDTH: tl.constexpr, ROWS: tl.constexpr,
                   COLUMNS: tl.constexpr):
    """The softmax of each column of a program's rows."""
    start = tl.load(offsets + tl.program_id(0))
    length = tl.load(offsets + tl.program_id(0) + 1) - start
    rows = tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    there = (rows[:, None] < length) & (columns[None, :] < WIDTH)
    at = (start + rows)[:, None] * WIDTH + columns[None, :]
    v = tl.load(x + at, mask=there, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0)[None, :])
    tl.store(out + at, e / tl.sum(e, 0)[None, :], mask=there)


@triton.jit
def jagged_sum(x, offsets, out, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    start = tl.load(offsets + tl.program_id(0))
    length = tl.load(offsets + tl.program_id(0) + 1) - start
    rows, columns = tl.arange(0, ROWS), tl.arange(0, WIDTH)
    v = tl.load(x + (start + rows)[:, None] * WIDTH + columns[None, :],
                mask=rows[:, None] < length, other=0)
    tl.store(out + tl.program_id(0) * WIDTH + columns, tl.sum(v, 0))


@triton.jit
def places(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    """Where the greatest number of each column or row is."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(out + (n if AXIS == 0 else m), tl.argmax(v, AXIS))


@triton.jit
def place(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + tl.program_id(0), tl.argmax(tl.load(x + i), 0))


@triton.jit
def column_sums(x, out, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(out + n, tl.sum(v.to(tl.float32), 0))
