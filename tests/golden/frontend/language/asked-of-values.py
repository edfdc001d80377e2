# Attributes that numbers and pointers lack, and functions that no value has.
# RUN: not tilec %s --kernel=asks -D A=3 --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=ASKS --strict-whitespace
# RUN: not tilec %s --kernel=endless --signature='*fp32' -o - 2>&1 | FileCheck %s --check-prefix=ENDLESS
# RUN: not tilec %s --kernel=big --signature='*fp32' -o - 2>&1 | FileCheck %s --check-prefix=BIG
import triton
import triton.language as tl


@triton.jit
def asks(x, n, A: tl.constexpr):
    v = tl.arange(0, 16)
    # ASKS: [[@LINE+1]]:7: error: 'A' is one number: it has no items
    A[0]
    # ASKS: [[@LINE+1]]:7: error: 'n' is one number: it has no items
    n[0:2]
    # ASKS: [[@LINE+1]]:7: error: a kernel gets a pointer without a shape, so it has no 'shape'; pass what is needed as an argument
    x.shape[0]
    # ASKS: [[@LINE+1]]:14: error: a kernel gets a pointer without a shape, so it has no 'shape'
    M, N = x.shape
    # ASKS: [[@LINE+1]]:7: error: a kernel gets a pointer without a shape, so it has no 'numel'
    x.numel()
    # ASKS: [[@LINE+1]]:7: error: a kernel gets a pointer without a shape, so it has no 'size'
    x.size(0)
    # ASKS: [[@LINE+1]]:7: error: 'dtype' is type int32 and is not called: it is written without brackets
    v.dtype()
    # ASKS-NEXT: v.dtype()
    # ASKS-NEXT:   ^~~~~
    # ASKS-NEXT: v.dtype{{$}}
    # ASKS: [[@LINE+1]]:7: error: 'numel' is constant 16 and is not called
    v.numel()
    # ASKS-NOT: error:
    if len(x.shape) == 0:
        tl.store(x, v.dtype(n))


@triton.constexpr_function
def waits(n):
    # ENDLESS: [[@LINE+1]]:11: error: this loop runs while compiling and has not ended after {{[0-9]+}} turns
    while True:
        for i in range(2):
            n = n + i
    return n


@triton.jit
def endless(x):
    # ENDLESS: [[@LINE+1]]:17: note: called from here, with n = 3
    tl.store(x, waits(3))


@triton.constexpr_function
def few_turns(n):
    while n < 3:
        # BIG: error: this kernel is too big
        for i in range(400000):
            pass
        n = n + 1
    return n


@triton.jit
def big(x):
    tl.store(x, few_turns(0))
