# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --kernel=edges --grid=1 | FileCheck %s

# Values are those of C where a formula would give others.

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def edges():
    inf = float("inf")
    i = tl.arange(0, 4)
    x = tl.where(i == 0, 1.0, tl.where(i == 1, inf, tl.where(i == 2, -inf, 5.0)))
    y = tl.where(i == 0, 2.0, tl.where(i == 1, inf, tl.where(i == 2, 5.0, -inf)))
    # CHECK: idx (0) positive difference: 0.0
    # CHECK: idx (1) positive difference: 0.0
    # CHECK: idx (2) positive difference: 0.0
    # CHECK: idx (3) positive difference: inf
    tl.device_print("positive difference", libdevice.fdim(x, y))
    z = tl.where(i == 0, -3.0, tl.where(i == 1, -1000.0, tl.where(i == 2, -1e6, 5.0)))
    # CHECK: idx (0) gamma: nan
    # CHECK: idx (1) gamma: nan
    # CHECK: idx (2) gamma: nan
    # CHECK: idx (3) gamma: 24.0
    tl.device_print("gamma", libdevice.tgamma(z))
