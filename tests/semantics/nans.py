# nans.py -- NaNs and numbers past the largest, converted to fp8: the bits are
# those of PTX by Triton, if it has one instruction for it.
# also: sim sm_75 sm_90
# run: --grid=1 --kernel=kernel --arg x=@nans-x.npy --arg out=empty:u8[3x3x16] --reference out=nans.npy --tolerance=0
# run: --grid=1 --kernel=constants --arg n=3.0 --arg x=empty:fp8e5[16] --arg y=empty:u8[16] --arg z=empty:fp8e5[16] --reference x=nans-5.npy --reference y=nans-5.npy --reference z=nans-5.npy --tolerance=0
# run: --grid=1 --kernel=halves --arg x=@nans-words.npy --arg out=empty:u16[2x3x8] --reference out=nans-halves.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def put(out, row, x):
    i = tl.arange(0, 16)
    out += row * 48 + i
    tl.store(out, x.to(tl.float8e5).to(tl.uint8, bitcast=True))
    tl.store(out + 16, x.to(tl.float8e4nv).to(tl.uint8, bitcast=True))
    tl.store(out + 32, x.to(tl.float8e4b15).to(tl.uint8, bitcast=True))


@triton.jit
def kernel(x, out):
    i = tl.arange(0, 16)
    put(out, 0, tl.load(x + i).to(tl.float32, bitcast=True))
    put(out, 1, tl.load(x + 16 + i).to(tl.uint16).to(tl.float16, bitcast=True))
    put(out, 2, tl.load(x + 32 + i).to(tl.uint16).to(tl.bfloat16, bitcast=True))


@triton.jit
def constants(x, y, z, n):
    i = tl.arange(0, 16)
    nan = tl.full([16], float("nan"), tl.float32)
    tl.store(x + i, float("nan"))
    tl.store(y + i, (-nan).to(tl.float8e5).to(tl.uint8, bitcast=True))
    tl.store(z + i, tl.where(i > n, float("nan"), nan).to(tl.float8e5))


# Bits of fp32, fp64, and fp16 for bf16: every NaN becomes the one of GPUs.
@triton.jit
def halves(x, out):
    i = tl.arange(0, 8)
    f = tl.load(x + i).to(tl.float32, bitcast=True)
    out += i
    for row in tl.static_range(2):
        g = f if row == 0 else f.to(tl.float64)
        tl.store(out, g.to(tl.float16).to(tl.uint16, bitcast=True))
        tl.store(out + 8, g.to(tl.bfloat16).to(tl.uint16, bitcast=True))
        b = g.to(tl.float16).to(tl.bfloat16)
        tl.store(out + 16, b.to(tl.uint16, bitcast=True))
        out += 24
