# setattr() with a name that is known gives a module that member, and changes
# nothing else of it; with another name, or beside another change, it may do so.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=unknown -D exp_set.exp=triton.language.exp -D by_name=triton.language.math -D more=triton.language.math -D numbers=3 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl
from patched_shims import alias, by_name, exp_set, more, numbers, patched, set_here


# KNOWN-COUNT-3: exp2 %
@triton.jit
def known(x: "*fp32"):
    tl.store(x, patched.exp2(tl.load(x)))
    tl.store(x, set_here.exp2(tl.load(x)))
    tl.store(x, alias.exp2(tl.load(x)))


# GIVEN: exp %
@triton.jit
def unknown(x: "*fp32"):
    # CHECK: :[[@LINE+1]]:25: error: 'exp_set.exp' is computed by host code
    tl.store(x, exp_set.exp(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'by_name' is computed by host code
    tl.store(x, by_name.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'more' is computed by host code
    tl.store(x, more.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'numbers' is computed by host code
    tl.store(x, numbers)
