# A kernel may end with a constant, which is not used.
# RUN: tilec %s --kernel=early --signature='*fp32, i32' --stop-after=frontend -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=passed_on --signature='*fp32' --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=PASSED
# RUN: not tilec %s --kernel=number --signature='*fp32, i32' -o - 2>&1 | FileCheck %s --check-prefix=NUMBER
import triton
import triton.language as tl


# CHECK-NOT: warning
# CHECK:     if
# CHECK:     return
@triton.jit
def early(x, n):
    if n > 2:
        tl.store(x, 2.0)
        return 1
    tl.store(x, 1.0)


@triton.jit
def three():
    return 3


# PASSED-NOT: warning
# PASSED:     return
@triton.jit
def passed_on(x):
    tl.store(x, 1.0)
    return three()


# NUMBER: error: a kernel returns nothing, but 'number' returns int32
@triton.jit
def number(x, n):
    return n
