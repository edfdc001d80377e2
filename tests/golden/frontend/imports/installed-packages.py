# PyTorch's public modules are host code even where -I finds them: none is read.
# Its private modules have kernels.
# RUN: tilec %s -I %S/installed --kernel=k --signature='*fp32' --stop-after=frontend -o - -MD -MF %t.d | FileCheck %s
# RUN: FileCheck %s --check-prefix=READ < %t.d
import torch
import torch.cuda
import triton
import triton.language as tl

from torch._kernels import libdevice, twice

torch.manual_seed(3)

if torch.version.hip is None:
    PI = tl.constexpr(torch.pi)


# CHECK: constant {value = 3.1415927} : f32
# CHECK: exp
# CHECK: constant {value = 2.0} : f32
# READ: installed-packages.py
# READ-NOT: __init__.py
# READ: installed/torch/_kernels.py
@triton.jit
def k(x):
    tl.store(x, twice(libdevice.exp(tl.load(x) * PI)))
