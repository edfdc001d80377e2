# Operators of tiles called by name, and names of triton.language's own modules.
# RUN: tilec %s --signature='*i8, *fp16' --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl
from triton.language.random import N_ROUNDS_DEFAULT
from triton.language.standard import sort_impl


@triton.jit
def k(x, out, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    tl.static_assert(n_rounds == 10)
    tl.static_assert(tl.tensor.__neg__(3) == -3)
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    # CHECK:      %high = shrsi
    high = a.__lshift__(4).__rshift__(4)
    # CHECK:      %turned = subi %{{[0-9]+}}, %high
    turned = high.__rsub__(3)
    # CHECK:      %less = cmpi %turned, %high {predicate = lt}
    less = turned.__lt__(high)
    # CHECK:      %minus = subi %{{[0-9]+}}, %high
    minus = high.__neg__()
    # CHECK:      select %less, %minus, %turned
    tl.store(out + i, tl.where(less, minus, turned).to(tl.float16))
    # CHECK:      minmaxsi
    # CHECK:      reduce
    # CHECK:      tile<4xf16>
    tl.store(out + tl.arange(0, 4), sort_impl(a, 4, 0, False).to(tl.float16))
    tl.store(out + i, sort_impl(a, None, descending=True).to(tl.float16))
