# Changes that a file makes to a kernel's configurations are found by the host.
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s
import triton
import triton.language as tl


# CHECK: "name": "k"
# CHECK: "configurations": {"computed": "[triton.Config({'BLOCK': 16})]"}
@triton.autotune(configs=[triton.Config({"BLOCK": 16})], key=[])
@triton.jit
def k(x: "*fp32", BLOCK: tl.constexpr):
    pass


for config in k.configs:
    config.num_warps = 8
