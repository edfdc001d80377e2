# merges.py -- names that branches and loops merge, tuples, Python's min and max.
# run: --kernel=merges --grid=1 --arg n=5 --arg m=7 --arg f=0.25 --arg out=zeros:fp32[12] --reference out=merges.npy --tolerance=0
# run: --kernel=merges --grid=1 --arg n=2 --arg m=3 --arg f=0.25 --arg out=zeros:fp32[12] --reference out=merges-other.npy --tolerance=0
# run: --kernel=tuples --grid=1 --arg n=3 --arg out=zeros:i32[8] --reference out=merges-tuples.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def two(a, b):
    return a, b


@triton.jit
def merges(out, n, m, f):
    tl.static_assert(min(3, 4) == 3 and max(3, 4.5) == 4.5)
    tl.store(out, min(n, 4))
    tl.store(out + 1, max(n, m))
    tl.store(out + 2, max(min(n, m, 6), 3))
    if n > 3:
        x, y = two(n, f)
        pair = (n, 1.0)
    else:
        x, y = two(m, 0.0)
        pair = (m, 2.0)
    tl.store(out + 3, x + y)
    tl.store(out + 4, pair[0] + pair[1])
    tl.store(out + 5, n if n > 3 else 5)
    sums = (0, 0.0)
    for i in range(n):
        sums = (sums[0] + i, sums[1] + 0.5)
    tl.store(out + 6, sums[0] + sums[1])
    i = 10
    while i > n:
        i -= 2
    tl.store(out + 7, i)
    both = n > 3 and m > 3
    tl.store(out + 8, both)
    tl.store(out + 9, tl.where(both, 1, 2.5))
    tl.store(out + 10, 7 // 2 + -7 // 2 + n // -2 + (0 - n) // 2 + (0 - n) % 3)
    early = 1
    if m > 5:
        if n == 5:
            early = 2
    elif f > 0:
        early = 3
    tl.store(out + 11, early)


@triton.jit
def tuples(out, n):
    tl.static_assert(((3, 4) or (5, 6)) == (3, 4))
    tl.static_assert(((3, 4) and (5, 6)) == (5, 6))
    tl.static_assert(((3, 4) and ()) == ())
    tl.static_assert((() or (5, 6)) == (5, 6))
    tl.static_assert((() and tl.program_id(0)) == ())
    tl.store(out, (1, 2) == (1, 2))
    tl.store(out + 1, tl.tuple((1, 2)) == (1, 3))
    joined = tl.tuple((n, 5)) + (6, n + 4)
    tl.store(out + 2, joined[3])
    tl.store(out + 3, joined[-2] + joined[1:3][0])
    tl.store(out + 4, len(joined))
    x, (y, z) = n, (2 * n, (3, n))
    tl.store(out + 5, x + y + z[1])
    total = 0
    for item in joined:
        total += item
    tl.store(out + 6, total)
    tl.store(out + 7, sum([v * v for v in joined]))
