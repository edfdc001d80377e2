# Configurations that depend on the GPU are those of --target, in reflect-json
# and in the compiled kernel.
# RUN: tilec %s --emit=reflect-json --target=sm_90 -o - | FileCheck %s --check-prefix=SM90
# RUN: tilec %s --emit=reflect-json --target=sm_80 -o - | FileCheck %s --check-prefix=SM80
import torch
import triton
import triton.language as tl


def configs():
    major, _ = torch.cuda.get_device_capability()
    if major == 9:
        return [triton.Config({"B": 256}), triton.Config({"B": 512})]
    return [triton.Config({"B": 16})]


# SM90: {"constants": {"B": 256}},
# SM90: {"constants": {"B": 512}}
# SM80-NOT: 256
# SM80: {"constants": {"B": 16}}
@triton.autotune(configs=configs(), key=[])
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
