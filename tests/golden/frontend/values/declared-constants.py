# RUN: tilec %s --kernel=declared --signature="*i32" --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=plain --signature="*i32" --stop-after=frontend -o - | FileCheck %s --check-prefix=PLAIN

# `x: tl.constexpr` without a value: values assigned to the name stay constants,
# also as one of several targets and in loops that are unrolled.

import triton
import triton.language as tl


# CHECK-LABEL: kernel @declared
@triton.jit
def declared(out):
    n: tl.constexpr
    n = 4
    # CHECK: arange {end = 4, start = 0}
    i = tl.arange(0, n)
    m: tl.constexpr
    shape: tl.constexpr
    k, (m, other), shape = 2, (8, 9), ((2, 4), 3)
    tl.static_assert(isinstance(k, tl.tensor) and isinstance(other, tl.tensor))
    tl.static_assert(m == 8 and shape == ((2, 4), 3))
    last: tl.constexpr
    first = last = 16
    tl.static_assert(isinstance(first, tl.tensor) and last == 16)
    for trip in tl.static_range(3):
        last = trip
    tl.static_assert(last == 2)
    if m > 4:
        last = 7
    for _ in range(3):
        last = 7
        tl.store(out + tl.arange(0, last + 1), k)
    # CHECK: store
    tl.store(out + i, tl.full((n,), 0.0, tl.int32))


# PLAIN: kernel @plain
@triton.jit
def plain(out):
    n: tl.int32
    n = 4
    tl.static_assert(isinstance(n, tl.tensor))
