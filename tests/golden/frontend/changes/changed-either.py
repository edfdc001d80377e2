# Only the host's condition, or a handler, decides the value of a name: the
# value of either line may have been changed through the name.
# RUN: not tilec %s --stop-after=frontend --diagnostics-format=json -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import opaque

FIRST = [1]
M = FIRST
if opaque.value() > 3:
    M = [4]
M.append(2)

SECOND = [1]
try:
    N = SECOND
    opaque.value()
except Exception:
    N = [4]
N.append(2)

SURE = [1]
P = SURE
P = [4]
P.append(2)


# CHECK: "message": "'FIRST' is computed by host code
# CHECK: "message": "'SECOND' is computed by host code
# CHECK: "message": "[1] [4, 2]"
@triton.jit
def kernel():
    tl.static_print(FIRST)
    tl.static_print(SECOND)
    tl.static_print(SURE, P)
