# prefixes.py -- a scan is as exact as a tree: added one after the other, 2,048
# tenths have a hundred times the error.
# devices: cpu
# run: --grid=1 --kernel=sums --arg out=empty:fp32[2048] -D REVERSE=0 --reference out=prefixes-sums.npy --tolerance=2e-7
# run: --grid=1 --kernel=sums --arg out=empty:fp32[2048] -D REVERSE=1 --reference out=prefixes-sums.npy --tolerance=2e-7
# run: --grid=1 --kernel=sums --arg out=empty:fp64[2048] -D REVERSE=1 --reference out=prefixes-wide.npy --tolerance=5e-16
# run: --grid=1 --kernel=columns --arg out=empty:fp32[2048] -D REVERSE=0 --reference out=prefixes-columns.npy --tolerance=2e-7
# run: --grid=1 --kernel=columns --arg out=empty:fp32[2048] -D REVERSE=1 --reference out=prefixes-columns.npy --tolerance=2e-7
# run: --grid=1 --kernel=products --arg out=empty:fp32[2048] --reference out=prefixes-products.npy --tolerance=2e-6
# run: --grid=1 --kernel=others --arg out=empty:int32[6,256] --reference out=prefixes-others.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def number(i):
    return (i * 40503 + 12345) % 65536


# Reversed, the first sum stands at the end.
@triton.jit
def sums(out, REVERSE: tl.constexpr):
    i = tl.arange(0, 2048)
    if REVERSE:
        i = 2047 - i
    tenth = tl.full([2048], 0.1, out.dtype.element_ty)
    tl.store(out + i, tl.cumsum(tenth, 0, reverse=REVERSE))


@triton.jit
def columns(out, REVERSE: tl.constexpr):
    i = tl.arange(0, 256)
    if REVERSE:
        i = 255 - i
    i = i[:, None] * 8 + tl.arange(0, 8)[None, :]
    tenth = tl.full([256, 8], 0.1, out.dtype.element_ty)
    tl.store(out + i, tl.cumsum(tenth, 0, reverse=REVERSE))


@triton.jit
def times(a, b):
    return b * a


@triton.jit
def products(out):
    i = tl.arange(0, 2048)
    x = 1 + (number(i) - 32768).to(tl.float32) / 4194304
    tl.store(out + i, tl.associative_scan(x, 0, times))


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def affine(a, b):
    return 3 * a + b


@triton.jit
def put(out, row: tl.constexpr, x):
    tl.store(out + row * 256 + tl.arange(0, 256), x.to(tl.int32))


# Exact in any order; the last function is not associative, and has only one
# order.
@triton.jit
def others(out):
    x = number(tl.arange(0, 256))
    put(out, 0, tl.cumsum(x, 0))
    put(out, 1, tl.cumprod(2 * x + 1, 0))
    put(out, 2, tl.associative_scan(x - 40000, 0, greater, reverse=True))
    put(out, 3, tl.associative_scan(0.0 - x, 0, greater))
    put(out, 4, tl.associative_scan((x & 2184).to(tl.int16), 0, either))
    put(out, 5, tl.associative_scan(x, 0, affine))
