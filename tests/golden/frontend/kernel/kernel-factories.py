# A function of the module may make kernels and helpers: each sees the names of
# the call that made it, as they are at its end.
# RUN: tilec %s --kernel=double --stop-after=frontend -o - | FileCheck %s --check-prefix=DOUBLE
# RUN: tilec %s --kernel=tuned --stop-after=frontend -o - | FileCheck %s --check-prefix=TUNED
# RUN: tilec %s --kernel=again --stop-after=frontend -o - | FileCheck %s --check-prefix=AGAIN
# RUN: tilec %s --kernel=marked --stop-after=frontend -o - | FileCheck %s --check-prefix=MARKED
# RUN: tilec %s --kernel=calls --stop-after=frontend -o - | FileCheck %s --check-prefix=CALLS
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=JSON
# RUN: not tilec %s --kernel=unknown --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import os

import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2


def make(factor, op=None, dtype=tl.float32):
    if op is None:

        @triton.jit
        def inner(x: "*fp32", BLOCK: tl.constexpr = factor * 8):
            i = tl.arange(0, BLOCK)
            tl.store(x + i, tl.load(x + i) * factor)
    else:

        @triton.autotune(configs=[triton.Config({"BLOCK": factor})], key=[])
        @triton.heuristics({"HALF": lambda args: factor // 2})
        @triton.jit
        def inner(x: "*fp32", BLOCK: tl.constexpr, HALF: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(x + i, op(tl.load(x + i)).to(dtype) + HALF)

    return inner


def make_plain(factor):
    def inner(x: "*fp32"):
        tl.store(x, factor)

    factor += 1
    return triton.jit(inner)


def make_helper(factor):
    @triton.jit
    def inner(x):
        return x + factor

    return inner


# JSON: "name": "double"
# JSON: "default": 16
# JSON: "name": "tuned"
# JSON: "BLOCK": 16
# JSON: "HALF": {"argument": "args", "expression": "factor // 2"}
# JSON: "name": "marked"
# DOUBLE: kernel @double
# DOUBLE: tile<16xi32>
# DOUBLE: constant {value = 2.0} : f32
double = make(2)
# TUNED: kernel @tuned
# TUNED: tile<16xi32>
# TUNED-DAG: constant {value = 2.0} : f32
# TUNED-DAG: constant {value = 8.0} : f32
tuned = triton.autotune(configs=[triton.Config({"BLOCK": 16})], key=[])(make(2))
tuned = make(16, twice)
# MARKED: kernel @marked
# MARKED: constant {value = 4.0} : f32
marked = make_plain(3)
add3 = make_helper(3)
add4 = make_helper(4)


# AGAIN: kernel @again
# AGAIN: constant {value = 2.0} : f32
def make_again():
    return double


again = make_again()


# CALLS: kernel @calls
# CALLS: constant {value = 10} : i32
@triton.jit
def calls(x: "*i32"):
    tl.store(x, add4(add3(3)))


# UNKNOWN: error: 'unknown' is not known to be a kernel
unknown = make(os.getpid())
