# batches.py -- products of batches of matrices, in any number of dimensions.
# also: sim sm_75 sm_80 sm_90
# run: --grid=1 --kernel=four --arg x=@batches-x.npy --arg y=@batches-y.npy --arg out=empty:fp32[2x4x16x16] -D T=fp16 --reference out=batches.npy --tolerance=0
# run: --grid=1 --kernel=four --num-warps=8 --arg x=@batches-x.npy --arg y=@batches-y.npy --arg out=empty:fp32[2x4x16x16] -D T=fp32 --reference out=batches.npy --tolerance=0
# run: --grid=1 --kernel=four --num-warps=1 --num-stages=1 --arg x=@batches-x.npy --arg y=@batches-y.npy --arg out=empty:fp32[2x4x16x16] -D T=fp64 --reference out=batches.npy --tolerance=0
# run: --grid=1 --kernel=five --arg x=@batches-x.npy --arg y=@batches-y.npy --arg out=empty:fp32[2x4x16x16] --reference out=batches.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def ids(a: tl.constexpr, b: tl.constexpr, c: tl.constexpr, d: tl.constexpr):
    i = tl.arange(0, a)[:, None, None, None] * b + tl.arange(0, b)[None, :, None, None]
    i = i * c + tl.arange(0, c)[None, None, :, None]
    return i * d + tl.arange(0, d)[None, None, None, :]


@triton.jit
def four(x, y, out, T: tl.constexpr):
    rows = tl.arange(0, 8).reshape(2, 4, 1, 1) * 512
    k = tl.arange(0, 16)
    across = k[:, None] * 32 + k[None, :]
    down = k[:, None] * 16 + k[None, :]
    acc = tl.zeros([2, 4, 16, 16], tl.float64 if T == tl.float64 else tl.float32)
    for step in range(2):
        a = tl.load(x + rows + across[None, None] + step * 16).to(T)
        b = tl.load(y + rows + down[None, None] + step * 256).to(T)
        acc = tl.dot(a, b, acc)
    tl.static_assert(acc.shape == (2, 4, 16, 16))
    tl.store(out + ids(2, 4, 16, 16), acc.to(tl.float32))


@triton.jit
def five(x, y, out):
    a = tl.load(x + ids(2, 4, 16, 32)).reshape(2, 2, 2, 16, 32).to(tl.float16)
    b = tl.load(y + ids(2, 4, 32, 16)).reshape(2, 2, 2, 32, 16).to(tl.float16)
    c = tl.dot(a, b)
    tl.static_assert(c.shape == (2, 2, 2, 16, 16))
    tl.store(out + ids(2, 4, 16, 16), c.reshape(2, 4, 16, 16))
