# REQUIRES: tilec
# RUN: tilec run %s --kernel=k --device=cpu --grid=1 --arg n=7 | FileCheck %s

# Names that the condition of a `while` assigns: names that had no value before,
# that the body changes, and that were run-time values; and names that one path
# of a conditional expression assigns.

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


# A name that an `if` or a loop above left without a value has one again.
@triton.jit
def again(n):
    c = 0
    if n > 90:
        h = c
    for i in range(n):
        s = i
    while (h := n - c) > 3:
        c += h // 4
    while (s := n) > c:
        c += 1
    return 100 * h + 10 * s + c


@triton.jit
def item(n):
    t = (n, 1)
    c = 0
    while (t := (n - c, 2))[0] > 0:
        c += t[1]
    return 10 * c + t[1]


@triton.jit
def chosen(n):
    x = 5
    c = 0
    while (x := n - c) > 3 if n > 6 else c < n:
        c += 1
    y = (x := n + c) if n > 6 else 1
    z = (x := 3) if n > 8 else (x := x + 1)
    return 10000 * c + 1000 * x + 10 * y + z


@triton.jit
def k(n):
    # CHECK: again: 377
    tl.device_print("again", again(n))
    # CHECK: item: 82
    tl.device_print("item", item(n))
    # CHECK: chosen: 52122
    tl.device_print("chosen", chosen(n))
    # CHECK: first: 322
    tl.device_print("first", first(n))
    # CHECK: changed: 1690
    tl.device_print("changed", changed(n))
    # CHECK: constant: 63
    tl.device_print("constant", constant(n))
    # CHECK: returned: 60
    tl.device_print("returned", returned(n))
