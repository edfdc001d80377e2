# tl.const: no store through the pointer is allowed, nor through a value that may be the pointer.
# RUN: tilec %s --kernel=reads --signature='*fp32, *fp32, i32, False' --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=reads --signature='*fp32, *fp32, i32, True' --stop-after=frontend -o - 2>&1 | FileCheck --check-prefix=STORE %s
# RUN: not tilec %s --kernel=merges --signature='*fp32, *fp32, i32' --stop-after=frontend -o - 2>&1 | FileCheck --check-prefix=MERGE %s
# RUN: not tilec %s --kernel=chooses --signature='*fp32, *fp32, i32' --stop-after=frontend -o - 2>&1 | FileCheck --check-prefix=CHOOSE %s
import triton
import triton.language as tl


# CHECK: store
# STORE: error: cannot store through a const pointer
@triton.jit
def reads(x: tl.const, y, n, BACK: tl.constexpr):
    y = x if BACK else y
    tl.store(y + n, tl.load(x))


# MERGE: error: 'z' has two types after an 'if' above: const pointer to fp32 and pointer to fp32
@triton.jit
def merges(x: tl.const, y, n):
    if n:
        z = x
    else:
        z = y
    tl.store(z, 1.0)


# CHOOSE: error: both values of a run-time conditional expression are run-time values of one type; found const pointer to fp32 and pointer to fp32
@triton.jit
def chooses(x: tl.const, y, n):
    z = x if n else y
    tl.store(z, 1.0)
