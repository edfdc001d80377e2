# infinities.py -- products of infinities, NaN, zeros, and numbers of any size, by
# each precision: the results are NumPy's for each product alone.
# also: sim sm_75 sm_80 sm_90
# run: --grid=1 --arg precision="ieee" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1.0 --reference out=infinities.npy --tolerance=1e-6
# run: --grid=1 --num-warps=1 --arg precision="ieee" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1048576.0 --reference out=infinities-scaled.npy --tolerance=1e-6
# run: --grid=1 --arg precision="tf32" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1.0 --reference out=infinities.npy --tolerance=2e-3
# run: --grid=1 --num-warps=1 --arg precision="tf32" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1048576.0 --reference out=infinities-scaled.npy --tolerance=2e-3
# run: --grid=1 --arg precision="tf32x3" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1.0 --reference out=infinities.npy --tolerance=1e-6
# run: --grid=1 --num-warps=1 --arg precision="tf32x3" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1048576.0 --reference out=infinities-scaled.npy --tolerance=1e-6
# run: --grid=1 --arg precision="bf16x3" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1.0 --reference out=infinities.npy --tolerance=4e-5
# run: --grid=1 --num-warps=1 --arg precision="bf16x3" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1048576.0 --reference out=infinities-scaled.npy --tolerance=4e-5
# run: --grid=1 --arg precision="bf16x6" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1.0 --reference out=infinities.npy --tolerance=2e-7
# run: --grid=1 --num-warps=1 --arg precision="bf16x6" --arg x=@infinities-x.npy --arg out=empty:fp32[16x16] --arg scale=1048576.0 --reference out=infinities-scaled.npy --tolerance=2e-7
import triton
import triton.language as tl


# One column of a by one row of b; all other factors are 0 and 1.
@triton.jit
def outer(x, out, scale, precision: tl.constexpr):
    i = tl.arange(0, 16)
    k = tl.arange(0, 32)
    v = tl.load(x + i)
    a = tl.where(k[None, :] == 5, v[:, None], 0.0)
    b = tl.where(k[:, None] == 5, v[None, :], 1.0)
    sums = tl.dot(a, b, input_precision=precision)
    tl.store(out + i[:, None] * 16 + i[None, :], sums * scale)
