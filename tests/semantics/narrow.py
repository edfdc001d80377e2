# narrow.py -- indices of few bits that wrap around before they are widened, and
# the remainder of a division whose quotient has many digits.
# also: sim sm_75 sm_90
# run: --grid=4 --kernel=bytes --arg x=arange:int16[4096] --arg starts=@narrow-starts.npy --arg out=empty:int16[4x64] --reference out=narrow-bytes.npy --tolerance=0
# run: --grid=4 --kernel=shorts --arg x=arange:int32[65536] --arg starts=@narrow-shorts.npy --arg out=empty:int32[4x2x64] --reference out=narrow-ints.npy --tolerance=0
# run: --grid=4 --kernel=rows --arg x=arange:int16[4096] --arg starts=@narrow-starts.npy --arg out=empty:fp32[4x64x16] --reference out=narrow-products.npy --tolerance=0
# run: --grid=4 --kernel=rows --num-stages=1 --num-warps=1 --arg x=arange:int16[4096] --arg starts=@narrow-starts.npy --arg out=empty:fp32[4x64x16] --reference out=narrow-products.npy --tolerance=0
# run: --grid=4 --kernel=written --arg starts=@narrow-starts.npy --arg out=zeros:int16[4x4096] --reference out=narrow-written.npy --tolerance=0
# run: --grid=16 --kernel=rests --arg x=@narrow-x.npy --arg y=@narrow-y.npy --arg out=empty:fp64[1024] --reference out=narrow-rests.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def bytes(x, starts, out):
    """Rows -128 to 127 of 16 each; the sum of two bytes is a byte."""
    n = tl.program_id(0)
    i = tl.arange(0, 64)
    row = (tl.load(starts + n) + i.to(tl.int8)).to(tl.int32)
    tl.store(out + n * 64 + i, tl.load(x + 2048 + row * 16 + 3))


@triton.jit
def shorts(x, starts, out):
    n = tl.program_id(0)
    i = tl.arange(0, 64)
    start = tl.load(starts + n)
    at = start + (i * 2).to(tl.int16)
    tl.store(out + n * 128 + i, tl.load(x + 32768 + at.to(tl.int64)))
    at = (i.to(tl.int16) * 513 + start).to(tl.uint16)
    tl.store(out + n * 128 + 64 + i, tl.load(x + at.to(tl.int64)))


@triton.jit
def rows(x, starts, out):
    """A product of rows whose numbers wrap, in three steps."""
    n = tl.program_id(0)
    i, j = tl.arange(0, 64), tl.arange(0, 16)
    b = tl.where(j[:, None] == j[None, :], 1.0, 0.0).to(tl.float16)
    start = tl.load(starts + n)
    sums = tl.zeros((64, 16), tl.float32)
    for k in range(3):
        row = (start + (i + k * 50).to(tl.int8)).to(tl.int32)
        a = tl.load(x + 2048 + row[:, None] * 16 + j[None, :])
        sums = tl.dot((a % 1024).to(tl.float16), b, sums)
    tl.store(out + n * 1024 + i[:, None] * 16 + j[None, :], sums)


@triton.jit
def written(starts, out):
    n = tl.program_id(0)
    i, j = tl.arange(0, 64), tl.arange(0, 16)
    row = (tl.load(starts + n) + i.to(tl.int8)).to(tl.int32)
    at = n * 4096 + 2048 + row[:, None] * 16 + j[None, :]
    tl.store(out + at, i[:, None] * 16 + j[None, :], mask=(i[:, None] + n) % 3 > 0)


@triton.jit
def rests(x, y, out):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))
