# A tile that is expected to be zero keeps its shape, whatever the mask's.
# RUN: tilec %s --signature='*fp32' --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


# CHECK: %x = load %p : f32
# CHECK: store %p, %x
@triton.jit
def k(p):
    x = tl.load(p)
    y = tl.expect_zero(x, tl.arange(0, 16) > 3)
    tl.static_assert(not y.type.is_block())
    tl.store(p, y)
