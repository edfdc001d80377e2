# Options of a configuration besides num_warps and num_stages: their effects,
# and the options that have none here.
# RUN: tilec %s --kernel=k --target=sm_90 --signature='*fp32' -o - 2>&1 | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --kernel=k --target=sm_90 --signature='*fp32' --maxnreg=40 --no-fp-fusion -o - | FileCheck %s --check-prefix=LINE
# RUN: tilec %s --kernel=k --target=sm_90 --signature='*fp32' --config=1 -o - 2>&1 | FileCheck %s --check-prefix=SECOND
# RUN: not tilec %s --kernel=k --signature='*fp32' --config=2 -o - 2>&1 | FileCheck %s --check-prefix=THIRD
# RUN: tilec %s --kernel=k --target=sm_90 --signature='*fp32' --config=3 -o - 2>&1 | FileCheck %s --check-prefix=FOURTH
# RUN: not tilec %s --kernel=k --signature='*fp32' --config=4 -o - 2>&1 | FileCheck %s --check-prefix=FIFTH
# RUN: tilec %s --kernel=k --target=sm_90 --signature='*fp32' --config=5 -o - 2>&1 | FileCheck %s --check-prefix=SIXTH
# RUN: tilec %s --kernel=made --target=sm_90 --signature='*fp32' -o - 2>&1 | FileCheck %s --check-prefix=MADE
# RUN: tilec %s --kernel=k --signature='*fp32' --config=1 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=IR
import os

import triton
import triton.language as tl
from triton import Config

# FIRST-NOT: warning
# FIRST: .maxnreg 64
# FIRST: fma.rn.f32
# LINE: .maxnreg 40
# LINE-NOT: fma
# LINE: mul.rn.f32
# LINE-NEXT: add.rn.f32
# SECOND-NOT: {{warning|error|maxnreg|fma}}
# SECOND: mul.rn.f32
# SECOND-NEXT: add.rn.f32
# IR: kernel @k({{.*}}) {no_fp_fusion = true, num_warps = 8}
@triton.autotune([
    Config({}, num_warps=4, maxnreg=64),
    Config({"enable_fp_fusion": False}, num_warps=8, maxnreg=None),
    # THIRD: [[@LINE+1]]:52: error: num_ctas must be a power of two up to 8, found 3
    Config({}, num_warps=4, num_stages=2, num_ctas=3),
    # FOURTH: [[@LINE+3]]:78: warning: 'ir_override' of this configuration changes nothing here
    # FOURTH: [[@LINE+2]]:13: warning: 'clc' of this configuration changes nothing here
    # FOURTH: [[@LINE+1]]:26: warning: 'waves_per_eu' of this configuration changes nothing here
    Config({"clc": True, "waves_per_eu": 2, "sched4reg": False}, ir_override="k.ptx", num_ctas=1),
    # FIFTH: [[@LINE+1]]:38: error: 'maxnreg' is a whole number of 1 or more, found constant -1
    Config({}, num_stages=2, maxnreg=-1),
    # SIXTH: [[@LINE+1]]:13: warning: host code computes 'enable_fp_fusion': it is taken for True
    Config({"enable_fp_fusion": os.path.exists("fast")}),
    # SIXTH: fma.rn.f32
], key=[])
@triton.jit
def k(x):
    i = tl.arange(0, 128)
    v = tl.load(x + i)
    tl.store(x + i, v * v + 1.5)


def configs():
    return [Config({}, maxnreg=r, ir_override=None) for r in [96]]


# MADE-NOT: warning
# MADE: .maxnreg 96
@triton.autotune(configs(), key=[])
@triton.jit
def made(x):
    tl.store(x, 1.0)

# Backs I4 of frontend/kernel.
