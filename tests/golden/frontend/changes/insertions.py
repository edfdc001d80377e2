# Functions that named-as-methods.py calls, whose names lists and sets have, too.
import triton

sizes = [4, 8]


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def insert(x, value):
    return x + value


def update(n):
    return n
