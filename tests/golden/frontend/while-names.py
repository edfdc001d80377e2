# REQUIRES: tilec
# RUN: tilec run %s --kernel=k --device=cpu --grid=1 --arg n=7 | FileCheck %s

# What the condition of a `while` assigns: names that had no value before, that
# the body changes, and that were run-time values.

import triton
import triton.language as tl


@triton.jit
def first(n):
    s = 0
    i = 0
    while (g := n - i) > 3:
        i += 1
        s += g
    return s + 100 * g


@triton.jit
def changed(n):
    s = 0
    while (g := n - s) > 3:
        if n > 5:
            g = 9
        for k in range(2):
            while (h := n + k - s) > 0:
                s += h
        s += g
    return 100 * s + g


@triton.jit
def constant(n):
    g = n
    f = 0
    while (g := 6) > 5 and f < 3:
        f += 1
    return 10 * g + f


@triton.jit
def returned(n):
    g = n
    while (g := g - 1) > 5:
        return 10 * g
    return g


@triton.jit
def k(n):
    # CHECK: first: 322
    tl.device_print("first", first(n))
    # CHECK: changed: 1690
    tl.device_print("changed", changed(n))
    # CHECK: constant: 63
    tl.device_print("constant", constant(n))
    # CHECK: returned: 60
    tl.device_print("returned", returned(n))
