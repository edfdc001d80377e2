# RUN: not tilec --kernel=k --signature="*fp32" %s -o - 2>&1 | FileCheck %s

# Messages about functions that do not exist, that are torch's, and that a
# module calls.

import counted
import torch
import triton
import triton.language as tl
from lost import helpers


@triton.jit
def k(x):
    v = tl.load(x)
    # CHECK: :[[@LINE+1]]:9: error: no file was found that defines 'lost.helpers.maximum'
    a = helpers.maximum(v, 0.0)
    # CHECK: :[[@LINE+1]]:9: error: 'torch.maximum' is host code, which a kernel cannot call; did you mean 'tl.maximum'?
    b = torch.maximum(v, v)
    # CHECK: :[[@LINE+1]]:9: error: 'torch.nn.functional.gelu' is host code, which a kernel cannot call{{$}}
    c = torch.nn.functional.gelu(v)
    # CHECK: :[[@LINE+2]]:25: error: 'A' is computed by host code
    # CHECK: counted/__init__.py:5:12: note: host code may set it here
    tl.store(x, counted.A)
