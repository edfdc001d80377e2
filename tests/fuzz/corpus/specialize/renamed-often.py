import triton
import triton.language as tl


def swap(a, b):
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a = b
    b = a
    a.append(1)


X = [1]
swap(X, X)


@triton.jit
def k(p):
    tl.store(p, X[0])
