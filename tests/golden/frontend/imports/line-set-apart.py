# A file that imports a name from itself, above a line of its own indentation:
# the search for the name's other definition, which leads back to it, ends.
# RUN: tilec %s --signature='*fp32' --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl
from line_set_apart import fast_exp


# CHECK: warning: host code decides what 'fast_exp' is
# CHECK: exp2 %
@triton.jit
def kernel(x):
    tl.store(x, fast_exp(tl.load(x)))
