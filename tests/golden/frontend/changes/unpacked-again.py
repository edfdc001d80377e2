# Line after line unpacks an unknown value: each name is looked up once.
# RUN: not tilec %s --signature='*fp32' -o - 2>&1 | FileCheck %s
import torch
import triton
import triton.language as tl

# CHECK: [[@LINE+1]]:14: error: 'torch.zeros' is host code
a, b, c, d = torch.zeros(4)
# CHECK-NOT: error
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]
a, b, c, d = [x.t() for x in [a, b, c, d]]


@triton.jit
def k(p):
    tl.store(p, a)
