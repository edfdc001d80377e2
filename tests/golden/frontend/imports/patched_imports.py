# Changes the modules that kernels of patched-imports.py use.
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
    module.log, other = mine, 1


def patch_one(module, name, value):
    setattr(module, name, value)


setattr(by_setattr, "exp2", mine)
if not hasattr(left, "sin"):
    setattr(left, "sin", mine)
patch(left)
tl.math.cos = mine
other = tl.math.floor = mine
tl.math.ceil, other = mine, 1
other, tl.math.log2 = 1, mine
if True: tl.math.erf = mine
count: tl.exp = 1
if True: count: tl.exp = 1
patch(patched_functions)
assign(left)
patch_one(left, "erf", mine)
