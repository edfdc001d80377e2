# An aggregate with __getitem__ gives items by that, not its fields.
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


# CHECK: constant {value = 100} : i32
# CHECK: store
# CHECK: constant {value = 100} : i32
# CHECK-NEXT: addi %n
# CHECK-NEXT: addi {{.*}}, %n : i32
# CHECK: store
@triton.jit
def k(x: "*i32", n: "i32"):
    pair = Pair(n, n + 1)
    tl.store(x, pair[1])
    tl.store(x + 1, pair[n])
