# RUN: not tilec --signature="*i32" %s -o - 2>&1 | FileCheck %s

# Host code whose text grows and grows is followed only so far.

import triton
import triton.language as tl


def grown(n):
    text = ""
    for i in range(2147483647):
        text += "one more line, which is as long as its neighbours are {}\n".format(i)
    return text[:n]


ASM: tl.constexpr = grown(10)


@triton.jit
def k(p):
    # CHECK: :[[@LINE+1]]:5: error: 'ASM' is computed by host code; give its value with -D
    tl.static_print(ASM)
    tl.store(p, 1)
