# libdevice.py -- functions of libdevice, against correctly rounded values. Each
# may differ by so many steps of its type; the kernel stores larger differences.
# run: --kernel=steps --grid=1 --arg x=@libdevice-x32.npy --arg wanted=@libdevice-wanted32.npy --arg out=zeros:i64[15x64] --reference out=libdevice.npy --tolerance=0
# run: --kernel=steps --grid=1 --arg x=@libdevice-x64.npy --arg wanted=@libdevice-wanted64.npy --arg out=zeros:i64[15x64] --reference out=libdevice.npy --tolerance=0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def steps_between(x, y):
    bits: tl.constexpr = tl.int64 if x.dtype == tl.float64 else tl.int32
    a = x.to(bits, bitcast=True).to(tl.int64)
    b = y.to(bits, bitcast=True).to(tl.int64)
    distance = tl.where((a < 0) == (b < 0), tl.abs(a - b), 1 << 40)
    return tl.where((x != x) & (y != y), 0, distance)


@triton.jit
def check(out, row: tl.constexpr, found, wanted, allowed: tl.constexpr):
    i = row * 64 + tl.arange(0, 64)
    distance = steps_between(found, tl.load(wanted + i))
    tl.store(out + i, tl.where(distance > allowed, distance, 0))


@triton.jit
def steps(x, wanted, out):
    wide: tl.constexpr = x.dtype.element_ty == tl.float64
    i = tl.arange(0, 64)
    check(out, 0, libdevice.log1p(tl.load(x + i)), wanted, 1)
    check(out, 1, libdevice.log1p(tl.load(x + 64 + i)), wanted, 1)
    check(out, 2, libdevice.expm1(tl.load(x + 128 + i)), wanted, 1)
    check(out, 3, libdevice.expm1(tl.load(x + 192 + i)), wanted, 1)
    check(out, 4, libdevice.asinh(tl.load(x + 256 + i)), wanted, 2 if wide else 1)
    check(out, 5, libdevice.acosh(tl.load(x + 320 + i)), wanted, 2 if wide else 1)
    check(out, 6, libdevice.atanh(tl.load(x + 384 + i)), wanted, 2 if wide else 1)
    check(out, 7, libdevice.sinh(tl.load(x + 448 + i)), wanted, 4 if wide else 1)
    check(out, 8, libdevice.cosh(tl.load(x + 512 + i)), wanted, 4 if wide else 1)
    check(out, 9, libdevice.log10(tl.load(x + 576 + i)), wanted, 1)
    check(out, 10, libdevice.log10(tl.load(x + 640 + i)), wanted, 1)
    check(out, 11, libdevice.exp10(tl.load(x + 704 + i)), wanted, 2 if wide else 1)
    check(out, 12, libdevice.pow(tl.load(x + 768 + i), 7.25), wanted, 1)
    check(out, 13, libdevice.cbrt(tl.load(x + 832 + i)), wanted, 1)
    check(out, 14, libdevice.tan(tl.load(x + 896 + i)), wanted, 4 if wide else 6)
