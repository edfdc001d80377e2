# grouped.py -- products of groups of rows: rows that a table names, by gather and
# scatter of a descriptor, and descriptors of tensors whose addresses and sizes the
# kernel loads.
# also: sim sm_90
# run: --kernel=gathered --grid=2,2 --arg x=@grouped-x.npy --arg w=@grouped-w.npy --arg rows=@grouped-rows.npy --arg to=@grouped-to.npy --arg out=zeros:fp16[140,256] --arg R=100 --arg N=256 --arg K=96 --arg S=140 -D BM=64 -D BN=128 -D BK=32 --reference out=grouped-gathered.npy --tolerance=0
# run: --kernel=groups --grid=3 --arg a=@grouped-a.npy --arg b=@grouped-b.npy --arg c=zeros:fp16[16500] --arg sizes=@grouped-sizes.npy --arg G=4 -D BM=64 -D BN=64 -D BK=32 -D P=3 -D ALIGNED=0 --reference c=grouped.npy --tolerance=0
# run: --kernel=groups --grid=3 --arg a=@grouped-a.npy --arg b=@grouped-b.npy --arg c=zeros:fp16[16500] --arg sizes=@grouped-sizes.npy --arg G=4 -D BM=64 -D BN=64 -D BK=32 -D P=3 -D ALIGNED=1 --reference c=grouped.npy --tolerance=0
import triton
import triton.language as tl


# The rows of experts; some of the 128 rows that the table names are outside.
@triton.jit
def gathered(x, w, rows, to, out, R, N, K, S, BM: tl.constexpr,
             BN: tl.constexpr, BK: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, [R, K], [K, 1], [1, BK])
    wd = tl.make_tensor_descriptor(w, [K, N], [N, 1], [BK, BN])
    od = tl.make_tensor_descriptor(out, [S, N], [N, 1], [1, BN])
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN
    from_ = tl.load(rows + m)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(xd.gather(from_, k), wd.load([k, n]), total)
    od.scatter(total.to(tl.float16), tl.load(to + m), n)


@triton.jit
def number(at, ALIGNED: tl.constexpr):
    x = tl.load(at)
    return tl.multiple_of(x, 8) if ALIGNED else x


# Each of G products has a row of `sizes`: M, N, K, and where A, B and C start.
# A persistent program goes on from product to product.
@triton.jit
def groups(a, b, c, sizes, G, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, P: tl.constexpr, ALIGNED: tl.constexpr):
    tile = tl.program_id(0)
    first = 0
    for g in range(G):
        row = sizes + g * 6
        M, N, K = tl.load(row), number(row + 1, ALIGNED), number(row + 2, ALIGNED)
        ad = tl.make_tensor_descriptor(a + number(row + 3, ALIGNED), [M, K], [K, 1], [BM, BK])
        bd = tl.make_tensor_descriptor(b + number(row + 4, ALIGNED), [K, N], [N, 1], [BK, BN])
        cd = tl.make_tensor_descriptor(c + number(row + 5, ALIGNED), [M, N], [N, 1], [BM, BN])
        across = tl.cdiv(N, BN)
        count = tl.cdiv(M, BM) * across
        while tile < first + count:
            m = (tile - first) // across * BM
            n = (tile - first) % across * BN
            total = tl.zeros((BM, BN), tl.float32)
            for k in range(0, K, BK):
                total = tl.dot(ad.load([m, k]), bd.load([k, n]), total)
            cd.store([m, n], total.to(tl.float16))
            tile += P
        first += count
