# products.py -- products of matrices that are written as sums: to the bit, as a
# plain loop adds up, the sign of zeros included.
# also: sim sm_75 sm_80 sm_90
# run: --grid=1 --kernel=once --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[32x64] -D M=32 -D K=64 -D N=64 --reference out=products.npy --tolerance=0
# run: --grid=1 --kernel=once --num-warps=8 --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[16x16] -D M=16 -D K=64 -D N=16 --reference out=products-corner.npy --tolerance=0
# run: --grid=1 --kernel=once --num-warps=1 --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[8x8] -D M=8 -D K=64 -D N=8 --reference out=products-small.npy --tolerance=0
# run: --grid=1 --kernel=in_steps --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[32x64] -D M=32 -D K=8 -D N=64 --reference out=products-steps.npy --tolerance=0
# run: --grid=1 --kernel=in_steps --num-warps=2 --num-stages=2 --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[32x64] -D M=32 -D K=16 -D N=64 --reference out=products-steps.npy --tolerance=0
# run: --grid=1 --kernel=in_place --arg x=@products-x.npy --arg y=@products-y.npy --arg out=empty:int32[32x64] -D M=32 -D K=64 -D N=64 --reference out=products.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def rows(x, first, M: tl.constexpr, K: tl.constexpr):
    return tl.load(x + tl.arange(0, M)[:, None] * 64 + first + tl.arange(0, K)[None, :])


@triton.jit
def columns(y, first, K: tl.constexpr, N: tl.constexpr):
    return tl.load(y + (first + tl.arange(0, K)[:, None]) * 64 + tl.arange(0, N)[None, :])


@triton.jit
def store(out, sums, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, sums.to(tl.int32, bitcast=True))


@triton.jit
def once(x, y, out, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    a, b = rows(x, 0, M, K), columns(y, 0, K, N)
    store(out, tl.sum(a[:, :, None] * b[None, :, :], axis=1), M, N)


@triton.jit
def in_steps(x, y, out, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    sums = tl.zeros([M, N], tl.float32)
    for k in range(0, 64, K):
        a, b = rows(x, k, M, K), columns(y, k, K, N)
        sums += tl.sum(tl.expand_dims(b, 0) * tl.expand_dims(a, 2), axis=1)
    store(out, sums, M, N)


@triton.jit
def in_place(x, y, out, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)[:, None, None]
    k = tl.arange(0, K)[None, :, None]
    n = tl.arange(0, N)[None, None, :]
    products = tl.load(x + m * 64 + k) * tl.load(y + k * 64 + n)
    store(out, tl.sum(products, axis=1), M, N)
