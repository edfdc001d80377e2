# In a Python file bare `max` of a tile and a number compares each element, as
# in Triton; a reader may mistake it for the maximum along an axis.
# RUN: tilec %s --signature='*fp32' --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def relu(v):
    # CHECK: bare-extremes.py:[[@LINE+1]]:12: warning: 'max(v, 0)' is 'tl.maximum(v, 0)', as in Python: it compares each element; 'tl.max(v, 0)' goes along axis 0
    return max(v, 0)


# CHECK-NOT: warning
# CHECK-NOT: reduce
# CHECK: maxf
@triton.jit
def k(x):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    v = relu(v) + max(v, 0.0) + max(0, v) + max(v, 1) + relu(-v)
    tl.store(x + i, v)
