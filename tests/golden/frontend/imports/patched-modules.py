# setattr() with a known name gives a module that member, and changes no other
# member, and so does a loop that lists the names; below `if hasattr(module,
# name): continue` it leaves the module's own members. With another name, without
# that test before it, or beside another change it may change any member.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=given --stop-after=frontend -D exp_set.exp=triton.language.exp -D by_name=triton.language.math -D more=triton.language.math -D numbers=3 -o - | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl
from patched_shims import (
    after, again, alias, behind, by_name, exp_listed, exp_set, inner, letters, listed,
    more, numbers, other_name, patched, renamed, returned, set_here, within)


# Only a function's result is a guess.
# KNOWN-COUNT-3: warning: host code computes 'exp2'
# KNOWN-NOT: warning
# KNOWN-COUNT-7: exp2 %
@triton.jit
def known(x: "*fp32"):
    tl.store(x, patched.exp2(tl.load(x)))
    tl.store(x, set_here.exp2(tl.load(x)))
    tl.store(x, alias.exp2(tl.load(x)))
    tl.store(x, again.exp2(tl.load(x)))
    tl.store(x, within.exp2(tl.load(x)))
    tl.store(x, returned.exp2(tl.load(x)))
    tl.store(x, listed.exp2(tl.load(x)))


# GIVEN: exp %
# GIVEN-COUNT-2: exp2 %
@triton.jit
def given(x: "*fp32"):
    # CHECK: :[[@LINE+1]]:25: error: 'exp_set.exp' is computed by host code
    tl.store(x, exp_set.exp(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'by_name' is computed by host code
    tl.store(x, by_name.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'more' is computed by host code
    tl.store(x, more.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'numbers' is computed by host code
    tl.store(x, numbers)


@triton.jit
def unknown(x: "*fp32"):
    given(x)
    # CHECK: :[[@LINE+1]]:26: error: 'returned.exp' is computed by host code
    tl.store(x, returned.exp(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'inner' is computed by host code
    tl.store(x, inner.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'renamed' is computed by host code
    tl.store(x, renamed.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'after' is computed by host code
    tl.store(x, after.exp2(tl.load(x)))
    tl.store(x, exp_listed.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:28: error: 'exp_listed.exp' is computed by host code
    tl.store(x, exp_listed.exp(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'letters' is computed by host code
    tl.store(x, letters.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'other_name' is computed by host code
    tl.store(x, other_name.exp2(tl.load(x)))
    # CHECK: :[[@LINE+1]]:17: error: 'behind' is computed by host code
    tl.store(x, behind.exp2(tl.load(x)))
