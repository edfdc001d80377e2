# The result of functools.partial() fails, for a reason that lies in its call.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
# CHECK-NOT: <library>
# CHECK:     partial-wrong.py:[[@LINE+11]]:5: error: 'broken' is host code
# CHECK:     note: 'partial' is made of other functions, one of which reports this
# CHECK-NOT: <library>
import functools
import triton


def broken(a, b):
    row a - b


V = functools.partial(broken, 10)(3)


@triton.jit
def k():
    tl.static_assert(V == 7)
