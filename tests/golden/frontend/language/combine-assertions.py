# An assertion in the function of a reduction checks nothing, also with --debug.
# RUN: tilec %s --kernel=k --debug --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def checked(a, b):
    wide = a.to(tl.int64) + b.to(tl.int64)
    tl.device_assert(wide <= 2**31 - 1)
    if a > b:
        tl.device_assert(a > 0, "large")
    return a + b


# CHECK: reduce
# CHECK-NOT: device_assert
# CHECK-NOT: extsi
# CHECK: yield
@triton.jit
def k(x: "*i32"):
    i = tl.arange(0, 16)
    tl.store(x, tl.reduce(tl.load(x + i), 0, checked))
