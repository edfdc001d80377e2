# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --kernel=use --grid=1 --arg low=2 | FileCheck %s

# map_elementwise: a condition on an element is a choice between tiles, which
# its function sees as scalars.

import triton
import triton.language as tl


@triton.jit
def steps(x, low):
    if x < low:
        return -1, 0
    elif x == 5:
        y = x * 10
        if low > 1:
            y += 1
        return y, 1
    y = x if x > 6 else 0
    return y, 2


@triton.jit
def swap(a, b, c, d):
    return b, a if c > 5 else d


@triton.jit
def counted(x):
    tl.static_assert(x.shape == () and len(x.shape) == 0 and x.numel == 1)
    tl.static_assert(x.type == tl.int32 and not x.type.is_block())
    total = 0
    for k in range(4):
        if x < k:
            continue
        total += tl.full([], x.reshape([]), tl.int32)
    last = 0
    if tl.program_id(0) == 0:
        last = x
    return (total + last,)


# A loop may end with one value for all elements, and the other way.
@triton.jit
def mixed(x, low):
    best = x * 10
    pair = (0, x)
    for k in range(low + 2):
        if k == 2:
            best = 7
        elif x > 3:
            best += 1
        if k > 1:
            pair = (pair[0] + x, k)
        else:
            pair = (k, pair[1])
    return best, pair[0], pair[1]


@triton.jit
def use(low: tl.int32):
    i = tl.arange(0, 8)
    value, kind = tl.map_elementwise(steps, i, low)
    # CHECK: idx (0) value: -1{{$}}
    # CHECK: idx (1) value: -1{{$}}
    # CHECK: idx (2) value: 0{{$}}
    # CHECK: idx (5) value: 51{{$}}
    # CHECK: idx (6) value: 0{{$}}
    # CHECK: idx (7) value: 7{{$}}
    tl.device_print("value", value)
    # CHECK: idx (1) kind: 0{{$}}
    # CHECK: idx (4) kind: 2{{$}}
    # CHECK: idx (5) kind: 1{{$}}
    tl.device_print("kind", kind)
    (pairs,) = tl.map_elementwise(swap, i, 7 - i, pack=2)
    # CHECK: idx (0) pairs: 1{{$}}
    # CHECK: idx (1) pairs: 0{{$}}
    # CHECK: idx (2) pairs: 3{{$}}
    # CHECK: idx (3) pairs: 4{{$}}
    # CHECK: idx (6) pairs: 7{{$}}
    # CHECK: idx (7) pairs: 0{{$}}
    tl.device_print("pairs", pairs)
    (counts,) = tl.map_elementwise(counted, i)
    # CHECK: idx (1) counts: 3{{$}}
    # CHECK: idx (2) counts: 8{{$}}
    # CHECK: idx (7) counts: 35{{$}}
    tl.device_print("counts", counts)
    best, first, second = tl.map_elementwise(mixed, i, low)
    # CHECK: idx (3) best: 7{{$}}
    # CHECK: idx (4) best: 8{{$}}
    tl.device_print("best", best)
    # CHECK: idx (0) first: 1{{$}}
    # CHECK: idx (7) first: 15{{$}}
    tl.device_print("first", first)
    # CHECK: idx (7) second: 3{{$}}
    tl.device_print("second", second)
    # CHECK: idx (0) halves: 0{{$}}
    # CHECK: idx (7) halves: 4{{$}}
    tl.device_print("halves", tl.map_elementwise(tl.cdiv, i, low))
