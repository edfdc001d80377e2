# A kernel's name in PTX is one that ptxas accepts.
# RUN: tilec %s --kernel=Ops.fill --target=sm_80 -o - | FileCheck %s
# RUN: tilec %s --kernel=Ops.fill --target=sm_80 --resource-usage -o /dev/null
# RUN: tilec run %s --kernel=Ops.fill --device=cpu --grid=1 --arg x=zeros:fp32[16]
# RUN: tilec %s --kernel=größe --target=sm_80 -o - | FileCheck %s --check-prefix=ASCII
import triton
import triton.language as tl


# CHECK: .visible .entry Ops_fill(
class Ops:
    @staticmethod
    @triton.jit
    def fill(x: "*fp32"):
        tl.store(x + tl.arange(0, 16), 1.0)


# ASCII: .visible .entry gr____e(
@triton.jit
def größe(x: "*fp32"):
    tl.store(x, 1.0)
