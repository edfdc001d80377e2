# A class whose __init__ cannot be read is not made as if it had no __init__.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor

    # CHECK: [[#@LINE+1]]:33: error: expected ',' or ')', found '.'
    def __init__(self, first, tl.store):
        self.first = first * 2


# CHECK-NOT: error
@triton.jit
def k(p: "*i32"):
    pair = Pair(1, 2)
    tl.store(p, pair.first)
