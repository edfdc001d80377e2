# RUN: not tilec --kernel=k -o - --emit=ir --signature="*i32, *fp32, i32" %s 2>&1 | FileCheck %s

# The function of map_elementwise may read and compute, on elements.

import triton
import triton.language as tl


@triton.jit
def stores(x, p):
    # CHECK: :[[@LINE+2]]:9: error: the function of 'map_elementwise' only reads and computes: 'store' has effects
    if x > 3:
        tl.store(p, x)
    return x


@triton.jit
def prints(x):
    # CHECK: :[[@LINE+1]]:5: error: the function of 'map_elementwise' only reads and computes: 'device_print' has effects
    tl.device_print("x", x)
    # CHECK: :[[@LINE+1]]:5: error: the function of 'map_elementwise' only reads and computes: 'assume' has effects
    tl.assume(x > 3)
    return x


@triton.jit
def tiles(x):
    # CHECK: :[[@LINE+1]]:9: error: the function of 'map_elementwise' gets elements: 'max' is for tiles
    y = tl.max(x)
    # CHECK: :[[@LINE+1]]:13: error: the function of 'map_elementwise' gets elements: 'arange' is for tiles
    z = x + tl.arange(0, 8)
    # CHECK: :[[@LINE+1]]:11: error: the function of 'map_elementwise' gets elements: 'None' is for tiles
    y = x[None]
    # CHECK: :[[@LINE+1]]:9: error: the function of 'map_elementwise' gets elements: 'view' is for tiles
    y = tl.view(x, 8)
    # CHECK: :[[@LINE+1]]:12: error: the function of 'map_elementwise' gets elements: 'ravel' is for tiles
    return x.ravel()


@triton.jit
def leaves(x):
    # CHECK: :[[@LINE+3]]:5: error: 'y' is int32 before this loop and becomes int32 or fp32 in it
    # CHECK: note: begin 'y' with '0.0'
    y = 0
    for k in range(4):
        if x < k:
            break
        y = x * 0.5
    return y


@triton.jit
def counts(x):
    y = x
    # CHECK: :[[@LINE+1]]:20: error: bounds and step of a loop are integers, found fp32
    for k in range(x * 0.5):
        y += 1
    return y


@triton.jit
def number(x):
    return 1


@triton.jit
def differs(x):
    if x > 3:
        return x, x
    # CHECK: :[[@LINE+1]]:12: error: this returns int32, but another path of 'differs' returns tuple of 2
    return x


@triton.jit
def pairs(x, n):
    if n > 3:
        return x, n
    # CHECK: :[[@LINE+1]]:12: error: this returns tuple of 2 with fp32 at '[1]', but another path of 'pairs' returns tuple of 2 with int32 at '[1]'
    return x, x * 0.5


@triton.jit
def k(p, q, n):
    i = tl.arange(0, 8)
    tl.map_elementwise(stores, i, p + i)
    tl.map_elementwise(prints, i)
    tl.map_elementwise(tiles, i)
    tl.map_elementwise(leaves, i)
    tl.map_elementwise(counts, i)
    tl.map_elementwise(differs, i)
    tl.map_elementwise(pairs, i, n)
    # CHECK: :[[@LINE+1]]:24: error: the function of 'map_elementwise' returns run-time values, found constant 1
    tl.map_elementwise(number, i)
    # CHECK: :[[@LINE+1]]:36: error: 'map_elementwise' wants run-time values, found constant 3
    tl.map_elementwise(differs, i, 3)
