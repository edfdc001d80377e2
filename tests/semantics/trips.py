# trips.py -- products that a loop adds up, of few and many trips: sums of small
# integers, which are exact in any order. A CPU multiplies the operands of
# several trips at once, and uses other instructions for denormals of bf16.
# also: sim sm_75 sm_90
# run: --grid=3 --kernel=straight --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=int8 -D S=int32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=straight --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=bf16 -D S=fp32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=straight --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=fp16 -D S=fp32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=straight --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=fp32 -D S=fp32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=turned --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=int8 -D S=int32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=turned --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=bf16 -D S=fp32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=turned --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] -D T=fp32 -D S=fp32 --reference out=trips.npy --tolerance=0
# run: --grid=3 --kernel=small --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[3x32x64] --reference out=trips.npy --tolerance=0
# run: --grid=1 --kernel=unrolled --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[32x64] -D T=int8 -D S=int32 --reference out=trips-all.npy --tolerance=0
# run: --grid=1 --kernel=unrolled --arg x=@trips-x.npy --arg y=@trips-y.npy --arg out=empty:int32[32x64] -D T=bf16 -D S=fp32 --reference out=trips-all.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def left(x, k):
    m, n = tl.arange(0, 32), tl.arange(0, 32)
    return tl.load(x + m[:, None] * 544 + k + n[None, :])


@triton.jit
def right(y, k):
    m, n = tl.arange(0, 32), tl.arange(0, 64)
    return tl.load(y + (k + m[:, None]) * 64 + n[None, :])


@triton.jit
def store(out, sums):
    at = tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out + tl.program_id(0) * 2048 + at, sums.to(tl.int32))


@triton.jit
def straight(x, y, out, T: tl.constexpr, S: tl.constexpr):
    sums = tl.zeros([32, 64], S)
    for k in range(0, 32 + 256 * tl.program_id(0), 32):
        sums = tl.dot(left(x, k).to(T), right(y, k).to(T), sums, out_dtype=S)
    store(out, sums)


@triton.jit
def turned(x, y, out, T: tl.constexpr, S: tl.constexpr):
    sums = tl.zeros([64, 32], S)
    for k in range(0, 32 + 256 * tl.program_id(0), 32):
        a, b = right(y, k).to(T), left(x, k).to(T)
        sums = tl.dot(tl.trans(a), tl.trans(b), sums, out_dtype=S)
    store(out, tl.trans(sums))


# Denormals in the left operand of the third trip.
@triton.jit
def small(x, y, out):
    sums = tl.zeros([32, 64], tl.float32)
    for k in range(0, 32 + 256 * tl.program_id(0), 32):
        a, b = left(x, k).to(tl.float32), right(y, k).to(tl.float32)
        if k == 64:
            a, b = a * 2.0**-130, b * 2.0**100
        else:
            a, b = a * 2.0**-10, b * 2.0**-20
        sums = tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16), sums)
    store(out, sums * 2.0**30)


# The operands of two dots wait at the same time, and those of more dots follow.
@triton.jit
def unrolled(x, y, out, T: tl.constexpr, S: tl.constexpr):
    sums = tl.zeros([32, 64], S)
    more = tl.zeros([32, 64], S)
    for k in tl.static_range(0, 512, 64):
        a, b = left(x, k).to(T), right(y, k).to(T)
        c, d = left(x, k + 32).to(T), right(y, k + 32).to(T)
        sums = tl.dot(a, b, sums, out_dtype=S)
        more = tl.dot(c, d, more, out_dtype=S)
    sums = tl.dot(left(x, 512).to(T), right(y, 512).to(T), sums, out_dtype=S)
    store(out, sums + more)
