# powers.py -- ** of run-time values.
# run: --kernel=powers --grid=1 --arg x=@powers-x.npy --arg n=@powers-n.npy --arg out=zeros:fp64[8x64] --reference out=powers.npy --tolerance=4e-7
# run: --kernel=int_powers --grid=1 --arg x=@powers-i.npy --arg n=@powers-n.npy --arg out=zeros:i32[3x64] --reference out=powers-int.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def powers(x, n, out):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    k = tl.load(n + i)
    tl.store(out + i, v**2)
    tl.store(out + 64 + i, v**-3)
    tl.store(out + 128 + i, v**0)
    tl.store(out + 192 + i, tl.abs(v) ** 0.5)
    tl.store(out + 256 + i, v**k)
    tl.store(out + 320 + i, 2**v)
    tl.store(out + 384 + i, tl.abs(v).to(tl.float64) ** v.to(tl.float64))
    tl.store(out + 448 + i, v.to(tl.float16) ** 2)


@triton.jit
def int_powers(x, n, out):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    k = tl.load(n + i)
    tl.store(out + i, v**3)
    tl.store(out + 64 + i, v**k)
    tl.store(out + 128 + i, 2 ** tl.abs(k))
