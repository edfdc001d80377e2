# Facts of torch.finfo() about a type that host code chooses come by -D, of the
# type or of the part; a part that is not called is no function of the language.
# RUN: tilec --kernel=highest --signature="*fp32" -D KIND=fp8e4nv --emit=ir -o - %s | FileCheck %s
# RUN: tilec --kernel=highest --signature="*fp32" -D info.max=448.0 --emit=ir -o - %s | FileCheck %s
# RUN: tilec --kernel=clamp --signature="*fp32" -D limits.max=448.0 -D limits.min=-448.0 --emit=ir -o - %s | FileCheck %s
# RUN: not tilec --kernel=highest --signature="*fp32" -o - %s 2>&1 | FileCheck %s --check-prefix=TYPE
# RUN: not tilec --kernel=clamp --signature="*fp32" -o - %s 2>&1 | FileCheck %s --check-prefix=PARTS
# RUN: not tilec --kernel=wrong --signature="*fp32" -o - %s 2>&1 | FileCheck %s --check-prefix=WRONG
import torch
import triton
import triton.language as tl
from nowhere import backend

KIND = backend.fp8_dtype()
info = torch.finfo(KIND)
limits = backend.limits()
counts = torch.finfo(torch.int32)


# CHECK: 448
@triton.jit
def highest(x):
    tl.store(x, tl.minimum(tl.load(x), info.max))


@triton.jit
def clamp(x, LOW: tl.constexpr = limits.min):
    tl.store(x, tl.maximum(tl.minimum(tl.load(x), limits.max), LOW))


@triton.jit
def wrong(x):
    tl.store(x, counts.max)


# TYPE: error: 'info' of host code has no attribute 'max' that is known here
# TYPE: note: host code computes 'info' here; -D info.max=VALUE gives the value
# TYPE-NOT: warning

# PARTS: error: 'limits' of host code has no attribute 'min' that is known here
# PARTS: note: {{.*}} -D limits.min=VALUE gives the value

# WRONG: error: 'torch.finfo' wants a type of floats
