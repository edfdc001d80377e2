# RUN: tilec --signature="*fp32, i32" --emit=ir %s -o - | FileCheck %s

# An annotation's expression may fail: then the field's type is unknown.

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    value: (lambda: tl.tensor.missing)()

    def __init__(self, value):
        self.value = value

    @triton.jit
    def more(self):
        return Box(self.value + 1)


@triton.jit
def k(x, n):
    # CHECK: addi %n
    tl.store(x, Box(n).more().value)
