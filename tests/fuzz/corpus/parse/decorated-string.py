@triton.jit
"""a string
of two lines"""
import triton


@triton.jit
def k(x):
    @foo
    """a
    b"""
