import torch
import triton
from triton.language.extra import libdevice

torch.manual_seed(4)


@triton.jit
def twice(x):
    return 2 * x
