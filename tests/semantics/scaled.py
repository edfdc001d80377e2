# scaled.py -- dot_scaled, against sums of decoded values.
# run: --kernel=mxfp4 --grid=1 --arg a=@scaled-a4.npy --arg s=@scaled-sa.npy --arg b=@scaled-b4.npy --arg t=@scaled-sb.npy --arg out=zeros:fp32[32x32] --reference out=scaled-4.npy
# run: --kernel=mxfp4_rows --grid=1 --arg a=@scaled-a4r.npy --arg s=@scaled-sa.npy --arg b=@scaled-b4r.npy --arg t=@scaled-sb.npy --arg out=zeros:fp32[32x32] --reference out=scaled-4.npy
# run: --kernel=mxfp8 --grid=1 --arg a=@scaled-a8.npy --arg s=@scaled-sa.npy --arg b=@scaled-b16.npy --arg out=zeros:fp32[32x32] --reference out=scaled-8.npy
# run: --kernel=batches --grid=1 --arg a=@scaled-a8.npy --arg s=@scaled-sa.npy --arg b=@scaled-b16.npy --arg out=zeros:fp32[32x32] --reference out=scaled-8.npy
# run: --kernel=bits --grid=1 --arg a=@scaled-a8.npy --arg s=@scaled-sa.npy --arg b=@scaled-b16.npy --arg out=zeros:fp32[32x32] -D FORMAT="bf16" --reference out=scaled-8.npy
# run: --kernel=bits --grid=1 --arg a=@scaled-a8.npy --arg s=@scaled-sa.npy --arg b=@scaled-b16.npy --arg out=zeros:fp32[32x32] -D FORMAT="fp16" --reference out=scaled-8.npy
# run: --kernel=far --grid=1 --arg a=@scaled-all4.npy --arg s=@scaled-far.npy --arg b=@scaled-pick.npy --arg back=@scaled-back.npy --arg out=zeros:fp32[32x32] --reference out=scaled-codes.npy
import triton
import triton.language as tl


@triton.jit
def mxfp4(a, s, b, t, out):
    i = tl.arange(0, 32)
    k = tl.arange(0, 32)
    g = tl.arange(0, 2)
    x = tl.load(a + i[:, None] * 32 + k[None, :])
    y = tl.load(b + k[:, None] * 32 + i[None, :])
    xs = tl.load(s + i[:, None] * 2 + g[None, :])
    ys = tl.load(t + i[:, None] * 2 + g[None, :])
    r = tl.dot_scaled(x, xs, "e2m1", y, ys, "e2m1")
    tl.store(out + i[:, None] * 32 + i[None, :], r)


@triton.jit
def mxfp4_rows(a, s, b, t, out):
    i = tl.arange(0, 32)
    k = tl.arange(0, 64)
    h = tl.arange(0, 16)
    g = tl.arange(0, 2)
    x = tl.load(a + h[:, None] * 64 + k[None, :])
    y = tl.load(b + k[:, None] * 16 + h[None, :])
    xs = tl.load(s + i[:, None] * 2 + g[None, :])
    ys = tl.load(t + i[:, None] * 2 + g[None, :])
    acc = tl.zeros([32, 32], tl.float32)
    r = tl.dot_scaled(
        x, xs, "e2m1", y, ys, "e2m1", acc, lhs_k_pack=False, rhs_k_pack=False
    )
    tl.store(out + i[:, None] * 32 + i[None, :], r)


@triton.jit
def mxfp8(a, s, b, out):
    i = tl.arange(0, 32)
    k = tl.arange(0, 64)
    g = tl.arange(0, 2)
    x = tl.load(a + i[:, None] * 64 + k[None, :])
    y = tl.load(b + k[:, None] * 32 + i[None, :]).to(tl.bfloat16)
    xs = tl.load(s + i[:, None] * 2 + g[None, :])
    r = tl.dot_scaled(x, xs, "e4m3", y, None, "bf16", out_dtype=tl.float32)
    tl.store(out + i[:, None] * 32 + i[None, :], r)


# A uint16 is the bits of a number.
@triton.jit
def bits(a, s, b, out, FORMAT: tl.constexpr):
    i = tl.arange(0, 32)
    k = tl.arange(0, 64)
    g = tl.arange(0, 2)
    dtype: tl.constexpr = tl.bfloat16 if FORMAT == "bf16" else tl.float16
    x = tl.load(a + i[:, None] * 64 + k[None, :])
    y = tl.load(b + k[:, None] * 32 + i[None, :]).to(dtype)
    y = y.to(tl.uint16, bitcast=True)
    xs = tl.load(s + i[:, None] * 2 + g[None, :])
    r = tl.dot_scaled(x, xs, "e4m3", y, None, FORMAT, out_dtype=tl.float32)
    tl.store(out + i[:, None] * 32 + i[None, :], r)


@triton.jit
def batches(a, s, b, out):
    i = tl.arange(0, 32)
    k = tl.arange(0, 64)
    g = tl.arange(0, 2)
    z = g[:, None, None]
    # The first of the two products multiplies zeros.
    x = tl.where(z == 1, tl.load(a + i[None, :, None] * 64 + k[None, None, :]), 0)
    y = tl.load(b + k[:, None] * 32 + i[None, :]).to(tl.bfloat16)
    y = tl.broadcast_to(y[None, :, :], [2, 64, 32])
    xs = tl.broadcast_to(tl.load(s + i[:, None] * 2 + g[None, :])[None, :, :], [2, 32, 2])
    r = tl.dot_scaled(x, xs, "e4m3", y, None, "bf16", out_dtype=tl.float32)
    tl.store(out + i[:, None] * 32 + i[None, :], tl.sum(r, 0))


@triton.jit
def far(a, s, b, back, out):
    i = tl.arange(0, 32)
    k = tl.arange(0, 64)
    h = tl.arange(0, 32)
    g = tl.arange(0, 2)
    x = tl.load(a + i[:, None] * 32 + h[None, :])
    y = tl.load(b + k[:, None] * 32 + i[None, :]).to(tl.bfloat16)
    xs = tl.load(s + i[:, None] * 2 + g[None, :])
    r = tl.dot_scaled(x, xs, "e2m1", y, None, "bf16", out_dtype=tl.float32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(out + at, r * tl.load(back + at))
