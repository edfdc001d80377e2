# Files that import one another's names: each name is found, and a name that no
# file defines is missing at once, not after walks that double with every import.
# RUN: tilec %s --kernel=found --signature='*i32' --target=sm_80 --emit=ir --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=missing --signature='*i32' -o - 2>&1 | FileCheck %s --check-prefix=MISSING
import triton
import triton.language as tl

from star_circle import *


@triton.jit
def found(out):
    # CHECK-DAG: constant {value = 16}
    # CHECK-DAG: constant {value = 8}
    # CHECK-DAG: constant {value = 3}
    tl.store(out, WIDTH)
    tl.store(out + 1, HEIGHT)
    tl.store(out + 2, DEPTH)


@triton.jit
def missing(out):
    # MISSING: star-circle.py:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}LENGTH
    tl.store(out, LENGTH)
