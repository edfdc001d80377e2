# Changes the modules that patched-imports.py has kernels use.
import triton
import triton.language as tl
import triton.language.extra.libdevice as by_setattr
import triton.language.extra.libdevice as left

import patched_functions


@triton.jit
def mine(x):
    return 2 * x


def patch(module):
    setattr(module, "exp", mine)
    setattr(module, "doubled", mine)
    if not hasattr(module, "tripled"):
        setattr(module, "tripled", mine)


def assign(module):
    module.sqrt = mine


def patch_one(module, name, value):
    setattr(module, name, value)


setattr(by_setattr, "exp2", mine)
if not hasattr(left, "sin"):
    setattr(left, "sin", mine)
patch(left)
tl.math.cos = mine
patch(patched_functions)
assign(left)
patch_one(left, "erf", mine)
