# Functions that named-as-methods.py calls; methods of lists and sets have these names, too.
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
