# Functions that jit-call.py makes kernels of.
import triton
import triton.language as tl


def fill(p, n):
    tl.store(p, n)


@triton.jit
def filled(p, n, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), n)


def twice(x):
    return x * 2


class Shape:
    ROWS = 3
    COLUMNS = 3
    DEPTH = 3
    HEIGHT = 3
    KEPT = 3


def put(items):
    items.append(2)


def put_twice(items):
    put(items)
    put(items)
