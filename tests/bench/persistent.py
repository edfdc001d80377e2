"""persistent.py -- a product of fp8 with a scale for each row; each program
computes one block after another in a single loop.
"""
import triton
import triton.language as tl


@triton.jit
def scaled(a, b, a_scales, b_scales, c, M, N, K, a_row, b_row, c_row,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
           GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    """Both operands lie along k; c = (a @ b^T) * a_scales * b_scales."""
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    blocks = down * across
    first = tl.program_id(0)
    mine = blocks // PROGRAMS
    if first < blocks % PROGRAMS:
        mine += 1
    block = first - PROGRAMS
    ki = -1
    k = tl.arange(0, BLOCK_K)
    m = tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    m_first = 0
    n_first = 0
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, k_tiles * mine):
        ki = tl.where(ki == k_tiles - 1, 0, ki + 1)
        if ki == 0:
            block += PROGRAMS
            group = block // (GROUP * across)
            height = min(down - group * GROUP, GROUP)
            within = block % (GROUP * across)
            m_first = (group * GROUP + within % height) * BLOCK_M
            n_first = within // height * BLOCK_N
            m = m_first + tl.arange(0, BLOCK_M)
            n = n_first + tl.arange(0, BLOCK_N)
            m = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BLOCK_M),
                                  BLOCK_M)
            n = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BLOCK_N),
                                  BLOCK_N)
        at = ki * BLOCK_K + k
        rest = K - ki * BLOCK_K
        x = tl.load(a + m[:, None] * a_row + at[None, :],
                    mask=k[None, :] < rest, other=0.0)
        y = tl.load(b + at[:, None] + n[None, :] * b_row,
                    mask=k[:, None] < rest, other=0.0)
        acc = tl.dot(x, y, acc)
        if ki == k_tiles - 1:
            rows = m_first + tl.arange(0, BLOCK_M)
            columns = n_first + tl.arange(0, BLOCK_N)
            of_rows = tl.load(a_scales + rows, mask=rows < M)
            of_columns = tl.load(b_scales + columns, mask=columns < N)
            out = acc * (of_rows[:, None] * of_columns[None, :])
            tl.store(c + rows[:, None] * c_row + columns[None, :],
                     out.to(c.dtype.element_ty),
                     mask=(rows[:, None] < M) & (columns[None, :] < N))
            acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
