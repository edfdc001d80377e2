# A kernel whose name a later line gives to its container is found by that name,
# and in the container.
# REQUIRES: tilec
# RUN: tilec %s --kernel=k -D B=16 --emit=ir -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel='k[16]' -D B=32 --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=ITEM
# RUN: not tilec %s --kernel=either --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=EITHER
import triton
import triton.language as tl


# CHECK: [[#@LINE+7]]:5: warning: host code decides what 'k' is; it is taken as the kernel of this line
# CHECK: note: host code may set it here
# CHECK: kernel @k
# CHECK: end = 16
# ITEM:  kernel @k
# ITEM:  end = 32
@triton.jit
def k(x: "*fp32", B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


@triton.jit
def other(x: "*fp32"):
    tl.store(x, 1.0)


k = {16: k}
# EITHER: [[#@LINE+1]]:1: error: 'either' is not known to be a kernel: the name gets another value here
either = other if ask() else k[16]
