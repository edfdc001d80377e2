# REQUIRES: tilec
# RUN: tilec --emit=reflect-json -o - %s | FileCheck %s --check-prefix=LIST
# RUN: tilec --kernel=calls --stop-after=frontend -o - %s | FileCheck %s
# RUN: tilec --kernel=also --signature="*i32" --stop-after=frontend -o - %s | FileCheck %s --check-prefix=ONE
# RUN: tilec --kernel=either --signature="*i32" --stop-after=frontend -o - %s | FileCheck %s --check-prefix=TWO
# RUN: tilec --kernel="listed[1]" --signature="*i32" --stop-after=frontend -o - %s | FileCheck %s --check-prefix=TWO
# RUN: tilec --kernel="named['one']" --signature="*i32" --stop-after=frontend -o - %s | FileCheck %s --check-prefix=ONE
# RUN: not tilec --kernel=within -o - %s 2>&1 | FileCheck %s --check-prefix=WITHIN
# RUN: not tilec --kernel=wrong -o - %s 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: not tilec --kernel=options -o - %s 2>&1 | FileCheck %s --check-prefix=OPTIONS
# RUN: not tilec --kernel=tunes -o - %s 2>&1 | FileCheck %s --check-prefix=TUNES

# The result of jit() is a value like any other, wherever it is called.
import functools

import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

DEBUG = False


def one(p):
    tl.store(p, 1)


def two(p, at=2):
    tl.store(p, at)


# ONE: constant {value = 1} : i32
# TWO: constant {value = 2} : i32

# A function that no other function calls is a kernel.
# LIST-NOT: "name": "first"
# LIST-LABEL: "name": "keyword"
# LIST: "name": "p"
# LIST: "name": "at", "constexpr": false, "default": 2, "do_not_specialize": true
keyword = triton.jit(noinline=True, fn=two, do_not_specialize=["at"])
# LIST-LABEL: "name": "tuned"
# LIST: "num_warps": 8
tuned = triton.autotune(configs=[triton.Config({}, num_warps=8)], key=[])(fn=triton.jit(one))
# LIST-LABEL: "name": "left"
# LIST-LABEL: "name": "right"
left, right = triton.jit(one), triton.jit(two)
# LIST-LABEL: "name": "bound"
(bound := triton.jit(one))
# LIST-LABEL: "name": "lines"
lines = (
    triton.jit(two)
)
# LIST-LABEL: "name": "calls"

either = one if DEBUG else triton.jit(two)
chosen = triton.jit(one if DEBUG else two)
first = also = triton.jit(one)
wrapped = (triton.jit)(two)
made = JITFunction(one)
listed = [triton.jit(one), triton.jit(two)]
named = {"one": triton.jit(one)}
low, high = map(triton.jit, (one, two))
option = functools.partial(triton.jit, debug=True)(one)
swapped_a, swapped_b = one, two
swapped_a, swapped_b = triton.jit(swapped_b), triton.jit(swapped_a)


# CHECK-LABEL: kernel @calls(
# CHECK-COUNT-5: constant {value = 1} : i32
# CHECK-COUNT-4: constant {value = 2} : i32
@triton.jit
def calls(p: "*i32"):
    first(p)
    made(p)
    named["one"](p)
    low(p)
    option(p)
    swapped_a(p)
    wrapped(p)
    listed[1](p)
    high(p)


# WITHIN: error: 'triton.jit' is host code, which a kernel cannot call
@triton.jit
def within(p: "*i32"):
    triton.jit(one)(p)


# WRONG: error: 'fn' of 'triton.jit' wants a function that a 'def' makes, found constant 3
number = triton.jit(3)


@triton.jit
def wrong(p: "*i32"):
    number(p)


# OPTIONS: error: 'do_not_specialize' of a call that is part of an expression is not supported yet
more = triton.jit(two, do_not_specialize=["at"]) if DEBUG is False else None


@triton.jit
def options(p: "*i32"):
    more(p)


# TUNES: error: 'triton.autotune' is host code, which a kernel cannot call
many = triton.autotune([], [])(triton.jit(one)) if DEBUG is False else None


@triton.jit
def tunes(p: "*i32"):
    many(p)
