# Values of triton.Config may be changed until a kernel is launched. An option
# that the call leaves out is the launch's, unless the attribute is set.
# RUN: tilec --emit=reflect-json %s -o - | FileCheck %s
# RUN: tilec --emit=module %s -o - | FileCheck %s --check-prefix=MODULE
import triton
import triton.language as tl

MADE = []
for block in (16, 32):
    for warps in (4, 8):
        MADE.append(triton.Config({"BLOCK": block}, num_warps=warps))
MADE[0].num_stages = 5
MADE[1].kwargs["BLOCK"] = 64
# MODULE: WARPS = 24
WARPS = sum(c.num_warps for c in MADE)
# MODULE: PARTS = ('', False, None, 'p')
PART = triton.testing.Benchmark(["n"], [1], "p", ["a"], ["A"], "plot", {})
PARTS = PART.ylabel, PART.x_log, PART.styles, PART.line_arg
# MODULE: LACKS = 1
try:
    triton.testing.Benchmark(["n"], [1], line_arg="p")
    LACKS = 0
except TypeError:
    LACKS = 1
# MODULE: TWICE = 1
try:
    triton.Config({}, kwargs={})
    TWICE = 0
except TypeError:
    TWICE = 1


# CHECK: "name": "changed"
# CHECK: {"constants": {"BLOCK": 16}, "num_warps": 4, "num_stages": 5},
# CHECK: {"constants": {"BLOCK": 64}, "num_warps": 8},
# CHECK: {"constants": {"BLOCK": 32}, "num_warps": 4},
@triton.autotune(configs=MADE, key=[])
@triton.jit
def changed(p, BLOCK: tl.constexpr):
    tl.store(p, BLOCK)

