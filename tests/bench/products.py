"""products.py -- matrix products of pointers and masks, of any strides.
"""
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
            c_column, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    across = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * across
    first = tl.program_id(0) // in_group * GROUP
    height = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    within = tl.program_id(0) % in_group
    m = (first + within % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = within // height * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_at = a + (m % M)[:, None] * a_row + k[None, :] * a_column
    b_at = b + k[:, None] * b_row + (n % N)[None, :] * b_column
    whole: tl.constexpr = a.dtype.element_ty.is_int()
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if whole else tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - i * BLOCK_K
        x = tl.load(a_at, mask=k[None, :] < rest, other=0.0)
        y = tl.load(b_at, mask=k[:, None] < rest, other=0.0)
        acc = tl.dot(x, y.to(x.dtype), acc, out_dtype=acc.dtype)
        a_at += BLOCK_K * a_column
        b_at += BLOCK_K * b_row
    c_at = c + m[:, None] * c_row + n[None, :] * c_column
    tl.store(c_at, acc.to(c.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def limited(a, b, c, K, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, TERMS: tl.constexpr):
    """Sums of few terms of fp8; rows of a and columns of b are contiguous."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_at = a + m[:, None] * K + k[None, :]
    b_at = b + k[:, None] + n[None, :] * K
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(a_at), tl.load(b_at), acc,
                     max_num_imprecise_acc=TERMS)
        a_at += BLOCK_K
        b_at += BLOCK_K
    c_at = c + m[:, None] * stride + n[None, :]
    tl.store(c_at, acc.to(c.dtype.element_ty))
