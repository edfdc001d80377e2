# REQUIRES: tilec
# RUN: not tilec %s --kernel=suggestions --signature="*fp32, i32" --error-limit=60 -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

# The text to write instead, below the caret, if that is clear.
import torch
import triton
import triton.language as tl


@triton.jit
def suggestions(x, n):
    i = tl.arange(0, 64)
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
    # CHECK:      :[[#@LINE+3]]:32: error: sizes of a tile are powers of two
    # CHECK-NEXT:{{^}}      tl.reshape(tl.load(x), (8, 9))
    # CHECK-NEXT:{{^}}                                 ^{{$}}
    tl.reshape(tl.load(x), (8, 9))
    # Names of the object in which the name was looked up.
    # CHECK:      error: there is no 'triton.language.language'{{$}}
    tl.language.load(x)
    # CHECK:      error: there is no 'triton.language.extra.hip'{{$}}
    tl.extra.hip.libdevice.exp(1.0)
    # CHECK:      has no attribute 'primitive_bitwith'; did you mean 'primitive_bitwidth'?
    bits = tl.float32.primitive_bitwith
    # CHECK:      has no attribute 'exponent_bias'{{$}}
    bits = tl.int32.exponent_bias
    # CHECK:      there is no 'triton.language.extra.cuda.smidd'; did you mean 'smid'?
    tl.extra.cuda.smidd()
    # CHECK:      there is no 'triton.language.math.exq'; did you mean 'exp'?
    tl.math.exq(n)
    # CHECK:      string 'a' has no attribute 'stripp'; did you mean 'strip'?
    word = "a".stripp()
    # CHECK:      constant 1.5 has no attribute 'is_intger'; did you mean 'is_integer'?
    whole = (1.5).is_intger()
    # CHECK:      there is no 'triton.languag'; did you mean 'language'?
    triton.languag.load(x)
    # Each wrong keyword of a call.
    # CHECK:      :[[#@LINE+4]]:16: error: 'load' has no parameter 'maks'; did you mean 'mask'?
    # CHECK:      :[[#@LINE+3]]:28: error: 'load' has no parameter 'othr'; did you mean 'other'?
    # CHECK:      :[[#@LINE+2]]:38: error: 'load' has no parameter 'foo'
    # CHECK-NOT:  wants a value for
    tl.load(x, maks=n > 0, othr=3.0, foo=1)
    # Arguments that do not go together are marked.
    # CHECK:      error: 'mask' of 'load' is tile of int1 [32], which does not broadcast to the pointers, tile of pointers to fp32 [64]
    # CHECK-NEXT:{{^}}      tl.load(x + i, mask=tl.arange(0, 32) < n)
    # CHECK-NEXT:{{^}}              ~~~~~       ^~~~~~~~~~~~~~~~~~~~{{$}}
    tl.load(x + i, mask=tl.arange(0, 32) < n)
    # CHECK:      error: 'where' cannot combine tile of int32 [64] and tile of int32 [8]: their shapes do not broadcast
    # CHECK-NEXT:{{^}}      tl.where(n > 0, i, tl.arange(0, 8))
    # CHECK-NEXT:{{^}}      ^               ~  ~~~~~~~~~~~~~~~{{$}}
    tl.where(n > 0, i, tl.arange(0, 8))
    # CHECK:      error: 'stop' of 'range' wants a constant integer, found int32
    each = [j for j in range(n)]
    # CHECK:      error: 'sum' has no parameter 'dim'; did you mean 'axis'?
    tl.sum(i, dim=0)
    # CHECK:      error: 'dtype' of 'zeros' wants a type, found 'torch.float16' of host code
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
    # CHECK:      note: begin 'total' with '0.0'


