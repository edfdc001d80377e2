"""biased.py -- attention whose scores start as a tile of biases.
"""
import triton
import triton.language as tl


@triton.jit
def biased(q, k, v, bias, out, length, bias_row, WIDTH: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    head = tl.program_id(1).to(tl.int64) * length * WIDTH
    column = tl.arange(0, WIDTH)
    block = tl.arange(0, BLOCK_N)
    queries = tl.load(q + head + rows[:, None] * WIDTH + column[None, :])
    k_at = k + head + block[None, :] * WIDTH + column[:, None]
    v_at = v + head + block[:, None] * WIDTH + column[None, :]
    bias_at = bias + rows[:, None] * bias_row + block[None, :]
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, WIDTH], tl.float32)
    for start in range(0, length, BLOCK_N):
        scores = tl.load(bias_at).to(tl.float32)
        scores = tl.dot(queries, tl.load(k_at), scores)
        larger = tl.maximum(m, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(m - larger)
        l = l * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None]
        acc = tl.dot(weights.to(v.dtype.element_ty), tl.load(v_at), acc)
        m = larger
        k_at += BLOCK_N * WIDTH
        v_at += BLOCK_N * WIDTH
        bias_at += BLOCK_N
    at = out + head + rows[:, None] * WIDTH + column[None, :]
    tl.store(at, (acc / l[:, None]).to(out.dtype.element_ty))
