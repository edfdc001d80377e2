import triton
import triton.language as tl

__all__ = ("DEEP",)
DEEP = 3


@triton.jit
def hidden(x):
    return x * 100
