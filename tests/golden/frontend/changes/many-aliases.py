# Too many names that stand for one another are not followed in a circle.
# RUN: not tilec %s --signature='*fp32' -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

A0 = tl.constexpr(3)
A1 = A0
A2 = A1
A3 = A2
A4 = A3
A5 = A4
A6 = A5
A7 = A6
A8 = A7
A9 = A8
A10 = A9
A11 = A10
A12 = A11
A13 = A12
A14 = A13
A15 = A14
A16 = A15
A17 = A16
A18 = A17
A19 = A18
A20 = A19
A21 = A20
A22 = A21
A23 = A22
A24 = A23
A25 = A24
A26 = A25
A27 = A26
A28 = A27
A29 = A28
A30 = A29
A31 = A30
A32 = A31
A33 = A32
A34 = A33
A35 = A34
A36 = A35
A37 = A36
A38 = A37
A39 = A38
A40 = A39
A41 = A40
A42 = A41
A43 = A42
A44 = A43
A45 = A44
A46 = A45
A47 = A46
A48 = A47
A49 = A48
A50 = A49
A51 = A50
A52 = A51
A53 = A52
A54 = A53
A55 = A54
A56 = A55
A57 = A56
A58 = A57
A59 = A58
A60 = A59
A61 = A60
A62 = A61
A63 = A62
A64 = A63


@triton.jit
def k(x):
    # CHECK: [[@LINE+1]]:17: error: more than 64 names, each standing for the next, lead to 'A0'
    tl.store(x, A64)
