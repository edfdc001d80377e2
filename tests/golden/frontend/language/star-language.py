# `from triton.language import *` imports `max` and `min`, too, in place of
# Python's: they go along an axis, as they do with `tl.`.
# RUN: tilec %s --signature='*fp32, i32' --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
from triton.language import *


# CHECK-NOT: warning
# CHECK-LABEL: kernel @k
@triton.jit
def k(x, n):
    i = arange(0, 16)
    v = load(x + i)
    # CHECK: reduce inputs(%v) {axis = 0}
    # CHECK-NEXT: maxf
    a = max(v, 0)
    # CHECK: reduce inputs(%v) {axis = 0}
    # CHECK-NEXT: minf
    b = min(v, 0)
    # CHECK: reduce inputs(%v) {axis = 0}
    # CHECK-NEXT: addf
    c = sum(v, 0)
    # CHECK: for {{.*}}loop_stages = 2
    for _ in range(0, n, num_stages=2):
        v += abs(v)
    store(x + i, v + a + b + c)
