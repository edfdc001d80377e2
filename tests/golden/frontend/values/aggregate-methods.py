# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --kernel=use --grid=1 | FileCheck %s
# RUN: not tilec run %s --device=cpu --kernel=change --grid=1 2>&1 | FileCheck %s --check-prefix=CHANGE

# Methods of an aggregate that are not marked run while compiling, as Triton
# runs them: numbers in them are constants, and tiles pass through.

import triton
import triton.language as tl


@tl.core.builtin
def doubled(x, _semantic):
    return tl.add(x, x, _semantic=_semantic)


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor
    size: tl.constexpr

    def __init__(self, size, _semantic=None):
        self.first = tl.arange(0, size, _semantic=_semantic)
        self.second = tl.full((size,), 5, tl.int32, _semantic=_semantic)
        self.size = tl.constexpr(size)

    @staticmethod
    def create(size):
        return Pair(2 * size)

    def get_second(self, _semantic=None):
        return self.second

    def half(self):
        return self.size // 2

    def change(self, x):
        self.first = x

    @triton.jit
    def total(self):
        return tl.sum(self.first) + tl.sum(self.get_second())


@triton.jit
def use():
    pair = Pair.create(4)
    tl.static_assert(pair.half() == 4)
    # CHECK: total: 68
    tl.device_print("total", pair.total())
    # CHECK: second: 10
    tl.device_print("second", tl.max(doubled(pair.get_second())))


# CHANGE: aggregate-methods.py:[[#@LINE-17]]:9: error: only names and tuples of names can be assigned in a kernel, not 'self.first'
@triton.jit
def change():
    pair = Pair(4)
    pair.change(tl.arange(4, 8))
