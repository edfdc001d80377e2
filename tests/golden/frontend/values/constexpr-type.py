# `.type` of a constexpr is a type of its own, which holds the value.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
# CHECK: store %p
import triton
import triton.language as tl


@triton.jit
def is_constant(x):
    return isinstance(x.type, tl.constexpr_type)


@triton.jit
def types(
    p: "*i32",
    N: tl.constexpr = 4,
    S: tl.constexpr = "a",
    D: tl.constexpr = tl.float16,
):
    tl.static_assert(isinstance(N.type, tl.constexpr_type))
    tl.static_assert(N.type == tl.constexpr_type(4))
    tl.static_assert(N.type == tl.constexpr_type(value=N))
    tl.static_assert(N.type != tl.constexpr_type(5))
    tl.static_assert(N.type.value == 4)
    tl.static_assert(S.type == tl.constexpr_type("a"))
    tl.static_assert(isinstance(D.type, tl.constexpr_type))
    tl.static_assert(not isinstance(N.type, tl.dtype))
    tl.static_assert(not isinstance(N.type, tl.tuple))
    tl.static_assert(not isinstance(N, tl.constexpr_type))
    v = tl.load(p)
    n = 3
    tl.static_assert(not isinstance(v.type, tl.constexpr_type))
    tl.static_assert(not isinstance(n.type, tl.constexpr_type))
    tl.static_assert(is_constant(N) and not is_constant(v))
    tl.store(p, v)
