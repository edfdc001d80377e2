# A name that a statement binds or changes in a way other than `NAME = value`
# has no value that is known, least of all the one from before.
# RUN: not tilec %s --signature='*i32' -o /dev/null 2>&1 | FileCheck %s
import triton
import triton.language as tl

C = 10
C, D = 4, 5
X = 10
X -= 3
L = [1]
L.append(3)
F = 1
for F in (1, 2): pass
Y = Z = 3


class Conf:
    W = 1


Conf.W = 2
W = 1
if (W := 4): pass


@triton.jit
def k(x):
    tl.store(x, C)
    # CHECK: error: 'C' is computed by host code
    tl.store(x, X)
    # CHECK: error: 'X' is computed by host code
    tl.store(x, L[0])
    # CHECK: error: 'L' is computed by host code
    tl.store(x, F)
    # CHECK: error: 'F' is computed by host code
    tl.store(x, Y)
    # CHECK: error: 'Y' is computed by host code
    tl.store(x, Conf.W)
    # CHECK: error: 'Conf.W' is computed by host code
    tl.store(x, W)
    # CHECK: error: 'W' is computed by host code
