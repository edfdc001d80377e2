# elements.py -- map_elementwise; expected values are those of Python.
# run: --debug --grid=1 --arg x=arange:i32[64] --arg out=zeros:i32[832] --reference out=elements.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def read(address, i):
    return tl.load(address.to(tl.pointer_type(tl.int32)) + i)


# Only the first five addresses are valid.
@triton.jit
def guarded(address, i):
    r = -1
    if i < 5:
        r = read(address, i)
        assert i < 5, "an element that is not in the branch"
    else:
        tl.device_assert(i >= 5, "an element that is not in the branch")
    return r


@triton.jit
def left_early(address, i):
    if i >= 7:
        return -i
    if i % 2 == 0:
        if i == 4:
            return read(address, i) + 100
    else:
        return read(address, i) if i < 5 else 1000
    assert i < 7
    return tl.load(address.to(tl.pointer_type(tl.int32)) + i, i < 4, other=50)


@triton.jit
def repeated(address, i):
    total = i * 0
    for k in range(3):
        if i + k < 5:
            if k != 1:
                total += read(address, i + k)
            else:
                tl.device_assert(i < 4)
                total += 10
    return total


# An address that is the same for all elements, and that no element may read.
@triton.jit
def shared(address, i):
    return tl.load(tl.cast(1 << 40, tl.pointer_type(tl.int32))) if i > 99 else i


# A scalar is the same for all elements, and may bound a loop.
@triton.jit
def as_far(address, i, n):
    total = 0
    for k in range(n):
        if i >= k:
            total += read(address, k)
    if n > 3:
        n = i
    return total, n if i > 1 else 7


# Elements leave a loop one by one, and read nothing after that.
@triton.jit
def chased(address, i):
    steps = 0
    if i < 5:
        while i > 0:
            i = read(address, i) - 1 - steps
            steps += 1
            if steps == 2:
                return -i
        else:
            steps += 10
    return steps


@triton.jit
def searched(address, i):
    low, high = 0, 60
    for k in range(i % 7):
        middle = (low + high) // 2
        tl.device_assert(k < i % 7, "an element that has left")
        if read(address, middle) < i:
            low = middle + 1
        elif low == high:
            break
        else:
            high = middle
    return low


# No element takes the branch, in which a loop would not end.
@triton.jit
def endless(i, n):
    steps = 0
    if i > 70 or n <= 0:
        return steps
    if i > 30:
        m = n
        if i < 20:
            while m != 0:
                m = m * 2 + 1
                while n > 0:
                    steps += 1
        else:
            steps = 5
    return steps


# The counter had a value of its own for each element.
@triton.jit
def counted(i, n):
    k = i
    steps = 0
    while i > 3:
        i -= 5
        for k in range(n):
            steps += k
    return 100 * steps + k


# A name that the condition assigns has a value after the loop, a name of the
# body has none.
@triton.jit
def assigned(i, n):
    g = 1
    c = 0
    while (g := n) > c:
        c += 1
        if i % 3 == 0:
            g = i
            if c > 2:
                break
    return 100 * c + g


@triton.jit
def k(x, out):
    i = tl.arange(0, 64)
    address = x.to(tl.int64) + tl.where(i < 5, 0, 1 << 40).to(tl.int64)
    tl.store(out + i, tl.map_elementwise(guarded, address, i))
    tl.store(out + 64 + i, tl.map_elementwise(left_early, address, i))
    tl.store(out + 128 + i, tl.map_elementwise(repeated, address, i))
    tl.store(out + 192 + i, tl.map_elementwise(shared, address, i))
    wide = tl.reshape(i, (4, 16))
    grid = tl.map_elementwise(guarded, tl.reshape(address, (4, 16)), wide)
    tl.store(out + 256 + wide, grid)
    one = tl.map_elementwise(guarded, x.to(tl.int64), tl.arange(0, 1))
    tl.store(out + 320 + tl.arange(0, 1), one)
    n = tl.load(x + 4)
    total, chosen = tl.map_elementwise(as_far, x.to(tl.int64), i, n)
    tl.store(out + 384 + i, total)
    tl.store(out + 448 + i, chosen)
    tl.store(out + 512 + i, tl.map_elementwise(chased, address, i))
    tl.store(out + 576 + i, tl.map_elementwise(searched, x.to(tl.int64), i))
    tl.store(out + 640 + i, tl.map_elementwise(endless, i, n))
    tl.store(out + 704 + i, tl.map_elementwise(counted, i, n))
    tl.store(out + 768 + i, tl.map_elementwise(assigned, i, n))
