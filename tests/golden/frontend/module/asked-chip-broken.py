# A syntax error in a branch that is taken for another GPU is reported for that GPU.
# RUN: tilec %s --signature='*fp32' --target=sm_80 -o /dev/null
# RUN: not tilec %s --signature='*fp32' --target=sm_80,sm_90 -o %t 2>&1 | FileCheck %s
import torch
import triton
import triton.language as tl

if torch.cuda.get_device_capability()[0] >= 9:

    @triton.jit
    def k(x):
        # CHECK: :[[@LINE+1]]:23: error: expected ',' or ')', found the number 2
        tl.store(x, 1 2)

else:

    @triton.jit
    def k(x):
        tl.store(x, 1.0)
