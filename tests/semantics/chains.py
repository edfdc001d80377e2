# chains.py -- loops whose addresses are loaded: program p makes p trips, up to
# the end of the tables; the entries before them lead far out of the pool.
# also: sim sm_89 sm_90
# run: --grid=8 --kernel=pages --num-stages=1 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=2 -D BACK=False --reference out=chains-two.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=2 --num-warps=1 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=2 -D BACK=False --reference out=chains-two.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=3 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=2 -D BACK=False --reference out=chains-two.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=4 --num-warps=8 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=2 -D BACK=True --reference out=chains-two.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=5 --num-warps=2 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=2 -D BACK=True --reference out=chains-two.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=3 --num-warps=2 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=3 -D BACK=False --reference out=chains-three.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=4 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=3 -D BACK=True --reference out=chains-three.npy --tolerance=0
# run: --grid=8 --kernel=pages --num-stages=7 --num-warps=1 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg numbers=@chains-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=64 -D LOADS=3 -D BACK=False --reference out=chains-three.npy --tolerance=0
# run: --grid=4 --kernel=unlike --num-stages=3 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-short.npy --arg numbers=@chains-short-numbers.npy --arg out=empty:fp32[4x16x16] --arg end=64 --arg step=2 --reference out=chains-unlike.npy --tolerance=0
# run: --grid=4 --kernel=unlike --num-stages=4 --num-warps=2 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-short.npy --arg numbers=@chains-short-numbers.npy --arg out=empty:fp32[4x16x16] --arg end=64 --arg step=2 --reference out=chains-unlike.npy --tolerance=0
# run: --grid=4 --kernel=unlike --num-stages=7 --num-warps=1 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-short.npy --arg numbers=@chains-short-numbers.npy --arg out=empty:fp32[4x16x16] --arg end=64 --arg step=2 --reference out=chains-unlike.npy --tolerance=0
# run: --grid=8 --kernel=ahead --num-stages=3 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg out=empty:fp32[8x16x16] --arg end=64 --reference out=chains-ahead.npy --tolerance=0
# run: --grid=8 --kernel=ahead --num-stages=5 --num-warps=2 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-table.npy --arg out=empty:fp32[8x16x16] --arg end=64 --reference out=chains-ahead.npy --tolerance=0
# run: --grid=8 --kernel=listed --num-stages=4 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg next=@chains-next.npy --arg out=empty:fp32[8x16x16] --arg page=4 --reference out=chains-listed.npy --tolerance=0
# run: --grid=8 --kernel=rows --num-stages=3 --num-warps=4 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-rows.npy --arg numbers=@chains-row-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=192 -D LOADS=2 -D ASKED=None --reference out=chains-rows-two.npy --tolerance=0
# run: --grid=8 --kernel=rows --num-stages=4 --num-warps=1 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-rows.npy --arg numbers=@chains-row-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=192 -D LOADS=3 -D ASKED=None --reference out=chains-rows-three.npy --tolerance=0
# run: --grid=8 --kernel=rows --num-warps=8 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-rows.npy --arg numbers=@chains-row-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=192 -D LOADS=2 -D ASKED=5 --reference out=chains-rows-two.npy --tolerance=0
# run: --grid=8 --kernel=rows --num-warps=2 --arg q=@chains-q.npy --arg pool=@chains-pool.npy --arg table=@chains-rows.npy --arg numbers=@chains-row-numbers.npy --arg out=empty:fp32[8x16x16] --arg end=192 -D LOADS=3 -D ASKED=3 --reference out=chains-rows-three.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def page_of(pool, page, TURNED: tl.constexpr):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    return tl.load(pool + page * 256 + (j * 16 + i if TURNED else i * 16 + j))


@triton.jit
def store(out, sums):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out + tl.program_id(0) * 256 + at, sums)


@triton.jit
def pages(q, pool, table, numbers, out, end, LOADS: tl.constexpr, BACK: tl.constexpr):
    x = page_of(q, 0, False)
    acc = tl.zeros([16, 16], tl.float32)
    first = end - tl.program_id(0)
    for at in range(first, end):
        i = first + end - 1 - at if BACK else at
        page = tl.load(table + (tl.load(numbers + i) if LOADS == 3 else i))
        s = tl.dot(x, page_of(pool, page, True))
        acc = tl.dot(s.to(tl.float16), page_of(pool, page + 1, False), acc)
    store(out, acc)


# Two chains, one longer than the other; and a page is used in its own trip,
# too.
@triton.jit
def unlike(q, pool, table, numbers, out, end, step):
    x = page_of(q, 0, False)
    acc = tl.zeros([16, 16], tl.float32)
    for i in range(end - tl.program_id(0) * step, end, step):
        number = tl.load(numbers + i)
        page = tl.load(table + number)
        s = tl.dot(x, page_of(pool, number, True))
        acc = tl.dot(s.to(tl.float16), page_of(pool, page, False), acc) + page
    store(out, acc)


# A trip loads the tile that the next one needs.
@triton.jit
def ahead(q, pool, table, out, end):
    x = page_of(q, 0, False)
    acc = tl.zeros([16, 16], tl.float32)
    first = end - tl.program_id(0)
    page = tl.load(table + first, mask=first < end, other=0)
    for i in range(first, end):
        acc = tl.dot(x, page_of(pool, page, False), acc)
        page = tl.load(table + i + 1, mask=i + 1 < end, other=0)
    store(out, acc)


# Each page has the number of the next one.
@triton.jit
def listed(q, pool, next, out, page):
    x = page_of(q, 0, False)
    acc = tl.zeros([16, 16], tl.float32)
    for _ in range(tl.program_id(0)):
        acc = tl.dot(x, page_of(pool, page, False), acc)
        page = tl.load(next + page)
    store(out, acc)


# The last trip has fewer rows.
@triton.jit
def rows(q, pool, table, numbers, out, end, LOADS: tl.constexpr, ASKED: tl.constexpr):
    x = page_of(q, 0, False)
    i = tl.arange(0, 16)
    acc = tl.zeros([16, 16], tl.float32)
    first = end - 16 * tl.program_id(0) + 5 * (tl.program_id(0) > 0)
    at = (numbers if LOADS == 3 else table) + first + i
    for k in tl.range(first, end, 16, num_stages=ASKED):
        row = tl.load(at, mask=k + i < end, other=-1)
        if LOADS == 3:
            row = tl.load(table + row, mask=row >= 0, other=-1)
        y = tl.load(pool + row[:, None] * 16 + i[None, :], mask=(row >= 0)[:, None], other=0)
        acc = tl.dot(x, y, acc)
        at += 16
    store(out, acc)
