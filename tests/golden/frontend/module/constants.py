# Constants stay constants: results that a helper computes from them, also
# through other helpers, and an integer argument of 1. They choose branches, make
# shapes and hold static assertions; code that is not chosen may have no meaning.
# RUN: tilec %s --kernel=returned --stop-after=frontend -o - | FileCheck %s --check-prefix=RETURNED
# RUN: tilec %s --kernel=one --stop-after=frontend -o - | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --kernel=differing --stop-after=frontend -o - | FileCheck %s --check-prefix=DIFFERING
# RUN: tilec %s --kernel=asked --stop-after=frontend -o - | FileCheck %s --check-prefix=ASKED
# RUN: tilec %s --kernel=wide --stop-after=frontend -o - | FileCheck %s --check-prefix=WIDE
import triton
import triton.language as tl

FACTOR = tl.constexpr(0x2360ED051FC65DA44385DF649FCCF645)


@triton.jit
def is_big(B: tl.constexpr):
    return B > 3


@triton.jit
def size(B: tl.constexpr):
    return B * 2


@triton.jit
def more(B: tl.constexpr):
    return size(B) + 32


@triton.jit
def sizes(B: tl.constexpr):
    return B, size(B)


@triton.jit
def has(b):
    return b is not None


@triton.jit
def chosen(B: tl.constexpr):
    if B == 16:
        return 4
    else:
        return "four"


@triton.jit
def last(B: tl.constexpr):
    if B == 8:
        return undefined(1)
    return B


@triton.jit
def either(n):
    if n > 3:
        return True, n
    else:
        return 1, 5


# RETURNED-LABEL: kernel @returned
# RETURNED-NOT: {{if|cmpi}}
# RETURNED: %v = constant {value = 0.0} : tile<64x32xf32>
# RETURNED: arange {end = 64, start = 0}
# RETURNED-NOT: {{if|cmpi}}
# RETURNED: store %{{.*}}, %v
# RETURNED: if %{{.*}} : i32
# RETURNED: return
@triton.jit
def returned(x: "*fp32", b: "*i8", n: "i32", N: tl.constexpr = 16,
             none: tl.constexpr = None):
    v = tl.zeros((more(N), size(N)), tl.float32)
    tl.static_assert(size(N) == 32)
    if is_big(N) and not has(none):
        tl.store(x + tl.arange(0, size(N) * 2), 1.0)
    else:
        undefined(1)
    BIG: tl.constexpr = is_big(N)
    if not BIG:
        undefined(2)
    if size(N) == 32 and N > 3:
        tl.store(x, 1.0 if is_big(N) else undefined(3))
    else:
        undefined(4)
    tl.static_assert(sizes(N)[1] == 32 and chosen(N) == 4 and last(N) == 16)
    # A constant does not widen a tile.
    tl.static_assert((tl.load(b) + size(N)).dtype == tl.int8)
    tl.store(x + tl.arange(0, 64)[:, None] + tl.arange(0, 32)[None, :], v)
    tl.static_assert(either(n)[0])
    tl.store(x, either(n)[1])


@triton.jit
def row(x, stride):
    if stride == 1:
        return tl.load(x)
    else:
        return tl.load(x + tl.arange(0, 16))


@triton.jit
def through(x, stride):
    return row(x, stride)


# ONE-LABEL: kernel @one(%x: ptr<f32>
# ONE-NOT: {{if|cmpi}}
# ONE: arange {end = 16, start = 0}
# ONE-NOT: {{if|cmpi}}
# ONE: extsi %n : i64
@triton.jit
def one(x: "*fp32", n=1):
    tl.static_assert(n == 1 and n.value == 1 and isinstance(n, int))
    if n == 1:
        tl.store(x + tl.arange(0, n * 16), 1.0)
    else:
        undefined(1)
    tl.store(x, through(x, n))
    for i in range(4):
        n = n * 2
    tl.store(x, n.to(tl.int64))


# The result is an int32 if the function might return another number.
@triton.jit
def first(B: tl.constexpr):
    if B == 16:
        return 4
    return 8


@triton.jit
def assigned(B: tl.constexpr):
    a = B
    return a


@triton.jit
def signed(n):
    if n > 0:
        return 0.0
    else:
        return -0.0


@triton.jit
def numbers(n):
    if n > 3:
        return 4
    else:
        return 5


# DIFFERING-LABEL: kernel @differing
# DIFFERING: if %
# DIFFERING: constant {value = 4} : i32
# DIFFERING: constant {value = 5} : i32
# DIFFERING: if %
# DIFFERING: constant {value = 0.0} : f32
# DIFFERING: constant {value = -0.0} : f32
@triton.jit
def differing(x: "*fp32", b: "*i8", n: "i32", N: tl.constexpr = 16):
    tl.static_assert(isinstance(first(N), tl.tensor))
    tl.static_assert(isinstance(assigned(N), tl.tensor))
    tl.static_assert((tl.load(b) + first(N)).dtype == tl.int32)
    tl.store(x, numbers(n))
    tl.store(x, signed(n))


# A kernel never sees the tl.constexpr around a value.
# ASKED-LABEL: kernel @asked
@triton.jit
def asked(x: "*fp32", n: "i32", one=1, N: tl.constexpr = 16,
          T: tl.constexpr = tl.float32, none: tl.constexpr = None):
    tl.static_assert(isinstance(N, int) and isinstance(one, int))
    tl.static_assert(isinstance(3.5, float))
    tl.static_assert(isinstance(T, tl.dtype) and isinstance((1, 2), tl.tuple))
    tl.static_assert(isinstance(n, tl.tensor) and not isinstance(n, int))
    tl.static_assert(not isinstance(N, tl.constexpr))
    tl.static_assert(not isinstance(one, tl.constexpr))
    tl.static_assert(not isinstance(n, tl.constexpr))
    tl.static_assert(not isinstance(T, tl.constexpr))
    tl.static_assert(not isinstance(none, tl.constexpr))
    tl.static_assert(not isinstance(3, tl.constexpr))
    tl.static_assert(not isinstance((1, 2), tl.constexpr))
    tl.static_assert(not isinstance(size(N), tl.constexpr))


# A literal is as wide as the values computed from it.
# WIDE-LABEL: kernel @wide
# WIDE: constant {value = 4865540595714422341}
# WIDE: constant {value = 566}
@triton.jit
def wide(x: "*u64"):
    tl.store(x, FACTOR & 0xFFFF_FFFF_FFFF_FFFF)
    tl.store(x, 47026247687942121848144207491837523525 >> 116)
    tl.static_assert(170141183460469231731687303715884105727 >> 126 == 1)
