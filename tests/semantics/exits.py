# exits.py -- jumps in loops; expected values are those of Python itself.
# run: --grid=100 --arg out=zeros:i32[800] --reference out=exits.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def continues(a, b):
    s = 0
    for i in range(a):
        if i == b:
            continue
        s = s * 3 + i
        if s % 2 != 0:
            continue
        s += 100
    return s


@triton.jit
def breaks(a, b):
    s = 0
    for i in range(1, a, 2):
        s += i
        if s > b:
            s += 1000
            break
        s += 10
    return s


@triton.jit
def mixed(a, b):
    s = 0
    i = -5
    for i in range(a, -3, -1):
        if i > 4:
            if b > 2:
                continue
            s += 1
        else:
            s += 20
            if i == b:
                break
        s += 300
    return s * 10 + i


@triton.jit
def search(a, b):
    for i in range(a):
        for j in range(4):
            if i * j == b:
                return i * 10 + j
            if j > i:
                break
        if i == 5:
            break
    return -1


@triton.jit
def collatz(a, b):
    n = a + 9
    steps = 0
    while True:
        if n == 1:
            break
        steps += 1
        if steps > b + 3:
            return steps * 1000 + n
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    return steps


@triton.jit
def completes(a, b):
    s = 0
    i = 0
    while i < a and s < 40:
        s += i
        if i == b:
            break
        i += 1
    else:
        s += 50
    for i in range(b):
        if i > 2:
            break
    else:
        s += 500
    return s


@triton.jit
def unrolled(a, b):
    s = 0
    for i in tl.static_range(5):
        if i == 3:
            continue
        if i == a:
            continue
        s = s * 2 + i
        if s > b:
            break
        s += 3
    else:
        s -= 1000
    return s


# Names that share a value before the loop.
@triton.jit
def follows(a, b):
    now = a
    last = now
    pair = (last, b)
    for i in range(b + 2):
        pair = (pair[1], now)
        last = now
        now = now * 3 + i
        if i == a:
            pair = (last, pair[0])
    return last * 1000 + pair[0] * 10 + pair[1]


@triton.jit
def kernel(out):
    at = tl.program_id(0)
    a = at % 10 - 2
    b = at // 10 - 2
    out += at * 8
    tl.store(out, continues(a, b))
    tl.store(out + 1, breaks(a, b))
    tl.store(out + 2, mixed(a, b))
    tl.store(out + 3, search(a, b))
    tl.store(out + 4, collatz(a, b))
    tl.store(out + 5, completes(a, b))
    tl.store(out + 6, unrolled(a, b))
    tl.store(out + 7, follows(a, b))