# Names in decorators without a meaning are only reported, and each once:
# options of other releases and of forks are not.
# RUN: tilec %s --triton=3.8 --kernel=tuned --signature="*fp32, i32" --error-limit=60 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TUNED --implicit-check-not="warning:"
@triton.autotune(
    configs=[
        # TUNED: :[[#@LINE+4]]:24: warning: 'autotune' names 'BLOK', but 'tuned' has no parameter of that name; did you mean 'BLOCK'?
        # TUNED: :[[#@LINE+3]]:37: warning: 'Config' has no option 'num_warp'; did you mean 'num_warps'?
        # TUNED-NEXT: num_warp=4
        # TUNED: {{^ *}}num_warps{{$}}
        triton.Config({"BLOK": 64}, num_warp=4),
        triton.Config(dict(BLOK=32, waves_per_eu=2), num_consumer_groups=2),
        # TUNED: :[[#@LINE+1]]:59: warning: 'Config' has no option 'colour'
        triton.Config({"BLOCK": 32}, 4, 2, pre_hook=None, colour=1),
    ],
    # TUNED: :[[#@LINE+2]]:15: warning: 'autotune' names 'lenght', but 'tuned' has no parameter of that name; did you mean 'length'?
    # TUNED: :[[#@LINE+1]]:25: warning: 'autotune' names 'gone', but 'tuned' has no parameter of that name
    key=["p", "lenght", "gone"],
    # TUNED: :[[#@LINE+2]]:20: warning: 'autotune' names 'q', but 'tuned' has no parameter of that name
    # TUNED: :[[#@LINE+1]]:26: warning: 'autotune' has no option 'restore_valu'; did you mean 'restore_value'?
    reset_to_zero=["q"], restore_valu=["p"], nearest_power_of_two=True)
# TUNED: :[[#@LINE+1]]:21: warning: 'heuristics' names 'EVN', but 'tuned' has no parameter of that name; did you mean 'EVEN'?
@triton.heuristics({"EVN": lambda args: True, "num_warps": lambda args: 4})
# TUNED: :[[#@LINE+1]]:13: warning: 'jit' has no option 'do_not_specialise'; did you mean 'do_not_specialize'?
@triton.jit(do_not_specialise=["length"], do_not_specialize=["p"])
def tuned(p, length, BLOCK: tl.constexpr = 16, EVEN: tl.constexpr = False):
    tl.store(p, length)


# The sides of an assertion that does not hold.
# RUN: not tilec %s --kernel=asserted --signature="*fp32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIDES
@triton.jit
def divides(B: tl.constexpr):
    # SIDES: :[[#@LINE+3]]:5: error: static assertion failed: three
    # SIDES: :[[#@LINE+2]]:22: note: 'B % 3' is 1
    # SIDES: note: called from here, with B = 64
    tl.static_assert(B % 3 == 0, "three")


@triton.jit
def asserted(x, BLOCK: tl.constexpr = 100, K: tl.constexpr = 64,
             MODE: tl.constexpr = "relu"):
    divides(K)
    # SIDES: :[[#@LINE+1]]:22: note: 'BLOCK' is 100, 'K' is 64
    tl.static_assert(BLOCK == K)
    # SIDES: note: 'BLOCK' is 100, 'K' is 64
    tl.static_assert(0 < BLOCK < K)
    # SIDES: :[[#@LINE+1]]:36: note: 'K % 3' is 1
    tl.static_assert(BLOCK > 0 and K % 3 == 0)
    # SIDES: :[[#@LINE+2]]:22: note: 'BLOCK' is 100
    # SIDES: :[[#@LINE+1]]:35: note: 'K' is 64
    tl.static_assert(BLOCK < 3 or K < 3)
    # SIDES: note: 'K' is 64{{$}}
    tl.static_assert(K in (1, 2, 4))
    # SIDES: note: 'x.dtype' is pointer to fp32, 'tl.float16' is fp16
    tl.static_assert(x.dtype == tl.float16)
    # SIDES: error: assertion failed
    # SIDES: note: 'MODE' is 'relu'
    assert MODE.startswith("g")
    # SIDES: error: static assertion failed: never
    # SIDES-NOT: note:
    tl.static_assert(False, "never")
