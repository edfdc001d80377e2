import triton

from import_effects_values import HELD as ours
from import_effects_values import TABLE, Sizes

import import_effects_values


def put(table):
    table["K"] = 2


def call():
    import_effects_values.CALLED = 2


@triton.jit
def treble(x):
    return x * 3


both = [TABLE, ours]
put(both[0])
both[1].append(3)
Sizes.WIDTH = 2
setattr(import_effects_values, "TEXT", 2)
import_effects_values.double = treble
