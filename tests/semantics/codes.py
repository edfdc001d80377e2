# codes.py -- fp8e4b15, which is stored and moved as it is, and computed with in fp16; fp8e4nv,
# whose NaNs keep their signs when they are moved as bits; and bools, which are int8 in memory, and
# may be any int8 up to Triton 3.8. abs() of any fp8 clears the sign bit, also of an infinity and of
# a NaN.
# also: sim sm_89
# run: --grid=1 --kernel=decode --arg x=@codes-bytes.npy --arg out=empty:fp32[256] --reference out=codes-values.npy --tolerance=0
# run: --grid=1 --kernel=encode --arg x=@codes-x.npy --arg out=empty:u8[256] --reference out=codes.npy --tolerance=0
# run: --grid=1 --kernel=product --arg x=@codes-bytes.npy --arg out=empty:fp32[16x16] --reference out=codes-product.npy --tolerance=1e-6
# run: --grid=1 --kernel=move --arg x=@codes-bytes.npy --arg out=empty:u8[256] --reference out=codes-bytes.npy --tolerance=0
# run: --grid=1 --kernel=typed --arg x=@codes-bytes.npy --arg scale=0.8125 --arg out=empty:fp8e4b15[256] --reference out=codes-bytes.npy --tolerance=0
# run: --grid=1 --kernel=as_bits --arg x=@codes-bytes.npy --arg out=empty:u8[256] --reference out=codes-bytes.npy --tolerance=0
# run: --grid=1 --kernel=stored_bits --arg x=@codes-bytes.npy --arg out=empty:u8[256] --reference out=codes-bytes.npy --tolerance=0
# run: --grid=1 --kernel=bools --arg x=@codes-bytes.npy --arg out=empty:u8[768] --reference out=codes-truths.npy --tolerance=0
# run: --triton=3.8 --grid=1 --kernel=bools --arg x=@codes-bytes.npy --arg out=empty:u8[768] --reference out=codes-bools.npy --tolerance=0
# run: --grid=1 --kernel=sizes --arg x=@codes-bytes.npy --arg out=empty:u8[768] --reference out=codes-sizes.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def as_codes(x):
    return tl.load(x + tl.arange(0, 256)).to(tl.float8e4b15, bitcast=True)


@triton.jit
def decode(x, out):
    i = tl.arange(0, 256)
    v = as_codes(x)
    tl.static_assert(v.dtype.is_fp8e4b15() and v.dtype.is_fp8())
    tl.store(out + i, tl.where(i % 2 == 0, v.to(tl.float32), v.to(tl.float16).to(tl.float32)))


@triton.jit
def encode(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x + i).to(tl.float8e4b15)
    tl.store(out + i, v.to(tl.uint8, bitcast=True))


@triton.jit
def product(x, out):
    a = as_codes(x).reshape(16, 16)
    i = tl.arange(0, 16)
    tl.store(out + i[:, None] * 16 + i[None, :], tl.dot(a, a))


@triton.jit
def move(x, out):
    i = tl.arange(0, 256)
    p = x.to(tl.pointer_type(tl.float8e4b15))
    v = tl.load(p + i, mask=i >= 0, other=1.5)
    zeros = tl.zeros([256], tl.float8e4b15)
    ones = tl.full([256], 1, tl.float8e4b15)
    v = tl.where(i < 0, zeros, tl.where(i < 0, ones, v))
    for _ in range(2):
        v = v.reshape(16, 16).trans().reshape(256)
    if tl.program_id(0) > 0:
        v = (v + 1.0).to(tl.float8e4b15)
    q = out.to(tl.pointer_type(tl.float8e4b15))
    tl.store(q + i, v)


@triton.jit
def typed(x: "*fp8e4b15", scale: "fp8e4b15", out: "*fp8e4b15"):
    i = tl.arange(0, 256)
    tl.static_assert(scale.dtype == tl.float8e4b15)
    tl.store(out + i, tl.load(x + i), mask=scale.to(tl.float32) == 0.8125)


@triton.jit
def as_bits(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x.to(tl.pointer_type(tl.float8e4nv)) + i)
    tl.store(out + i, v.to(tl.uint8, bitcast=True))


@triton.jit
def stored_bits(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x + i).to(tl.float8e4nv, bitcast=True)
    for _ in tl.static_range(2):
        v = v.reshape(16, 16).trans().reshape(256)
    tl.store(out.to(tl.pointer_type(tl.float8e4nv)) + i, v)


@triton.jit
def bools(x, out):
    i = tl.arange(0, 256)
    n = tl.load(x + i).to(tl.int32) * 3 - 100
    p = out.to(tl.pointer_type(tl.int1)) + i
    tl.store(p, n)
    tl.store(p + 256, n / 8)
    tl.debug_barrier()
    tl.store(p + 512, tl.load(p + 256))


@triton.jit
def sizes(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    tl.store(out + i, tl.abs(v.to(tl.float8e5, bitcast=True)).to(tl.uint8, bitcast=True))
    tl.store(out + 256 + i, abs(v.to(tl.float8e4nv, bitcast=True)).to(tl.uint8, bitcast=True))
    tl.store(out + 512 + i, tl.abs(v.to(tl.float8e4b15, bitcast=True)).to(tl.uint8, bitcast=True))
