# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - %s 2>&1 | FileCheck %s --implicit-check-not=error:

# A string that does not end may hide the closing brackets around it, about
# which there is no message.
import triton
import triton.language as tl


@triton.jit
def first(x, n):
    # CHECK: :[[#@LINE+1]]:17: error: this string is not closed on its line
    tl.store(x, "abc)


@triton.jit
def second(x, n):
    # CHECK: :[[#@LINE+3]]:9: error: this string is not closed on its line
    tl.store(
        x[0],
        'abc,
        n)
    return


@triton.jit
def third(x, n):
    # CHECK: :[[#@LINE+1]]:16: error: this string is not closed on its line
    tl.store(x["a, 1)
             + 1)
    return


# A bracket that is opened later is not hidden.
@triton.jit
def fourth(x, n):
    # CHECK: :[[#@LINE+1]]:14: error: this string is not closed on its line
    tl.store("abc,
             # CHECK: :[[#@LINE+1]]:14: error: '(' is never closed
             (x + n
    return
