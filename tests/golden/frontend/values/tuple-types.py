# The type of a tuple consists of the types of its items.
# RUN: tilec %s --kernel=types --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=none -o - 2>&1 | FileCheck %s --check-prefix=NONE
from typing import NamedTuple

import triton
import triton.language as tl


class Typed(NamedTuple):
    type: tl.constexpr


@triton.jit
def sign_and_value(x):
    if x < 0:
        return 1, x
    else:
        return 0, x


# CHECK: store %p
@triton.jit
def types(p: "*i32", n: "i32", s: "fp32"):
    got = sign_and_value(n)
    tl.static_assert(got.type == tl.tuple_type([tl.int32, tl.int32]))
    tl.static_assert((n, s).type != got.type)
    tl.static_assert((p, None).type == (tl.pointer_type(tl.int32), None))
    tile = tl.zeros((4, 8), tl.float16)
    tl.static_assert((n, (tile, s)).type == (n.type, (tile.type, tl.float32)))
    tl.static_assert(tl.tuple((0, 1)).type == (tl.int32, tl.int32))
    tl.static_assert(().type == ())
    tl.static_assert(Typed(3).type == 3)
    tl.store(p, got[0])


@triton.jit
def none(p: "*i32"):
    # NONE: [[#@LINE+1]]:27: error: tuple of 1 has no attribute 'types'
    tl.static_assert((1,).types)
