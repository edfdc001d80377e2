# A package and its module import each other: a name that the module binds again
# may have its earlier value; a name with alternatives is one of these, and a
# module that is patched is the same module.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl
from shims import SIZE, WIDTH, patched, shim


# KNOWN: warning: host code decides what 'shim' is
# KNOWN-COUNT-2: exp2 %
@triton.jit
def known(x: "*fp32"):
    tl.store(x, shim.exp2(tl.load(x)))
    tl.store(x, patched.exp2(tl.load(x)))


@triton.jit
def unknown(x: "*fp32"):
    # CHECK: :[[@LINE+1]]:17: error: 'SIZE' is computed by host code
    tl.store(x, SIZE)
    # CHECK-NOT: error:
    tl.store(x, WIDTH)
