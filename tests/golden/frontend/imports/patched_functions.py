import triton


@triton.jit
def doubled(x):
    return x + x


@triton.jit
def tripled(x):
    return x + x + x
