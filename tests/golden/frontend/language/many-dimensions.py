# A dimension for each power of two of a tile, as bitonic sorts have them.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=k --target=cpu -o /dev/null
# RUN: tilec %s --kernel=k --target=sm_80 --emit=ptx -o /dev/null
import triton
import triton.language as tl


@triton.jit
def exchange(x, j: tl.constexpr, DIMS: tl.constexpr):
    h = tl.reshape(x, [2] * DIMS)
    other = h ^ tl.xor_sum(h, j, keep_dims=True)
    h = tl.where(tl.program_id(0) > j, other, h)
    return tl.reshape(h, x.shape)


# CHECK: reshape {{.*}} : tile<2x2x2x2x2x2x2x2x2x2x2xi32>
# CHECK: reduce {{.*}}axis = 9
@triton.jit
def k(x: "*i32"):
    i = tl.arange(0, 2048)
    tl.store(x + i, exchange(tl.load(x + i), 9, 11))
