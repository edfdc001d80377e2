# RUN: not tilec --signature="*fp32" %s -o - 2>&1 | FileCheck %s

# While the value of BLOCK is computed, a module is read that may set BLOCK.

import triton
import triton.language as tl


def default_block():
    from registry import DEFAULT
    return DEFAULT


# CHECK: :[[@LINE+1]]:22: error: 'BLOCK' is computed by host code; give its value with -D
BLOCK = tl.constexpr(default_block())


@triton.jit
def k(x):
    # CHECK: :[[@LINE+1]]:22: note: needed here
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) + 1)
