# halves.py -- methods that compute on 16 bits, up to Triton 3.8. The inputs are exact in both
# types; the tolerance is half a unit in the last place of the result, 2^-11 and 2^-8 of it,
# plus the error of fp32.
# run: --triton=3.8 --kernel=methods --grid=1 --arg x=@halves-x.npy --arg out=zeros:fp32[11x64] -D T=tl.float16 --reference out=halves.npy --tolerance=4.9e-4
# run: --triton=3.8 --kernel=methods --grid=1 --arg x=@halves-x.npy --arg out=zeros:fp32[11x64] -D T=tl.bfloat16 --reference out=halves.npy --tolerance=3.91e-3
import triton
import triton.language as tl


@triton.jit
def methods(x, out, T: tl.constexpr):
    i = tl.arange(0, 64)
    v = tl.load(x + i).to(T)
    tl.store(out + i, v.floor())
    tl.store(out + 64 + i, v.ceil())
    tl.store(out + 128 + i, v.exp())
    tl.store(out + 192 + i, v.exp2())
    tl.store(out + 256 + i, v.log())
    tl.store(out + 320 + i, v.log2())
    tl.store(out + 384 + i, v.cos())
    tl.store(out + 448 + i, v.sin())
    tl.store(out + 512 + i, v.sqrt())
    tl.store(out + 576 + i, v.rsqrt())
    tl.store(out + 640 + i, v.erf())
