# Constants are looked up among constants alone: assigned ones are run-time values.
# RUN: not tilec %s --signature='*fp32' -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

SCALES = {1: 10.0, 2: 20.0}
SIZES = (1, 2)


@triton.jit
def k(x):
    a = (1, 2)
    mode = 1
    # CHECK-NOT: :[[@LINE+1]]:
    tl.store(x, 1.0 if 1 in SIZES and 3 not in (1, 2) else SCALES.get(1, 0.0))
    # CHECK: [[@LINE+1]]:10: error: 'in' looks constants up, found constant 1 and tuple of 2; compare with each by '=='
    if 1 in a:
        tl.store(x, 1.0)
    # CHECK: [[@LINE+1]]:10: error: 'not in' looks constants up, found constant 2 and tuple of 2; compare with each by '=='
    if 2 not in [v for v in (mode, 2)]:
        tl.store(x, 1.0)
    # CHECK: [[@LINE+1]]:28: error: a dictionary is of constants, found int32
    tl.store(x, SCALES.get(mode, 5.0))
    # CHECK: [[@LINE+1]]:23: error: 'round' to digits wants a constant, found fp32
    tl.store(x, round(tl.load(x), 2))
