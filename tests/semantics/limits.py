# limits.py -- the ends of types: values just above a tie, offsets and ranges past
# 2^31, the least integer divided by -1, NaN in negated comparisons, windows of a
# tensor of negative size, NaN and zeros in atomic updates.
# also: sim sm_75 sm_90
# run: --grid=1 --kernel=rounded --arg x=@limits-x32.npy --arg far=@limits-x64.npy --arg f=@limits-f64.npy --arg out=empty:int16[6x16] --reference out=limits-rounded.npy --tolerance=0
# run: --grid=1 --kernel=offsets --arg x=arange:int8[64] --arg limits=@limits-u32.npy --arg out=empty:int8[2x64] --arg counted=zeros:i64[2] --reference out=limits-offsets.npy --reference counted=limits-counted.npy --tolerance=0
# run: --grid=1 --kernel=ranges --arg n=2147483640 --arg out=empty:i64[6x16] --reference out=limits-ranges.npy --tolerance=0
# run: --grid=1 --kernel=quotients --arg x=@limits-x.npy --arg y=@limits-y.npy --arg out=empty:i64[8x2x16] --reference out=limits-quotients.npy --tolerance=0
# run: --grid=1 --kernel=negated --arg x=@limits-left.npy --arg y=@limits-right.npy --arg out=empty:int8[4x6x16] --arg single=zeros:int8[6] --reference out=limits-negated.npy --reference single=limits-single.npy --tolerance=0
# run: --grid=1 --kernel=nothing --arg x=@limits-ones.npy --arg out=@limits-ones.npy --arg less=-3 --reference out=limits-nothing.npy --tolerance=0
# run: --grid=1 --kernel=updated --arg x=@limits-memory.npy --arg v=@limits-values.npy --arg old=empty:fp32[4x16] --reference x=limits-updated.npy --reference old=limits-memory.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def put(out, x):
    i = tl.arange(0, 16)
    tl.store(out + i, x.to(tl.bfloat16).to(tl.int16, bitcast=True))
    tl.store(out + 16 + i, x.to(tl.float16).to(tl.int16, bitcast=True))


@triton.jit
def rounded(x, far, f, out):
    i = tl.arange(0, 16)
    put(out, tl.load(x + i))
    put(out + 32, tl.load(far + i))
    put(out + 64, tl.load(f + i))


@triton.jit
def offsets(x, limits, out, counted):
    """An offset of 2^31 leads from `before` to x."""
    i = tl.arange(0, 64)
    before = x + tl.full((), -(1 << 31), tl.int64)
    start = tl.load(limits).to(tl.uint32)
    tl.store(out + i, tl.load(before + (start + i.to(tl.uint32))))
    end, at, total = tl.load(limits + 1).to(tl.uint32), 0, tl.full((), 0, tl.int64)
    for k in range(start, end):
        tl.store(out + 64 + at, tl.load(before + k))
        at += 1
    for k in range(start - 5, end, 3):
        total += k.to(tl.int64)
    tl.store(counted, at)
    tl.store(counted + 1, total)


@triton.jit
def ranges(out, n):
    i = tl.arange(0, 16)
    end = n + 3
    tl.store(out + i, (n + i).to(tl.int64))
    tl.store(out + 16 + i, n.to(tl.int64) + i)
    tl.store(out + 32 + i, (n.to(tl.uint32) + i.to(tl.uint32)).to(tl.int64))
    tl.store(out + 48 + i, tl.where(n + i < end, 1, 0))
    tl.store(out + 64 + i, (i * n).to(tl.int64))
    tl.store(out + 80 + i, (i - 8).to(tl.int64) * n * 4)


@triton.jit
def quotients_of(out, x, y, T: tl.constexpr):
    i = tl.arange(0, 16)
    x, y = tl.load(x + i).to(T), tl.load(y + i).to(T)
    tl.store(out + i, (x // y).to(tl.int64))
    tl.store(out + 16 + i, (x % y).to(tl.int64))


@triton.jit
def quotients(x, y, out):
    quotients_of(out, x, y, tl.int8)
    quotients_of(out + 32, x + 16, y, tl.int16)
    quotients_of(out + 64, x + 32, y, tl.int32)
    quotients_of(out + 96, x + 48, y, tl.int64)
    quotients_of(out + 128, x, y, tl.uint8)
    quotients_of(out + 160, x + 16, y, tl.uint16)
    quotients_of(out + 192, x + 32, y, tl.uint32)
    quotients_of(out + 224, x + 48, y, tl.uint64)


@triton.jit
def negated_of(out, x, y):
    i = tl.arange(0, 16)
    tl.store(out + i, (not (x < y)).to(tl.int8))
    tl.store(out + 16 + i, tl.where((x <= y) == 0, 1, 0))
    tl.store(out + 32 + i, ((x > y) ^ 1).to(tl.int8))
    tl.store(out + 48 + i, tl.where(x >= y, 0, 1))
    tl.store(out + 64 + i, (not (x == y)).to(tl.int8))
    tl.store(out + 80 + i, (not (x != y)).to(tl.int8))


@triton.jit
def negated(x, y, out, single):
    i = tl.arange(0, 16)
    a, b = tl.load(x + i), tl.load(y + i)
    negated_of(out, a, b)
    negated_of(out + 96, a.to(tl.float16), b.to(tl.float16))
    negated_of(out + 192, a.to(tl.bfloat16), b.to(tl.bfloat16))
    negated_of(out + 288, a.to(tl.float64), b.to(tl.float64))
    for k in range(16):  # scalar atomics, as conditions
        u, v = tl.load(x + k), tl.load(y + k)
        if not (u < v):
            tl.store(single, tl.load(single) + 1)
        if not (u <= v):
            tl.store(single + 1, tl.load(single + 1) + 1)
        if not (u > v):
            tl.store(single + 2, tl.load(single + 2) + 1)
        if not (u >= v):
            tl.store(single + 3, tl.load(single + 3) + 1)
        if not (u == v):
            tl.store(single + 4, tl.load(single + 4) + 1)
        if not (u != v):
            tl.store(single + 5, tl.load(single + 5) + 1)


@triton.jit
def nothing(x, out, less):
    i = tl.arange(0, 8)
    place = out + i[:, None] * 8 + i[None, :]
    rows = tl.make_block_ptr(x, (less, 8), (8, 1), (0, 0), (8, 8), (1, 0))
    columns = tl.make_block_ptr(x, (8, less), (8, 1), (0, less), (8, 8), (1, 0))
    tl.store(place, tl.load(rows, boundary_check=(0, 1)))
    tl.store(place + 64, tl.load(columns, boundary_check=(0, 1)))
    to = tl.make_block_ptr(out + 128, (less, 8), (8, 1), (less, 0), (8, 8), (1, 0))
    tl.store(to, tl.zeros((8, 8), tl.float32), boundary_check=(0, 1))
    to = tl.make_block_ptr(out + 192, (8, less), (8, 1), (0, 0), (8, 8), (1, 0))
    tl.store(to, tl.zeros((8, 8), tl.float32), boundary_check=(0, 1))


@triton.jit
def updated(x, v, old):
    """A NaN operand changes nothing; a NaN in memory has no defined result."""
    i = tl.arange(0, 16)
    value = tl.load(v + i)
    tl.store(old + i, tl.atomic_max(x + i, value))
    tl.store(old + 16 + i, tl.atomic_min(x + 16 + i, value))
    for k in range(16):
        one = tl.load(v + k)
        tl.store(old + 32 + k, tl.atomic_max(x + 32 + k, one))
        tl.store(old + 48 + k, tl.atomic_min(x + 48 + k, one))
