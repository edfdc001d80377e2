# REQUIRES: tilec
# RUN: tilec --emit=ast -o - %s | FileCheck %s --strict-whitespace

# Every statement of a kernel; statements that only host code may use stay unparsed.

import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=4)], key=['n'])
@triton.jit
def statements(x, n: tl.int32, B: tl.constexpr = 64, *rest):
    """A docstring."""
    a = b = x + 1 - n
    a, (b, *c) = x
    a: tl.constexpr = B // 2
    a += 1; b <<= 2
    if a < b:
        return
    elif not a:
        pass
    else:
        return a, b
    for i in tl.range(0, n, B, num_stages=2):
        continue
    while a > 0:
        break
    with x as y:
        assert y, f"{a!r:>{n}} is {b=}"
    try:
        raise ValueError("unused" + 'x')
    except ValueError as e:
        del a
    def inner(z):
        return z
    tl.store(x + tl.arange(0, B)[:, None], a, mask=a < n)

# CHECK:      function@12:5 statements
# CHECK-NEXT:   decorator autotune (call triton.autotune configs=(list (call triton.Config (dict "B" 64) num_warps=4)) key=(list "n"))
# CHECK-NEXT:   decorator jit triton.jit
# CHECK-NEXT:   param x
# CHECK-NEXT:   param n : tl.int32
# CHECK-NEXT:   param B : tl.constexpr = 64
# CHECK-NEXT:   param *rest
# CHECK-NEXT:   assign@14:5 a = b = (chain x + 1 - n)
# CHECK-NEXT:   assign@15:5 (tuple a (tuple b (* c))) = x
# CHECK-NEXT:   assign@16:5 a : tl.constexpr = (// B 2)
# CHECK-NEXT:   assign@17:5 a += 1
# CHECK-NEXT:   assign@17:13 b <<= 2
# CHECK-NEXT:   if@18:5 (< a b)
# CHECK-NEXT:     return@19:9 _
# CHECK-NEXT:   elif@20:5 (not a)
# CHECK-NEXT:     pass@21:9
# CHECK-NEXT:   else
# CHECK-NEXT:     return@23:9 (tuple a b)
# CHECK-NEXT:   for@24:5 i (call tl.range 0 n B num_stages=2)
# CHECK-NEXT:     continue@25:9
# CHECK-NEXT:   while@26:5 (> a 0)
# CHECK-NEXT:     break@27:9
# CHECK-NEXT:   with@28:5 x as y
# CHECK-NEXT:     assert@29:9 y (fstring (field a !r (fstring ">" (field n))) " is " (field= b))
# CHECK-NEXT:   unsupported@30:5 'try'
# CHECK-NEXT:   unsupported@34:5 'def'
# CHECK-NEXT:   expr@36:5 (call tl.store (+ x (at (call tl.arange 0 B) (tuple (slice _ _ _) None))) a mask=(< a n))
# CHECK-NOT:  {{.}}
