# beyond.py -- statements that Triton refuses and that work here; the result of
# each line is that of Python, or NumPy.
# run: --kernel=beyond --grid=1 --arg x=zeros:i32[4] --arg y=zeros:i32[4] --arg n=5 --arg out=zeros:i32[9] --reference out=beyond.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def scaled(a, *, by=3):
    return a * by


@triton.jit
def wide_type():
    return tl.int64


@triton.jit
def operation():
    return "add"


@triton.jit
def beyond(x, y, n, out):
    a = b = 3
    tl.store(out, a + b)
    first, *rest = (1, 2, n)
    tl.store(out + 1, first + 10 * rest[0] + 100 * rest[1])
    for i in (1, 20, 300):
        a += i
    tl.store(out + 2, a)
    tl.store(out + 3, scaled(n) + scaled(n, by=100))
    tl.store(out + 4, n.to(wide_type()).dtype == tl.int64)
    if operation() == "add":
        tl.store(out + 5, n + 1)
    tl.store(out + 6, (x == y) + 10 * (x == x) + 100 * (x != y))
    if n > 3:
        unused = 1
    else:
        unused = 1.5
    values = tl.full([1], n, tl.float32).to(tl.float8e4nv)
    tl.store(out + 7, tl.sum(values.to(tl.float32)).to(tl.int32))
    i = tl.arange(0, 16)
    a = (i[:, None] + 3 * i[None, :]) % 7
    b = (5 * i[:, None] + i[None, :]) % 11
    c = tl.dot(a.to(tl.float16), b.to(tl.float16), trans_a=True, trans_b=True)
    tl.store(out + 8, tl.sum(c.to(tl.int32) * (i[:, None] * 16 + i[None, :])))
