# carried.py -- row sums that a loop carries: a small start is not lost, and an
# infinite factor makes rows infinite in which some columns are 0.
# also: sim sm_75 sm_80 sm_90
# run: --grid=1 --kernel=kept --arg x=@carried-x.npy --arg z=zeros:fp16[64x64] --arg n=2 --arg out=empty:fp16[64] --reference out=carried-x.npy --tolerance=0
# run: --grid=1 --kernel=grown --arg z=zeros:fp16[64x64] --arg n=2 --arg out=empty:fp32[64] --reference out=carried-grown.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def kept(x, z, n, out):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    l = tl.load(x + i)
    for _ in range(n):
        s = tl.dot(tl.load(z + at), tl.load(z + at))
        l = l + tl.sum(s.to(tl.float16), 1)
    tl.store(out + i, l)


@triton.jit
def grown(z, n, out):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    l = tl.zeros([64], tl.float32)
    for trip in range(n):
        s = tl.dot(tl.load(z + at), tl.load(z + at)) + (i == 0)[None, :]
        l = l * (1 / (1 - trip)) + tl.sum(s, 1)
    tl.store(out + i, l)
