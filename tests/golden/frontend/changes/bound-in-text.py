# A walrus in the field of an f-string binds a name like any other; its value is
# not followed.
# RUN: not tilec %s --signature='*i32' -o /dev/null 2>&1 | FileCheck %s
import triton
import triton.language as tl

A = 1
B = 1
C = 1
D = 1
E = 1
F = 1
G = 1
H = 1
I = 1
J = 1
K = 1
L = 1
M = 1
f"{(A := 2)}"
print(f"{3:{(B := 2)}}", "and" f"{f'{[C := 2]!r}'}")
[f"{(D := i)}" for i in range(2)]
f"{E:=10}"
F_BEFORE = (f"{F:{F}}", (F := 3))[0]
eval("(G := 2)")
H = len(f"{(H := 20)}")


def make(text: f"{(L := 2)}" = f"{(I := 2)}") -> (M := 2):
    J = f"{(J := [2])}"
    J.append(3)
    return object


class Of(make(f"{(K := 2)}")):
    f"{(A := 3)}"


@triton.jit
def k(x):
    # CHECK-NOT: error
    # CHECK: error: 'A' is computed by host code
    tl.store(x, A)
    # CHECK: error: 'B' is computed by host code
    tl.store(x, B)
    # CHECK: error: 'C' is computed by host code
    tl.store(x, C)
    # CHECK: error: 'D' is computed by host code
    tl.store(x, D)
    # CHECK: error: 'F' is computed by host code
    tl.store(x, len(F_BEFORE))
    # CHECK: error: 'G' is computed by host code
    tl.store(x, G)
    # CHECK: error: 'I' is computed by host code
    tl.store(x, I)
    # CHECK: error: 'K' is computed by host code
    tl.store(x, K)
    # CHECK: error: 'L' is computed by host code
    tl.store(x, L)
    # CHECK: error: 'M' is computed by host code
    tl.store(x, M)
    # CHECK: error: 'Of.A' is computed by host code
    tl.store(x, Of.A)
    tl.static_assert(E == 1 and H == 2 and J == 1)
    # CHECK-NOT: error

# Backs I4 of frontend/scan.
