# The import is of the end of this text, where a bracket closes nothing.
import triton
import triton.language as tl


@triton.jit
def k(x: "*i32"):
    tl.store(x, 1)


from star_circle import *
# ----------
VALUES = (
    1,
)
# -----------
