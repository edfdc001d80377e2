# kernels.py -- kernels that Triton compiles for the simulator's test.
import triton
import triton.language as tl


@triton.jit
def layer_norm(x, y, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    values = tl.load(x + row * columns + column, mask=mask, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(mask, values - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scale = 1 / tl.sqrt(variance + eps)
    w = tl.load(weight + column, mask=mask, other=0.0)
    b = tl.load(bias + column, mask=mask, other=0.0)
    tl.store(y + row * columns + column, centred * scale * w + b, mask=mask)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (start + k)[None, :],
                       mask=(rows[:, None] < M) & ((start + k)[None, :] < K),
                       other=0.0)
        right = tl.load(b + (start + k)[:, None] * N + columns[None, :],
                        mask=((start + k)[:, None] < K) &
                        (columns[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))
