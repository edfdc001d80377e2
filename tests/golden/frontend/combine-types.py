# A function of a scan may ask a tile for its type, as long as that is all.
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
