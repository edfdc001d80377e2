# Names that only one branch binds, on a condition that only the host decides.
# RUN: not tilec %s --emit=ir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl
import strange

if strange.value() == 3:
    X = 5
    Y = (Z := 7) + 1
    W = 1
else:
    W = 2


# CHECK: remark: 5
# CHECK: remark: 8
# CHECK: remark: 7
# CHECK: error: {{.*}}W
@triton.jit
def kernel():
    tl.static_print(X)
    tl.static_print(Y)
    tl.static_print(Z)
    tl.static_print(W)
