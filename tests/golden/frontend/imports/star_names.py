import star_names_deep
from star_names_deep import *

import triton

__all__ = ["SUM"]
__all__ += [name + "ED" for name in ("LIST",)]
__all__.append("scale")
__all__.extend(star_names_deep.__all__)
SUM = LISTED = 1
HIDDEN = 2


@triton.jit
def scale(x):
    return x * 1000
