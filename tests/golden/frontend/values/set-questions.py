# Questions about sets have Python's answers.
# RUN: tilec %s --kernel=k --signature='*i32' --emit=ir --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl
A = tl.constexpr({1, 2}.issubset({1, 2, 3}))
B = tl.constexpr({1, 4}.issubset([1, 2, 3]))
C = tl.constexpr({1, 2, 3}.issuperset((3,)))
D = tl.constexpr({1, 2}.issuperset((3,)))
E = tl.constexpr({1, 2}.isdisjoint({3}))
F = tl.constexpr({1, 2}.isdisjoint({2}))
@triton.jit
def k(o):
    # CHECK: constant {value = 21}
    tl.store(o, A + 2 * B + 4 * C + 8 * D + 16 * E + 32 * F)
