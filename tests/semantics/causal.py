# causal.py -- elements that are chosen by the limit of their row, as by a causal
# mask: limits near each other, far apart, and at both ends of the numbers.
# also: sim sm_80 sm_90
# run: --grid=1 --arg a=@causal-a.npy --arg b=@causal-b.npy --arg rows=@causal-rows.npy --arg columns=@causal-columns.npy --arg out=empty:fp32[8,9,6] -D BM=128 -D BN=64 --reference out=causal.npy --tolerance=0
# run: --grid=1 --num-warps=8 --arg a=@causal-a.npy --arg b=@causal-b.npy --arg rows=@causal-rows.npy --arg columns=@causal-columns.npy --arg out=empty:fp32[8,9,6] -D BM=128 -D BN=64 --reference out=causal.npy --tolerance=0
# run: --grid=1 --num-warps=1 --arg a=@causal-a.npy --arg b=@causal-b.npy --arg rows=@causal-rows.npy --arg columns=@causal-columns.npy --arg out=empty:fp32[8,9,6] -D BM=32 -D BN=32 --reference out=causal-small.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def causal(a, b, rows, columns, out, BM: tl.constexpr, BN: tl.constexpr):
    i, j, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 16)
    x = tl.load(a + i[:, None] * 16 + k[None, :])
    y = tl.load(b + k[:, None] * 64 + j[None, :])
    scores = tl.dot(x, y)
    for m in range(8):
        first = tl.load(rows + m)
        row = tl.multiple_of(first, BM) + i[:, None]
        for n in range(9):
            column = tl.multiple_of(tl.load(columns + n), BN) + j[None, :]
            at = out + (m * 9 + n) * 6
            tl.store(at, tl.sum(tl.where(row >= column, scores, 0)))
            tl.store(at + 1, tl.sum(tl.where(row > column, scores, 0)))
            tl.store(at + 2, tl.sum(tl.where(row < column, scores, 1)))
            tl.store(at + 3, tl.sum(tl.where(column >= row, scores, 1)))
            tl.store(at + 4, tl.sum(tl.where(column < first + 37, scores, 2)))
            tl.store(at + 5, tl.sum(tl.where(first - 5 <= row, 3, scores)))
