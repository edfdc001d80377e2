# Python's math of constants gives a kernel the results of Python. Expected
# values are those of CPython.
# RUN: tilec %s --kernel=known --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=wrong -o /dev/null 2>&1 | FileCheck %s
import math

import triton
import triton.language as tl


@triton.jit
def known(N: tl.constexpr = 24):
    tl.static_assert(math.gcd(N, 18) == 6 and math.gcd() == 0)
    tl.static_assert(math.lcm(N, 18) == 72)
    tl.static_assert(math.factorial(5) == 120)
    tl.static_assert(math.perm(5, 2) == 20 and math.perm(4) == 24)
    tl.static_assert(math.comb(5, k=2) == 10)
    tl.static_assert(math.isqrt(N) == 4)
    tl.static_assert(math.prod((2, N, 0.5)) == 24.0)
    tl.static_assert(math.prod((2, N), start=3) == 144)
    tl.static_assert(math.degrees(math.pi) == 180.0)
    tl.static_assert(math.radians(180) == math.pi)
    tl.static_assert(pow(3, N, 7) == 1 and pow(3, 5, -7) == -2)
    tl.static_assert(pow(3, -1, 7) == 5 and pow(3, -1, -7) == -2)
    tl.static_assert(pow(-3, -2, 7) == 4 and pow(2, -1, 1) == 0)
    tl.static_assert(pow(2**120 + 7, -1, 2**126 - 1) == 20841347639923847984950560588805402706)
    tl.arange(0, math.gcd(16, N))


@triton.jit
def wrong(n: tl.int32):
    # CHECK: [[@LINE+1]]:5: error: 'math.gcd' of Python wants a constant number, found int32
    math.gcd(n, 6)
    # CHECK: [[@LINE+1]]:15: error: 'math.prod' of Python wants a constant number, found int32
    math.prod((n, 3))
    # CHECK: [[@LINE+1]]:5: error: assertion failed: factorial() not defined for negative values
    math.factorial(-1)
    # CHECK: [[@LINE+1]]:5: error: assertion failed: isqrt() is of integers
    math.isqrt(2.5)
    # CHECK: [[@LINE+1]]:12: error: 'pow' wants constants
    pow(3, n, 7)
    # CHECK: [[@LINE+1]]:5: error: assertion failed: pow() with a modulus is of integers
    pow(3, 2.0, 7)
    # CHECK: [[@LINE+1]]:5: error: assertion failed: base is not invertible for the given modulus
    pow(2, -1, 4)
