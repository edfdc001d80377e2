# REQUIRES: tilec
# RUN: not tilec %s --signature="*fp32, i32" -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

# What to write instead, below the caret, where that is clear.
import torch
import triton
import triton.language as tl


@triton.jit
def suggestions(x, n):
    i = tl.arange(0, 64)
    # CHECK:      error: chained comparisons
    # CHECK-NEXT:{{^}}      tl.store(x + i, 0.0, mask=0 <= i < n)
    # CHECK-NEXT:{{^}}                                ^~~~~~~~~~
    # CHECK-NEXT:{{^}}                                0 <= i and i < n{{$}}
    tl.store(x + i, 0.0, mask=0 <= i < n)
    # CHECK:      'eviction_policy' of 'load' wants one of 'evict_first', 'evict_last'
    # CHECK:      {{^ *}}"evict_first"{{$}}
    tl.load(x, eviction_policy="evict_frist")
    # CHECK:      there is no 'triton.language.libdevice.tahn'; did you mean 'tanh'?
    tl.extra.cuda.libdevice.tahn(tl.load(x))
    # CHECK:      a loop goes over range()
    # CHECK:      {{^ *}}range(n){{$}}
    for j in n:
        pass
    # CHECK:      a loop goes over range()
    # CHECK-NEXT:{{^}}      for j in tl.arange(0, 16):
    # CHECK-NEXT:{{^}}               ^~~~~~~~~~~~~~~~{{$}}
    # CHECK-NOT:  range(tl
    for j in tl.arange(0, 16):
        pass
    # CHECK:      :[[#@LINE+3]]:28: error: sizes of a tile are powers of two
    # CHECK-NEXT:{{^}}      tl.reshape(tl.load(x), (8, 9))
    # CHECK-NEXT:{{^}}                             ^~~~~~{{$}}
    tl.reshape(tl.load(x), (8, 9))
    # Each wrong keyword of a call.
    # CHECK:      :[[#@LINE+4]]:16: error: 'load' has no parameter 'maks'; did you mean 'mask'?
    # CHECK:      :[[#@LINE+3]]:28: error: 'load' has no parameter 'othr'; did you mean 'other'?
    # CHECK:      :[[#@LINE+2]]:38: error: 'load' has no parameter 'foo'
    # CHECK-NOT:  wants a value for
    tl.load(x, maks=n > 0, othr=3.0, foo=1)
    # What does not go together, by its argument.
    # CHECK:      error: 'mask' of 'load' is tile of int1 [32], which does not broadcast to the pointers, tile of pointers to fp32 [64]
    # CHECK-NEXT:{{^}}      tl.load(x + i, mask=tl.arange(0, 32) < n)
    # CHECK-NEXT:{{^}}              ~~~~~       ^~~~~~~~~~~~~~~~~~~~{{$}}
    tl.load(x + i, mask=tl.arange(0, 32) < n)
    # CHECK:      error: 'where' cannot combine tile of int32 [64] and tile of int32 [8]: their shapes do not broadcast
    # CHECK-NEXT:{{^}}      tl.where(n > 0, i, tl.arange(0, 8))
    # CHECK-NEXT:{{^}}      ^               ~  ~~~~~~~~~~~~~~~{{$}}
    tl.where(n > 0, i, tl.arange(0, 8))
    # CHECK:      error: 'sum' has no parameter 'dim'; did you mean 'axis'?
    tl.sum(i, dim=0)
    # CHECK:      error: 'dtype' of 'zeros' wants a type, found 'torch.float16', which is host code
    # CHECK:      {{^ *}}tl.float16{{$}}
    tl.zeros([16], torch.float16)
    # CHECK:      :[[#@LINE+1]]:19: error: 'y' of 'maximum' wants a run-time value, found None
    tl.maximum(i, None)
    # CHECK:      :[[#@LINE+5]]:5: error: 'total' is int32 before this loop and becomes fp32 in it
    # CHECK:      :[[#@LINE+3]]:13: note: 'total' is int32 here
    # CHECK:      :[[#@LINE+4]]:9: note: this is its new value
    # CHECK-NEXT:{{^}}          total += tl.load(x + j)
    total = 0
    for j in range(n):
        total += tl.load(x + j)
