# descriptors.py -- tensor descriptors that the host makes, and block pointers
# far away.
# run: --kernel=blocks --grid=2,2 --arg d=desc(arange:fp32[10x24],[8,16]) --arg out=zeros:fp32[2x2x8x16] --reference out=descriptors-zeros.npy --tolerance=0
# run: --kernel=blocks --grid=2,2 --arg d=desc(arange:fp32[10x24],[8,16],nan) --arg out=zeros:fp32[2x2x8x16] --reference out=descriptors-nans.npy --tolerance=0
# run: --kernel=transpose --grid=2,2 --arg from_=desc(arange:i16[10x24],[8,16]) --arg to=desc(zeros:i16[24x16],[16,8]) --reference to=descriptors-transposed.npy --tolerance=0
# run: --kernel=product --grid=2,1 --arg tensors=(desc(@descriptors-a.npy,[32,16]),desc(@descriptors-b.npy,[16,32]),desc(zeros:fp32[40x32],[32,32])) --reference tensors_2=descriptors-product.npy --tolerance=0
# run: --kernel=planes --grid=3 --arg d=desc(arange:i32[3x5x8],[1,4,8]) --arg sums=zeros:i32[3x4] --arg total=desc(zeros:i32[8],[8]) --reference sums=descriptors-sums.npy --reference total=descriptors-total.npy --tolerance=0
# run: --kernel=extremes --grid=8 --arg x=@descriptors-halves.npy --arg high=desc(zeros:fp16[12],[16]) --arg low=desc(zeros:fp16[12],[16]) --reference high=descriptors-high.npy --reference low=descriptors-low.npy --tolerance=0
# run: --kernel=far --grid=1 --arg x=arange:fp32[42] --arg out=zeros:fp32[48] --arg n=42 --arg start=5000000000 --reference out=descriptors-far.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def block_at(d, i, j):
    return d.load([i * d.block_shape[0], j * d.block_shape[1]])


# Each program has a block, some of whose elements are outside.
@triton.jit
def blocks(d, out):
    tl.static_assert(d.shape[0].dtype == tl.int32)
    tl.static_assert(d.strides[0].dtype == tl.int64)
    tl.static_assert(d.dtype == tl.float32)
    rows: tl.constexpr = d.block_shape[0]
    columns: tl.constexpr = d.block_shape[1]
    i, j = tl.program_id(0), tl.program_id(1)
    x = block_at(d, i, j) + (d.shape[0] * 1000 + d.shape[1] * d.strides[1])
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    tl.store(out + (i * 2 + j) * rows * columns + at, x + d.strides[0])


@triton.jit
def transpose(from_: tl.tensor_descriptor, to):
    i, j = tl.program_id(0), tl.program_id(1)
    x = tl.load_tensor_descriptor(from_, [i * 8, j * 16])
    tl.store_tensor_descriptor(to, [j * 16, i * 8], x.T)


@triton.jit
def product(tensors):
    a, b, c = tensors
    M: tl.constexpr = a.block_shape[0]
    K: tl.constexpr = a.block_shape[1]
    N: tl.constexpr = b.block_shape[1]
    row = tl.program_id(0) * M
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, a.shape[1], K):
        total = tl.dot(a.load([row, k]), b.load([k, 0]), total)
    c.store([row, 0], total)


@triton.jit
def planes(d, sums, total):
    plane = tl.program_id(0)
    x = d.load([plane, 2, 0])
    tl.store(sums + plane * 4 + tl.arange(0, 4), tl.sum(x, 2).reshape(4))
    total.atomic_add([0], tl.sum(x.reshape(4, 8), 0))


# `start` needs 64 bits; the tensors begin so many elements before their memory.
@triton.jit
def far(x, out, n, start):
    p = tl.make_block_ptr(x - start, (start + n,), (1,), (start,), (16,), (0,))
    q = tl.make_block_ptr(out, (n,), (1,), (0,), (16,), (0,))
    for i in range(0, n, 16):
        tl.store(q, tl.load(p, boundary_check=(0,)) + i, boundary_check=(0,))
        p = tl.advance(p, (16,))
        q = tl.advance(q, (16,))
    rows = tl.make_block_ptr(out - start, (start, n), (1, 1), (0, 0), (1, 16), (1, 0))
    rows = tl.advance(rows, (start, 0))
    tl.store(rows, tl.full([1, 16], 7.0, tl.float32))
    rows = tl.advance(rows, (0, 16))
    tl.store(rows, tl.full([1, 16], 8.0, tl.float32), boundary_check=(0, 1))


@triton.jit
def extremes(x, high, low):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16))
    high.atomic_max([0], v)
    low.atomic_min([0], v)
