# A function of a scan may read a tile's type, but no other attribute.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def is_floating(x):
    return (x + tl.zeros((1,), tl.int1)).dtype.is_floating()


@triton.jit
def larger(a, b):
    if is_floating(a):
        return tl.where(a != a, a, tl.maximum(a, b))
    return tl.maximum(a, b)


# CHECK: scan
# CHECK-NOT: tile<1x
# CHECK: yield
@triton.jit
def k(x: "*fp32"):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.associative_scan(tl.load(x + i), 0, larger))


@triton.jit
def mean(a, b):
    return (a + b) / 2


# A wrong function has a message at the place where it is passed.
# RUN: not tilec %s --kernel=misfits --signature= 2>&1 | FileCheck %s --check-prefix=MISFITS
@triton.jit
def misfits():
    i = tl.arange(0, 16)
    # MISFITS: :[[#@LINE+1]]:35: error: too many arguments for 'exp': it takes 1
    a = tl.associative_scan(i, 0, tl.exp)
    # MISFITS: :[[#@LINE+1]]:41: error: 'is_floating' takes 1 argument, found 2
    b = tl.reduce(i, axis=0, combine_fn=is_floating)
    # MISFITS: :[[#@LINE+1]]:25: error: the function of 'reduce' gives fp32, wanted int32
    c = tl.reduce(i, 0, mean)
