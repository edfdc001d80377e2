# starts.py -- products that start from a tile that the loop loads, and feed
# another product: how columns lie in lanes depends on the load, and with it the
# order of k in the second product.
# also: sim sm_80 sm_86 sm_89 sm_90
# run: --grid=1 --kernel=one --num-warps=4 --arg q=@starts-q.npy --arg k=@starts-k.npy --arg v=@starts-v.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x16] --arg length=64 --arg row=64 -D N=32 -D ROWS=64 --reference out=starts-one.npy --tolerance=0
# run: --grid=1 --kernel=one --num-warps=2 --num-stages=2 --arg q=@starts-q.npy --arg k=@starts-k.npy --arg v=@starts-v.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x16] --arg length=64 --arg row=64 -D N=64 -D ROWS=64 --reference out=starts-one.npy --tolerance=0
# run: --grid=1 --kernel=one --num-warps=8 --num-stages=1 --arg q=@starts-q.npy --arg k=@starts-k.npy --arg v=@starts-v.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x16] --arg length=64 --arg row=64 -D N=32 -D ROWS=64 --reference out=starts-one.npy --tolerance=0
# run: --grid=1 --kernel=one --num-warps=1 --arg q=@starts-q.npy --arg k=@starts-k.npy --arg v=@starts-v.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x16] --arg length=64 --arg row=64 -D N=16 -D ROWS=50 --reference out=starts-cut.npy --tolerance=0
# run: --grid=1 --kernel=two --num-warps=4 --arg q=@starts-q.npy --arg r=@starts-r.npy --arg k=@starts-k.npy --arg v=@starts-v.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x16] --arg length=64 --arg row=64 -D N=32 --reference out=starts-two.npy --tolerance=0
# run: --grid=1 --kernel=alone --num-warps=4 --arg q=@starts-q.npy --arg k=@starts-k.npy --arg bias=@starts-bias.npy --arg out=empty:fp32[64x64] --arg length=64 --arg row=64 -D N=32 --reference out=starts-alone.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def rows_of(x, first, COUNT: tl.constexpr):
    i = first + tl.arange(0, COUNT)
    return tl.load(x + i[:, None] * 16 + tl.arange(0, 16)[None, :])


@triton.jit
def one(q, k, v, bias, out, length, row, N: tl.constexpr, ROWS: tl.constexpr):
    i = tl.arange(0, 64)[:, None]
    n = tl.arange(0, N)[None, :]
    queries = rows_of(q, 0, 64)
    acc = tl.zeros([64, 16], tl.float32)
    for at in range(0, length, N):
        if ROWS < 64:
            scores = tl.load(bias + i * row + at + n, mask=i < ROWS, other=3)
        else:
            scores = tl.load(bias + i * row + at + n)
        scores = tl.dot(queries, rows_of(k, at, N).T, scores)
        acc = tl.dot(scores.to(tl.float16), rows_of(v, at, N), acc)
    tl.store(out + i * 16 + tl.arange(0, 16)[None, :], acc)


@triton.jit
def two(q, r, k, v, bias, out, length, row, N: tl.constexpr):
    i = tl.arange(0, 64)[:, None]
    n = tl.arange(0, N)[None, :]
    queries = rows_of(q, 0, 64)
    others = rows_of(r, 0, 64)
    acc = tl.zeros([64, 16], tl.float32)
    for at in range(0, length, N):
        keys = rows_of(k, at, N).T
        scores = tl.dot(queries, keys, tl.load(bias + i * row + at + n))
        scores = scores * 2 + tl.dot(others, keys)
        acc = tl.dot(scores.to(tl.float16), rows_of(v, at, N), acc)
    tl.store(out + i * 16 + tl.arange(0, 16)[None, :], acc)


@triton.jit
def alone(q, k, bias, out, length, row, N: tl.constexpr):
    i = tl.arange(0, 64)[:, None]
    n = tl.arange(0, N)[None, :]
    queries = rows_of(q, 0, 64)
    for at in range(0, length, N):
        scores = tl.load(bias + i * row + at + n)
        scores = tl.dot(queries, rows_of(k, at, N).T, scores)
        tl.store(out + i * row + at + n, scores)
