# histograms.py -- counts of elements of each type, under masks; a histogram with
# more bins than a program's shared memory holds is counted in parts.
# also: sim sm_75 sm_90
# run: --grid=1 --kernel=count --num-warps=4 --arg x=@histograms-x.npy --arg out=empty:int32[512] --arg n=777 -D SIZE=1024 -D BINS=512 --reference out=histograms-count.npy --tolerance=0
# run: --grid=1 --kernel=count --num-warps=16 --arg x=@histograms-x.npy --arg out=empty:int32[64] --arg n=32 -D SIZE=32 -D BINS=64 --reference out=histograms-few.npy --tolerance=0
# run: --grid=1 --kernel=count --num-warps=1 --arg x=@histograms-x.npy --arg out=empty:int32[1] --arg n=1024 -D SIZE=1024 -D BINS=1 --reference out=histograms-one.npy --tolerance=0
# run: --grid=1 --kernel=count --num-warps=4 --arg x=@histograms-x.npy --arg out=empty:int32[4] --arg n=1 -D SIZE=1 -D BINS=4 --reference out=histograms-single.npy --tolerance=0
# run: --grid=1 --kernel=types --num-warps=2 --arg x=@histograms-x.npy --arg out=empty:int32[8,256] --reference out=histograms-types.npy --tolerance=0 --triton=3.8
# run: --grid=1 --kernel=several --num-warps=8 --arg x=@histograms-x.npy --arg out=empty:int32[128] --arg n=3 --reference out=histograms-several.npy --tolerance=0
# run: --grid=1 --kernel=many --num-warps=4 --arg x=@histograms-x.npy --arg out=empty:int32[512] --reference out=histograms-many.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def count(x, out, n, SIZE: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, SIZE)
    counts = tl.histogram(tl.load(x + i), BINS, mask=i < n)
    tl.store(out + tl.arange(0, BINS), counts)


@triton.jit
def put(out, row: tl.constexpr, counts):
    tl.store(out + row * 256 + tl.arange(0, 256), counts)


@triton.jit
def types(x, out):
    v = tl.load(x + tl.arange(0, 1024))
    put(out, 0, v.to(tl.int8).histogram(256))
    put(out, 1, v.to(tl.uint8).histogram(256))
    put(out, 2, v.to(tl.int16).histogram(256))
    put(out, 3, v.to(tl.uint16).histogram(256))
    put(out, 4, v.to(tl.uint32).histogram(256))
    put(out, 5, (v.to(tl.int64) << 32 | 7).histogram(256))
    put(out, 6, v.to(tl.uint64).histogram(256, mask=v != 5))
    put(out, 7, (v > 0).histogram(256))


@triton.jit
def several(x, out, n):
    v = tl.load(x + tl.arange(0, 1024))
    bins = tl.arange(0, 128)
    total = tl.zeros([128], tl.int32)
    for i in range(n):
        low = tl.histogram(v + i, 128)
        high = tl.histogram(v - 100 * i, 128)
        total = tl.sort(total * 3 + low) - high
    tl.store(out + bins, total)


@triton.jit
def many(x, out):
    v = tl.load(x + tl.arange(0, 1024))
    counts = tl.histogram(v * 29, 32768).reshape(64, 512)
    rows = tl.arange(0, 64)[:, None]
    tl.store(out + tl.arange(0, 512), tl.sum(counts * (rows + 1), 0))
