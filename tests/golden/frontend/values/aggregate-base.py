# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --grid=1 --arg p=zeros:i32[4] --arg n=5 | FileCheck %s

# An aggregate has the fields and methods of its base class.
import triton
import triton.language as tl


@triton.aggregate
class Base:
    a: tl.tensor
    k: tl.constexpr = 3

    @triton.jit
    def scaled(self):
        return self.a * self.k

    @triton.jit
    def name(self):
        return 1


@triton.aggregate
class Child(Base):
    b: tl.tensor

    @triton.jit
    def total(self):
        return self.scaled() + self.b

    @triton.jit
    def name(self):
        return 2


@triton.jit
def kernel(p, n):
    child = Child(a=n, k=4, b=n + 1)
    # CHECK: total: 26
    tl.device_print("total", child.total())
    # CHECK: names: 2
    tl.device_print("names", child.name())
    tl.static_assert(Child(n, 7, n).k == 7)
    # CHECK: replaced: 28
    tl.device_print("replaced", tl.aggregate_replace(child, b=tl.to_tensor(8)).total())
