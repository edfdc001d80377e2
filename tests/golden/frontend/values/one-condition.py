# The one element of a tile is a condition of an `if`, and of a conditional expression, too.
# RUN: tilec %s --signature='*fp32, i32' --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


# CHECK: = if %{{[0-9]+}} : tile<16xf32>
@triton.jit
def k(x, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(x + i, v * 2 if n > tl.arange(0, 1) else v)
