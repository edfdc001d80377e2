# The list of configurations may be changed through the kernel that has it.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import os
import triton
import triton.language as tl

MADE = [triton.Config({"BLOCK": 16})]
OTHER = [triton.Config({"BLOCK": 16})]


@triton.autotune(configs=MADE, key=[])
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    tl.store(p, BLOCK)


# CHECK: KEPT = 1
KEPT = len(MADE)
# CHECK: EQUAL: unknown
EQUAL = MADE[0] == OTHER[0]
getattr(kernel, "con" + "figs").append(triton.Config({"BLOCK": 32}))
# CHECK: GROWN: unknown
GROWN = len(MADE)
