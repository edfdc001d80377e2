# Functions that named-arguments.py combines with.
import triton


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def times(a, b):
    return a * b
