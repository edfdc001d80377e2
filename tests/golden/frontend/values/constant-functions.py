# Functions that compute constants run as in Python, with the host's functions
# that they call; torch.finfo and torch.iinfo have their meaning there.
# Functions that are marked as built in may get tiles, too. A name that a
# release may lack is looked up by its name.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - | FileCheck %s
import math
import sys

import numpy as np
import torch
import triton
import triton.language as tl
from math import pi
from numpy import euler_gamma

LOWEST = tl.constexpr(torch.finfo(torch.float32).min)
SQRT_TAU = math.sqrt(2 * math.pi)
LN2: tl.constexpr = math.log(2.0)


def unwrapped(x):
    return x.value if isinstance(x, tl.constexpr) else x


@triton.constexpr_function
def log2_floor(n):
    n = unwrapped(n)
    bits = 0
    while n > 1:
        if n == 3:
            break
        n //= 2
        bits += 1
    return bits if n == 1 else -1


@tl.constexpr
def wider(t):
    for bits in range(8, 64, 8):
        if bits >= 2 * t.primitive_bitwidth:
            return tl.core.get_int_dtype(bits, t.is_int_signed())
    return t


@triton.constexpr_function
def is_wrapped(n):
    return isinstance(n, tl.constexpr)


def twice(n):
    return 2 * n


double = triton.constexpr_function(twice)

constexpr_function = getattr(triton.runtime.jit, "constexpr_function", None)
if constexpr_function is None:
    int_dtype = tl.core.get_int_dtype
else:
    int_dtype = constexpr_function(tl.core.get_int_dtype)


def triton_builtin(f):
    f.__triton_builtin__ = True
    return f


@triton_builtin
def power_of_2(n: tl.constexpr, *, _builder: object = None) -> tl.constexpr:
    if not isinstance(n, tl.constexpr):
        raise AssertionError(f"expected a constant, got {type(n)}")
    return tl.constexpr(triton.next_power_of_2(n.value))


@triton_builtin
def if_mask(mask, value, *, _builder: object = None):
    if isinstance(mask, tl.constexpr) and mask.value is None:
        return tl.constexpr(None)
    return value


# CHECK: load %{{[^ ]+}} : tile<128xf32>
# CHECK: load %{{[^ ]+}} mask({{.*}}) other({{.*}}) : tile<128xf32>
# CHECK: constant {value = -3.4028235e+38}
# CHECK: constant {value = 3.1415927}
@triton.jit
def k(x: "*fp32"):
    tl.static_assert(log2_floor(1024) == 10 and log2_floor(96) == -1)
    tl.static_assert(not is_wrapped(3) and not is_wrapped(None))
    tl.static_assert(round(2.675, 2) == 2.67 and round(0.125, 2) == 0.12)
    tl.static_assert(round(5e-324, 400) == 5e-324 and round(1e308, -309) == 0)
    tl.static_assert(round(25.0, -1) == 20.0 and round(9.5e22, -23) == 1e23)
    tl.static_assert(round(-35, -1) == -40 and round(25, -1) == 20)
    tl.static_assert(wider(tl.int8) == tl.int16)
    tl.static_assert(wider(tl.uint16) == tl.uint32)
    tl.static_assert(wider(tl.int64) == tl.int64)
    tl.static_assert(double(21) == 42 and int_dtype(16, True) == tl.int16)
    tl.static_assert(2.5066 < SQRT_TAU and SQRT_TAU < 2.5067)
    tl.static_assert(0.6931 < LN2 and LN2 < 0.6932)
    tl.static_assert(math.floor(pi) == 3 and math.ceil(math.e) == 3)
    tl.static_assert(torch.iinfo(torch.uint8).max == 255)
    tl.static_assert(torch.iinfo(torch.int64).min == -(2**63))
    tl.static_assert(torch.finfo(torch.bfloat16).eps == 2.0**-7)
    tl.static_assert(torch.finfo(torch.float8_e4m3fn).max == 448)
    tl.static_assert(np.finfo(np.float16).tiny == 2.0**-14)
    tl.static_assert(torch.finfo(torch.float16).max == 65504)
    N: tl.constexpr = power_of_2(100)
    i = tl.core._unwrap_if_constexpr(tl.arange(0, N))
    tl.store(x + i, tl.load(x + i, None, other=if_mask(None, 1.0)))
    tl.store(x + i, tl.load(x + i, i < 9, other=if_mask(i < 9, 1.0)))
    tl.store(x, LOWEST)
    tl.store(x + 1, math.pi)
    tl.static_assert(np.inf == math.inf and -np.inf < torch.finfo(torch.float32).min)
    tl.static_assert(np.pi == math.pi and torch.pi == pi and torch.inf == np.inf)
    tl.static_assert(np.e == math.e and torch.e == math.e and np.nan != torch.nan)
    tl.static_assert(euler_gamma > 0.5772156649 and euler_gamma < 0.5772156650)
    tl.static_assert(sys.maxsize == 2**63 - 1)

