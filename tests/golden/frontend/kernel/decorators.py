# A decorator is the value of its name: aliases of imports and of values, jit with
# options put in before, a choice, and a function that returns a result of jit.
# RUN: tilec %s --kernel=aliased --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=by_value --stop-after=frontend -o - | FileCheck %s --check-prefix=VALUE
# RUN: tilec %s --kernel=with_options --emit=reflect-json -o - | FileCheck %s --check-prefix=OPTIONS
# RUN: tilec %s --kernel=early --emit=reflect-json -o - | FileCheck %s --check-prefix=EARLY
# RUN: tilec %s --kernel=chosen --stop-after=frontend -o - | FileCheck %s --check-prefix=CHOSEN
# RUN: tilec %s --kernel=returned --stop-after=frontend -o - | FileCheck %s --check-prefix=RETURNED
# RUN: tilec %s --kernel=wrapped --stop-after=frontend -o - | FileCheck %s --check-prefix=WRAPPED
# RUN: not tilec %s --kernel=of_numba -o - 2>&1 | FileCheck %s --check-prefix=NUMBA
# RUN: not tilec %s --kernel=of_warp -o - 2>&1 | FileCheck %s --check-prefix=WARP
# RUN: not tilec %s --kernel=endless -o - 2>&1 | FileCheck %s --check-prefix=ENDLESS
import functools
from functools import partial

import numba
import triton
import triton.language as tl
import warp as wp
from triton import Config as C, autotune as A, heuristics as H, jit as J

my_jit = triton.jit
of_compute = functools.partial(triton.jit, do_not_specialize=["n"])
in_advance = triton.jit(do_not_specialize=["n"])
maybe = J if triton is not None else lambda function: function
compiled = numba.jit
round_and_round = partial(round_and_round, 1)


def ours(function):
    """Marks a function."""
    return triton.jit(function)


@J
def twice(x):
    return x * 2


# CHECK: kernel @aliased({{.*}}) {num_warps = 2}
# CHECK: constant {value = 16} : i32
@A(configs=[C({"N": 8}, num_warps=2)], key=[])
@J
def aliased(x: "*i32", N: tl.constexpr):
    tl.store(x, twice(N))


# VALUE: kernel @by_value
@my_jit
def by_value(x: "*fp32"):
    tl.store(x, 1.0)


# OPTIONS: "name": "n"{{.*}}"do_not_specialize": true
@partial(my_jit, do_not_specialize=["n"])
def with_options(x: "*fp32", n: "i32"):
    tl.store(x + n, 1.0)


# EARLY: "name": "n"{{.*}}"do_not_specialize": true
@H({"M": lambda args: 4})
@in_advance
def early(x: "*fp32", n: "i32", M: tl.constexpr):
    tl.store(x + n, 1.0)


# CHOSEN: kernel @chosen
@maybe
def chosen(x: "*fp32"):
    tl.store(x, 1.0)


# RETURNED: kernel @returned
@ours
def returned(x: "*fp32"):
    tl.store(x, 1.0)


# WRAPPED: kernel @wrapped
def plain(x: "*fp32"):
    tl.store(x, 1.0)


wrapped = of_compute(plain)


# NUMBA: error: 'of_numba' is not a kernel
@compiled
def of_numba(x: "*fp32"):
    tl.store(x, 1.0)


# WARP: error: 'of_warp' is not a kernel
@wp.kernel
def of_warp(x: "*fp32"):
    tl.store(x, 1.0)


# ENDLESS: error: 'endless' is not a kernel
@round_and_round
def endless(x: "*fp32"):
    tl.store(x, 1.0)
