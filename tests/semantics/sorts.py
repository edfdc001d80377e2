# sorts.py -- sort, topk, argmax and argmin of NaNs, infinities and both zeros, as in
# NumPy: in order a NaN is above infinity; the largest and the smallest element are
# numbers. Zeros with a sign are counted.
# run: --kernel=orders --grid=1 -D T=tl.float32 --arg x=@sorts-fp32.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-rows.npy --reference rest=sorts-rest.npy --tolerance=0
# run: --kernel=orders --grid=1 -D T=tl.float64 --arg x=@sorts-fp64.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-rows.npy --reference rest=sorts-rest.npy --tolerance=0
# run: --kernel=orders --grid=1 -D T=tl.float16 --arg x=@sorts-fp16.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-rows.npy --reference rest=sorts-rest.npy --tolerance=0
# run: --kernel=orders --grid=1 -D T=tl.bfloat16 --arg x=@sorts-bf16.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-rows.npy --reference rest=sorts-rest.npy --tolerance=0
# run: --kernel=orders --grid=1 -D T=tl.float8e5 --arg x=@sorts-fp8e5.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-rows.npy --reference rest=sorts-rest.npy --tolerance=0
# run: --kernel=orders --grid=1 -D T=tl.float8e4nv --arg x=@sorts-fp8e4nv.npy --arg rows=zeros:fp32[32x52] --arg rest=zeros:fp32[864] --reference rows=sorts-finite-rows.npy --reference rest=sorts-finite-rest.npy --tolerance=0
# run: --kernel=whole --grid=1 --arg x=@sorts-whole.npy --arg up=zeros:i32[4096] --arg down=zeros:i32[4096] --arg k=zeros:i32[256] --reference up=sorts-up.npy --reference down=sorts-down.npy --reference k=sorts-best.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def put(rows, column: tl.constexpr, width: tl.constexpr, values):
    r = tl.arange(0, 32)[:, None] * 52
    c = tl.arange(0, width)[None, :] + column
    tl.store(rows + r + c, values.to(tl.float32))


@triton.jit
def column(rows, at: tl.constexpr, values):
    tl.store(rows + tl.arange(0, 32) * 52 + at, values.to(tl.float32))


# Only 1 / x shows the sign of a zero.
@triton.jit
def negative_zeros(v):
    return tl.sum((1 / v.to(tl.float32) == float("-inf")).to(tl.int32), 1)


@triton.jit
def orders(x, rows, rest, T: tl.constexpr):
    r = tl.arange(0, 32)
    c = tl.arange(0, 16)
    v = tl.load(x + r[:, None] * 16 + c[None, :]).to(T, bitcast=True)
    up = tl.sort(v)
    down = tl.sort(v, descending=True)
    put(rows, 0, 16, up)
    put(rows, 16, 16, down)
    put(rows, 32, 4, tl.topk(v, 4))
    put(rows, 36, 4, tl.topk(v, 4, descending=False))
    put(rows, 40, 2, tl.sort_impl(v, 2))
    put(rows, 42, 1, tl.topk(v, 1))
    put(rows, 43, 1, tl.topk(v, 1, descending=False))
    column(rows, 44, tl.argmax(v, 1))
    column(rows, 45, tl.argmin(v, -1))
    most, at = tl.max(v, 1, return_indices=True)
    least, which = tl.min(v, 1, return_indices=True, return_indices_tie_break_left=False)
    column(rows, 46, most)
    column(rows, 47, at)
    column(rows, 48, least)
    there = tl.load(x + r * 16 + which).to(T, bitcast=True)
    column(rows, 49, there)
    column(rows, 50, negative_zeros(up))
    column(rows, 51, negative_zeros(down))
    tl.store(rest + c, tl.argmax(v, 0).to(tl.float32))
    tl.store(rest + 16 + c, tl.argmin(v, 0).to(tl.float32))
    cube = v.reshape(4, 8, 16)
    middle = tl.arange(0, 4)[:, None] * 16 + c[None, :]
    tl.store(rest + 32 + middle, tl.argmax(cube, 1).to(tl.float32))
    tl.store(rest + 96 + tl.arange(0, 512), tl.sort(cube).reshape(512).to(tl.float32))
    halves = tl.topk(cube, 8).reshape(256).to(tl.float32)
    tl.store(rest + 608 + tl.arange(0, 256), halves)


# Across warps; `k` has the bits of the numbers, but not those of NaNs.
@triton.jit
def whole(x, up, down, k):
    i = tl.arange(0, 4096)
    v = tl.load(x + i).to(tl.float32, bitcast=True)
    tl.store(up + i, bits(tl.sort(v)))
    tl.store(down + i, bits(tl.sort(v, descending=True)))
    tl.store(k + tl.arange(0, 256), bits(tl.topk(v, 256)))


@triton.jit
def bits(v):
    return tl.where(v != v, 0x7FC00000, v.to(tl.int32, bitcast=True))
