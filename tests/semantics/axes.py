# axes.py -- every reduction, scan, sort and flip of a tile of rank 3, by each of its
# axes counted from the end, and from the front.
# also: sim sm_90
# run: --grid=1 --kernel=reductions --arg x=@axes-x.npy --arg out=zeros:i32[6x10x128] --reference out=axes-reductions.npy --tolerance=0
# run: --grid=1 --kernel=reductions --num-warps=1 --arg x=@axes-x.npy --arg out=zeros:i32[6x10x128] --reference out=axes-reductions.npy --tolerance=0
# run: --grid=1 --kernel=scans --arg x=@axes-x.npy --arg out=empty:i32[6x6x512] --reference out=axes-scans.npy --tolerance=0
# run: --grid=1 --kernel=orders --arg x=@axes-x.npy --arg out=empty:i32[2x3x512] --reference out=axes-orders.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def load(x):
    i, j, k = tl.arange(0, 4), tl.arange(0, 8), tl.arange(0, 16)
    return tl.load(x + i[:, None, None] * 128 + j[None, :, None] * 16 + k[None, None, :])


@triton.jit
def put(out, row, tile):
    n: tl.constexpr = tile.numel
    flat = tile.to(tl.int32).reshape(n)
    tl.store(out + row * 128 + tl.arange(0, n), flat)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def reduced(out, x, axis: tl.constexpr):
    put(out, 0, tl.sum(x, axis))
    put(out, 1, tl.max(x, axis))
    put(out, 2, tl.min(x, axis=axis))
    put(out, 3, tl.argmax(x, axis))
    put(out, 4, tl.argmin(x, axis))
    put(out, 5, tl.xor_sum(x, axis))
    put(out, 6, tl.reduce(x, axis, product))
    best, where = tl.max(x, axis, return_indices=True)
    put(out, 7, best * 16 + where)
    put(out, 8, tl.sum(x, axis, keep_dims=True))
    put(out, 9, tl.max((x > 20).to(tl.int32), axis))


@triton.jit
def reductions(x, out):
    for n in tl.static_range(6):
        reduced(out + n * 1280, load(x), n - 3)


@triton.jit
def put_all(out, row, tile):
    i, j, k = tl.arange(0, 4), tl.arange(0, 8), tl.arange(0, 16)
    at = i[:, None, None] * 128 + j[None, :, None] * 16 + k[None, None, :]
    tl.store(out + row * 512 + at, tile)


@triton.jit
def scanned(out, x, axis: tl.constexpr):
    put_all(out, 0, tl.cumsum(x, axis))
    put_all(out, 1, tl.cumsum(x, axis, reverse=True))
    put_all(out, 2, tl.cumprod(x, axis=axis))
    put_all(out, 3, tl.associative_scan(x, axis, product))
    put_all(out, 4, tl.associative_scan(x, axis, product, reverse=True))
    put_all(out, 5, tl.flip(x, axis))


@triton.jit
def scans(x, out):
    for n in tl.static_range(6):
        scanned(out + n * 3072, load(x), n - 3)


@triton.jit
def orders(x, out):
    tile = load(x)
    for n in tl.static_range(2):
        axis: tl.constexpr = 2 - 3 * n
        put_all(out + n * 1536, 0, tl.sort(tile, axis))
        put_all(out + n * 1536, 1, tl.sort(tile, axis, descending=True))
        best = tl.topk(tile, 4, axis)
        i, j, k = tl.arange(0, 4), tl.arange(0, 8), tl.arange(0, 4)
        at = i[:, None, None] * 32 + j[None, :, None] * 4 + k[None, None, :]
        tl.store(out + n * 1536 + 1024 + at, best)
        tl.store(out + n * 1536 + 1152 + tl.arange(0, 128), 7)
        tl.store(out + n * 1536 + 1280 + tl.arange(0, 256), 7)
