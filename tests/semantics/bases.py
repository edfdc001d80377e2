# bases.py -- tensor maps whose base is a sum of launch values, two products in a
# trip of which the second runs while the next trip computes, columns of a
# reshaped tile in two blocks, and a tile too large for copies by a map.
# also: sim sm_90
# run: --grid=2 --kernel=sums --arg x=@bases-x.npy --arg y=@bases-y.npy --arg out=empty:fp32[2x64x64] --arg first=8 --arg stride=512 --arg row=64 --arg K=64 -D BK=32 --reference out=bases-sums.npy --tolerance=0
# run: --grid=1 --kernel=pairs --arg q=@bases-q.npy --arg k=@bases-k.npy --arg v=@bases-v.npy --arg out=empty:fp32[64x64] --arg length=64 --arg scale=0.5 --reference out=bases-one.npy --tolerance=0
# run: --grid=1 --kernel=pairs --num-warps=8 --arg q=@bases-q.npy --arg k=@bases-k.npy --arg v=@bases-v.npy --arg out=empty:fp32[64x64] --arg length=192 --arg scale=0.5 --reference out=bases-three.npy --tolerance=0
# run: --grid=1 --kernel=pairs --arg q=@bases-q.npy --arg k=@bases-k.npy --arg v=@bases-v.npy --arg out=empty:fp32[64x64] --arg length=192 --arg scale=0.5 --reference out=bases-three.npy --tolerance=0
# run: --grid=1 --kernel=pairs --arg q=@bases-q.npy --arg k=@bases-k.npy --arg v=@bases-v.npy --arg out=empty:fp32[64x64] --arg length=0 --arg scale=0.5 --reference out=bases-none.npy --tolerance=0
# run: --grid=1 --kernel=columns --num-ctas=2 --arg x=arange:i32[64x128] --arg out=empty:i32[64] --reference out=bases-columns.npy --tolerance=0
# run: --grid=1 --kernel=large --num-warps=8 --arg x=arange:i32[64x1024] --arg out=empty:i32[1024] -D M=64 -D N=1024 --reference out=bases-large.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def sums(x, y, out, first, stride, row, K, BK: tl.constexpr):
    """The product of some rows of x with y; 8 elements would be aligned, too."""
    x += (tl.program_id(0) + first) * stride
    i, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, BK):
        a = tl.load(x + i[:, None] * row + (at + k)[None, :])
        b = tl.load(y + (at + k)[:, None] * 64 + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + tl.program_id(0) * 4096 + i[:, None] * 64 + n[None, :], total)


@triton.jit
def pairs(q, k, v, out, length, scale):
    """Two products in each trip, of which the second adds up."""
    i, d, n = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    queries = tl.load(q + i[:, None] * 64 + d[None, :])
    total = tl.zeros((64, 64), tl.float32)
    for at in range(0, length, 64):
        keys = tl.load(k + (at + n)[:, None] * 64 + d[None, :])
        scores = tl.dot(queries, keys.T) * scale
        values = tl.load(v + (at + n)[:, None] * 64 + d[None, :])
        total = total * scale
        total = tl.dot(scores.to(tl.float16), values, total)
    tl.store(out + i[:, None] * 64 + d[None, :], total)


@triton.jit
def columns(x, out):
    """No part of the columns is a part of x."""
    i = tl.arange(0, 64)[:, None] * 128 + tl.arange(0, 128)[None, :]
    tl.store(out + tl.arange(0, 64), tl.sum(tl.reshape(tl.load(x + i), (128, 64)), 0))


@triton.jit
def large(x, out, M: tl.constexpr, N: tl.constexpr):
    tile = tl.make_tensor_descriptor(x, [M, N], [N, 1], [M, N]).load([0, 0])
    tl.store(out + tl.arange(0, N), tl.sum(tile, 0))
