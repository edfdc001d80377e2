# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --kernel=use --arg n=3 --grid=1 | FileCheck %s
# RUN: tilec run %s --device=cpu --kernel=only --grid=1 | FileCheck %s --check-prefix=ONLY
# RUN: tilec run %s --device=cpu --kernel=outside --grid=1 | FileCheck %s --check-prefix=OUTSIDE
# RUN: not tilec run %s --device=cpu --kernel=both --grid=1 2>&1 | FileCheck %s --check-prefix=BOTH

# Values of classes: tuples with names, aggregates with methods, and functions
# that run while compiling.

import math
from collections import namedtuple
from typing import NamedTuple

import triton
import triton.language as tl

Pair = namedtuple("Pair", "low high")
Cut = namedtuple("Cut", ["at", "by", "kind"], defaults=[5, "left"])
Triple = NamedTuple("Triple", [("x", tl.tensor), ("y", int), ("z", object)])
LOG2_E: tl.constexpr = tl.constexpr(math.log2(math.e))


class Mode:
    FAST = 3
    SLOW: tl.constexpr = tl.constexpr(4)


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor = 7


@tl.core._aggregate
class Sum:
    total: tl.tensor
    scale: tl.constexpr

    @triton.constexpr_function
    def __init__(self, total, scale):
        self.total = total
        self.scale = tl.constexpr(scale)

    @triton.jit
    def add(self, v):
        return Sum(self.total + v * self.scale, self.scale)

    @triton.jit
    def __add__(self, other):
        return self.add(other)

    @staticmethod
    @triton.jit
    def empty(scale):
        return Sum(tl.to_tensor(0.0), scale)


@triton.constexpr_function
def log2(n):
    k = 0
    while n > 1:
        n //= 2
        k += 1
        if k > 100:
            raise ValueError("never")
    for i in range(3):
        if i == 2:
            break
        k = k + i
    return k


@triton.jit
def swap(p):
    return Point(p.y, x=p.x) if False else Point(y=p.x, x=p.y)


@triton.jit
def use(n):
    p = swap(Point(tl.program_id(0) + 5, n))
    # CHECK: swapped{{.*}} 3
    # CHECK: swapped{{.*}} 5
    tl.device_print("swapped", p.x)
    tl.device_print("swapped", p.y)
    q = Pair(low=p.x, high=Point(1))
    low, (one, seven) = q
    # CHECK: fields{{.*}} 11
    tl.device_print("fields", low + q.high.x + one * 0 + seven)
    sum = Sum(tl.to_tensor(0.0), 2)
    for i in range(n):
        sum = sum.add(1.0)
        sum = sum + 0.5
        if i > 1:
            sum = sum.add(100)
    # CHECK: sum{{.*}} 209
    tl.device_print("sum", sum.total)
    # CHECK: empty{{.*}} 8
    tl.device_print("empty", (Sum.empty(4) + 2.0).total)
    t = Triple(n, 2, None)
    # CHECK: triple{{.*}} 5
    tl.device_print("triple", t.x + t[1])
    tl.static_assert(t.z is None and sum.scale == 2)
    tl.static_assert(log2(16) == 5 and Mode.FAST == 3 and Mode.SLOW == 4)
    tl.static_assert(LOG2_E > 1.4426 and math.ceil(LOG2_E) == 2)
    tl.static_assert(Cut(1) == (1, 5, "left") and Cut(1, 2).by == 2)
    tl.static_assert(isinstance(p, Point) and not isinstance(q, Point))


# A kernel of a class is also found by its own name, if no other kernel has that name.
class First:
    @triton.jit
    def only():
        tl.device_print("only ", 3)  # ONLY: only{{.*}} 3

    @triton.jit
    def both():
        pass


class Second:
    @triton.jit
    def both():  # BOTH: error: no kernel 'both'; there are: {{.*}}First.both, Second.both
        pass

    @triton.jit
    def outside():
        pass


@triton.jit
def outside():
    tl.device_print("outside ", 4)  # OUTSIDE: outside{{.*}} 4
