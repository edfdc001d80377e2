# setattr() below `if hasattr(module, name): continue` leaves what the module has.
# Where the test does not stand before it, or is of another name, it may set any
# member; one whose name is known is set also in what the function gives.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl
from absent_members import after, again, exp_set, inner, renamed, within


# KNOWN-COUNT-3: exp2 %
@triton.jit
def known(x: "*fp32"):
    tl.store(x, again.exp2(tl.load(x)))
    tl.store(x, within.exp2(tl.load(x)))
    tl.store(x, exp_set.exp2(tl.load(x)))


@triton.jit
def unknown(x: "*fp32"):
    # CHECK: :[[@LINE+1]]:17: error: 'inner' is computed by host code
    tl.store(x, inner.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'renamed' is computed by host code
    tl.store(x, renamed.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'after' is computed by host code
    tl.store(x, after.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:25: error: 'exp_set.exp' is computed by host code
    tl.store(x, exp_set.exp(tl.load(x)))
