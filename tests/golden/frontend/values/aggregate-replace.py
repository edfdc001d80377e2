# REQUIRES: tilec
# RUN: tilec --emit=ir --stop-after=frontend -o - %s --kernel=k | FileCheck %s
# RUN: not tilec -o - %s --kernel=wrong 2>&1 | FileCheck %s --check-prefix=ERR

# A replaced value in an aggregate: the aggregate is made anew, so __init__ runs again.
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first * 2
        self.second = second


@triton.jit
def k(p: "*i32"):
    # CHECK-LABEL: kernel @k
    pair = Pair(tl.to_tensor(1), tl.to_tensor(2))
    pair = tl.aggregate_replace(pair, second=tl.to_tensor(7))
    # CHECK: muli
    # CHECK: %[[SEVEN:.*]] = constant {value = 7}
    # CHECK: %[[FIRST:.*]] = muli
    # CHECK: store %p, %[[FIRST]]
    tl.store(p, pair.first)
    # CHECK: store %p, %[[SEVEN]]
    tl.store(p, pair.second)


@triton.jit
def wrong(p: "*i32"):
    pair = Pair(tl.to_tensor(1), tl.to_tensor(2))
    # ERR: [[#@LINE+1]]:36: error: class 'Pair' has no field 'third'
    a = tl.aggregate_replace(pair, third=1)
    # ERR: [[#@LINE+1]]:30: error: 'aggregate_replace' wants an aggregate, found tuple of 2
    b = tl.aggregate_replace((1, 2), first=1)
