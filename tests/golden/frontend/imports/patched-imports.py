# Modules that an import names are patched like others: a value from setattr() or
# an assignment, also in a function that gets the module, perhaps with the name,
# hides the former value of that name, unless hasattr() has found it in the module.
# RUN: not tilec %s --kernel=changed -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=kept --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --kernel=one --stop-after=frontend -D triton.language.libdevice.exp2=triton.language.sqrt -o - 2>&1 | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl
from patched_imports import left, patched_functions


@triton.jit
def changed(x: "*fp32"):
    v = tl.load(x)
    # CHECK: :[[@LINE+1]]:22: error: 'triton.language.libdevice.exp2' is computed by host code
    tl.store(x, left.exp2(v))
    # CHECK: :[[@LINE+1]]:22: error: 'triton.language.libdevice.exp' is computed by host code
    tl.store(x, left.exp(v))
    # CHECK: :[[@LINE+1]]:25: error: 'triton.language.math.cos' is computed by host code
    tl.store(x, tl.math.cos(v))
    # CHECK: :[[@LINE+1]]:25: error: 'triton.language.math.floor' is computed by host code
    tl.store(x, tl.math.floor(v))
    # CHECK: :[[@LINE+1]]:25: error: 'triton.language.math.ceil' is computed by host code
    tl.store(x, tl.math.ceil(v))
    # CHECK: :[[@LINE+1]]:25: error: 'triton.language.math.log2' is computed by host code
    tl.store(x, tl.math.log2(v))
    # CHECK: :[[@LINE+1]]:25: error: 'triton.language.math.erf' is computed by host code
    tl.store(x, tl.math.erf(v))
    # CHECK: :[[@LINE+1]]:22: error: 'triton.language.libdevice.log' is computed by host code
    tl.store(x, left.log(v))
    # CHECK: :[[@LINE+1]]:22: error: 'triton.language.libdevice.sqrt' is computed by host code
    tl.store(x, left.sqrt(v))
    # CHECK: :[[@LINE+1]]:22: error: 'triton.language.libdevice.erf' is computed by host code
    tl.store(x, left.erf(v))
    # CHECK: :[[@LINE+1]]:35: error: 'doubled' is computed by host code
    tl.store(x, patched_functions.doubled(v))


# KEPT-NOT: warning
# KEPT: sin %
# KEPT: rsqrt %
# KEPT: exp %
# KEPT-COUNT-2: addf
@triton.jit
def kept(x: "*fp32"):
    v = tl.load(x)
    tl.store(x, left.sin(v))
    tl.store(x, tl.math.rsqrt(v))
    tl.store(x, tl.exp(v))
    tl.store(x, patched_functions.tripled(v))


# GIVEN: sqrt %
@triton.jit
def one(x: "*fp32"):
    tl.store(x, left.exp2(tl.load(x)))
