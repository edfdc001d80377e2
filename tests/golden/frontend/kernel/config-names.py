# After a comprehension its names have their former meaning, among
# configurations, too.
# REQUIRES: tilec
# RUN: tilec --emit=reflect-json -o - %s | FileCheck %s
import triton
import triton.language as tl

b = 64


# CHECK: "constants": {"B": 1}
# CHECK: "constants": {"B": 2}
# CHECK: "constants": {"B": 64}
@triton.autotune(
    configs=[triton.Config({"B": b}) for b in (1, 2)] +
    [triton.Config({"B": b})],
    key=[])
@triton.jit
def k(x, B: tl.constexpr):
    pass
