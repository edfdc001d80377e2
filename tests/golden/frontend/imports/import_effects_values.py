import triton

KEPT = YOURS = CALLED = TEXT = 1
MINE = [2]
GROWN, HELD = [1], [1]
TABLE = {"K": 1}


class Sizes:
    WIDTH = 1


@triton.jit
def double(x):
    return x * 2
