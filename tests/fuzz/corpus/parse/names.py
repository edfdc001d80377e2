import triton.language as tl
from m import *
from .n import f as g, (h)
from ..o import p
x = y
y = x
exp = tl.exp
class C:
    class D:
        @staticmethod
        @jit
        def f(): return C.D.f()
if a:
    @jit
    def f(x): return f"{x:{y}}" + exp(x)
