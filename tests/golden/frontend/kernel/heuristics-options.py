# Heuristics may give the number of warps and of stages; no stages mean one, as in
# a configuration.
# RUN: tilec %s --kernel=none --emit=ir -o - | FileCheck %s --check-prefix=NONE
# RUN: not tilec %s --kernel=few --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=FEW
# RUN: not tilec %s --kernel=many --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=MANY
# RUN: not tilec %s --kernel=broken --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=BROKEN
# RUN: tilec %s --kernel=parameters --emit=ir -o - | FileCheck %s --check-prefix=PARAM
# RUN: tilec %s --kernel=parameters --num-warps=8 --emit=ir -o - | FileCheck %s --check-prefix=ASKED
# RUN: tilec %s --kernel=defaults --emit=ir -o - | FileCheck %s --check-prefix=DEFAULTS
# RUN: tilec %s --kernel=configured --emit=ir -o - | FileCheck %s --check-prefix=CONFIGURED
# RUN: tilec %s --kernel=zero --emit=ir -o - | FileCheck %s --check-prefix=ZERO
# RUN: tilec %s --kernel=given --emit=ir -o - | FileCheck %s --check-prefix=GIVEN
# RUN: not tilec %s --kernel=asked --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:
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


# A configuration has both options, so a launch never leaves the parameters out.
# DEFAULTS: constant {value = 75}
@triton.jit
def defaults(p: "*i32", num_warps: tl.constexpr = 5, num_stages: tl.constexpr = 7):
    tl.store(p, num_warps + 10 * num_stages)


# CONFIGURED: constant {value = 24}
@triton.autotune([triton.Config({}, num_stages=2)], key=[])
@triton.jit
def configured(p: "*i32", num_warps: tl.constexpr = 5, num_stages: tl.constexpr = 7):
    tl.store(p, num_warps + 10 * num_stages)


# The parameter, and other heuristics, have the lambda's result.
# ZERO: {num_stages = 1, num_warps = 4}
# ZERO: constant {value = 10}
@triton.heuristics({"num_stages": lambda args: 0, "B": lambda args: args["num_stages"] + 10})
@triton.jit
def zero(p: "*i32", B: tl.constexpr, num_stages: tl.constexpr):
    tl.store(p, B + num_stages)


# A configuration gives options, too, and always numbers of warps and stages.
# GIVEN: constant {value = 1111111}
@triton.autotune([triton.Config({"debug": False, "enable_fp_fusion": False, "clc": 3}, maxnreg=64, num_stages=2)], key=[])
@triton.heuristics({"B": lambda args: ("debug" in args) + 10 * ("maxnreg" in args) + 100 * ("num_warps" in args) + 1000 * ("num_stages" in args)})
@triton.heuristics({"C": lambda args: ("enable_fp_fusion" in args) + 10 * ("num_ctas" in args) + 100 * ("clc" in args and args["clc"] == 3)})
@triton.jit
def given(p: "*i32", B: tl.constexpr, C: tl.constexpr, num_stages: tl.constexpr):
    tl.store(p, B + 10000 * C)


# Options of the launch are not known, under any name; a parameter's are.
# UNKNOWN: error: the value of 'debug' is not known here
# UNKNOWN: error: the value of 'enable_fp_fusion' is not known here
@triton.heuristics({"B": lambda args: "debug" in args})
@triton.heuristics({"C": lambda args: "enable_fp_fusion" not in args})
@triton.heuristics({"D": lambda args: 1 // ("device" in args and "arch" not in args)})
@triton.jit
def asked(p: "*i32", device: "i32", B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, arch: tl.constexpr = 3):
    tl.store(p, B + C + D)
