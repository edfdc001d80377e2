@triton.jit
def choose(x, low):
    if x < low:
        return -2**63 - 1, 0
    return x, 2


@triton.jit
def of_elements():
    value, kind = tl.map_elementwise(choose, tl.arange(0, 8), tl.full((), 2, tl.int32))


@triton.jit
def not_read(n):
    if n > 1:
        x = -2**63 - 1
    else:
        x = 2
