# REQUIRES: tilec
# RUN: not tilec %s --signature="*fp32, i32" -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

# What to write instead, below the caret, where that is clear.
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
