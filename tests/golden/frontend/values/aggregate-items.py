# An aggregate with __getitem__ is indexed by that, not by its fields, and one
# with __eq__ is compared by that.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


@tl.core._aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    @triton.constexpr_function
    def __init__(self, first, second):
        self.first = first
        self.second = second

    @triton.jit
    def __getitem__(self, i):
        return self.first + 100 + i

    @triton.jit
    def __eq__(self, other):
        return self.second == other.second


# CHECK: constant {value = 100} : i32
# CHECK: store
# CHECK: constant {value = 100} : i32
# CHECK-NEXT: addi %n
# CHECK-NEXT: addi {{.*}}, %n : i32
# CHECK: store
# CHECK: cmpi
@triton.jit
def k(x: "*i32", n: "i32"):
    pair = Pair(n, n + 1)
    tl.store(x, pair[1])
    tl.store(x + 1, pair[n])
    tl.store(x + 2, (pair == Pair(n, n * 2)).to(tl.int32))
