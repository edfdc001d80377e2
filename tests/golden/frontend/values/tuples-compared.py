# Tuples are equal if all items are; the first items that differ decide, as far
# as they are known.
# RUN: tilec %s --kernel=known -o /dev/null
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def known(n: "i32", m: "i32", x: "fp32"):
    tl.static_assert((n, 2) == (n, 2))
    tl.static_assert((n, 2) != (n, 3))
    tl.static_assert((n, (m, 2), x) == (n, (m, 2), x))
    tl.static_assert((n, m) != (n, m, 0))
    tl.static_assert((1, n) != (2, m))


@triton.jit
def unknown(n: "i32", m: "i32"):
    # CHECK: [[#@LINE+1]]:16: error: '==' compares tuples of constants; compare run-time items one by one
    a = (n, 1) == (m, 1)
    # CHECK: [[#@LINE+1]]:16: error: '!=' compares
    b = (n, 1) != (3, 2)
    for i in range(n):
        # CHECK: [[#@LINE+1]]:20: error: '==' compares
        c = (n, 2) == (n, 2)
