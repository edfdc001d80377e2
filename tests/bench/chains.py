"""chains.py -- loops whose loads have addresses that are loaded, too."""
import triton
import triton.language as tl


@triton.jit
def paged(q, keys, values, numbers, table, out, pages, WIDTH: tl.constexpr,
          BLOCK_M: tl.constexpr, PAGE: tl.constexpr, LOADS: tl.constexpr):
    """Attention over pages that `table` names; with three loads in a row,
    `numbers` names the entries of `table`."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.arange(0, WIDTH)
    row = tl.arange(0, PAGE)
    queries = tl.load(q + rows[:, None] * WIDTH + column[None, :])
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, WIDTH], tl.float32)
    for i in range(0, pages):
        if LOADS == 3:
            page = tl.load(table + tl.load(numbers + i))
        else:
            page = tl.load(table + i)
        start = page * (PAGE * WIDTH)
        k = tl.load(keys + start + row[None, :] * WIDTH + column[:, None])
        scores = tl.dot(queries, k)
        larger = tl.maximum(m, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(m - larger)
        v = tl.load(values + start + row[:, None] * WIDTH + column[None, :])
        l = l * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        m = larger
    at = out + rows[:, None] * WIDTH + column[None, :]
    tl.store(at, acc / l[:, None])


@triton.jit
def gathered(a, b, numbers, table, out, depth, a_row, b_row, out_row,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             BLOCK_K: tl.constexpr, LOADS: tl.constexpr):
    """A product with rows of b that a table lists."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, depth, BLOCK_K):
        if LOADS == 3:
            rows = tl.load(table + tl.load(numbers + start + k))
        else:
            rows = tl.load(table + start + k)
        x = tl.load(a + m[:, None] * a_row + (start + k)[None, :])
        y = tl.load(b + rows[:, None] * b_row + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + m[:, None] * out_row + n[None, :], acc)
