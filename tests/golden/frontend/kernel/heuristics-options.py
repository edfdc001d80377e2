# Heuristics may give the number of warps and of stages; no stages mean one, as in
# a configuration.
# RUN: tilec %s --kernel=none --emit=ir -o - | FileCheck %s --check-prefix=NONE
# RUN: not tilec %s --kernel=few --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=FEW
# RUN: not tilec %s --kernel=many --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=MANY
# RUN: not tilec %s --kernel=broken --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=BROKEN
# RUN: tilec %s --kernel=parameters --emit=ir -o - | FileCheck %s --check-prefix=PARAM
# RUN: tilec %s --kernel=parameters --num-warps=8 --emit=ir -o - | FileCheck %s --check-prefix=ASKED
# RUN: tilec %s --kernel=zero --emit=ir -o - | FileCheck %s --check-prefix=ZERO
import triton
import triton.language as tl


# NONE: kernel @none({{.*}}) {num_stages = 1, num_warps = 2}
@triton.heuristics({"num_warps": lambda args: 2, "num_stages": lambda args: 0})
@triton.jit
def none(p: "*i32"):
    tl.store(p, 1)


# FEW: error: num_warps must be a power of two up to 32, found 0
@triton.heuristics({"num_warps": lambda args: 0})
@triton.jit
def few(p: "*i32"):
    tl.store(p, 1)


# MANY: error: num_stages must be 1 to 16, found -1
@triton.heuristics({"num_stages": lambda args: -1})
@triton.jit
def many(p: "*i32"):
    tl.store(p, 1)


# BROKEN: error: the heuristic for 'num_stages' gives constant 1.5, wanted an integer
@triton.heuristics({"num_stages": lambda args: 3 / 2})
@triton.jit
def broken(p: "*i32"):
    tl.store(p, 1)


# PARAM: {num_stages = 2, num_warps = 1}
# PARAM: constant {value = 21}
# ASKED: {num_stages = 2, num_warps = 8}
# ASKED: constant {value = 28}
@triton.heuristics({"num_warps": lambda args: 1, "num_stages": lambda args: 2})
@triton.jit
def parameters(p: "*i32", num_warps: tl.constexpr, num_stages: tl.constexpr):
    tl.store(p, num_warps + 10 * num_stages)


# The parameter, and other heuristics, have what the lambda says.
# ZERO: {num_stages = 1, num_warps = 4}
# ZERO: constant {value = 10}
@triton.heuristics({"num_stages": lambda args: 0, "B": lambda args: args["num_stages"] + 10})
@triton.jit
def zero(p: "*i32", B: tl.constexpr, num_stages: tl.constexpr):
    tl.store(p, B + num_stages)
