import triton
import triton.language as tl

@triton.jit
def k(x, out, y):
    v = tl.load(x + tl.arange(0, 256))
    s = 0.0
    for i in tl.static_range(70):
        q = tl.load(y + i)
        if q > i:
            s += tl.sum(v * i)
    tl.store(out, s)
