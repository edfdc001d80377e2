# A star imports the names of its module: gdc has no smid, and the star of
# libdevice hides no name of extra.cuda.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl

num_warps = tl.constexpr(8)


@triton.jit
def smid():
    return 5


from triton.language.extra.cuda.gdc import *
from triton.language.extra.cuda.libdevice import *


# CHECK-LABEL: kernel @k
@triton.jit
def k(p: "*i32"):
    # CHECK-DAG: constant {value = 5}
    tl.store(p, smid())
    # CHECK-DAG: constant {value = 8}
    tl.store(p + 1, num_warps)
