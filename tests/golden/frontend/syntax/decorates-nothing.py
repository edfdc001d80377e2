# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - %s 2>&1 | FileCheck %s

# A decorator of nothing breaks the file, as in Python.
import triton


@triton.jit
def k(n):
    pass


@triton.jit(
    debug=True)
@triton.jit
async def f(n):
    pass


# CHECK: :[[#@LINE+2]]:1: error: expected 'def' or 'class' below a decorator, found the end of the file
@triton.jit
