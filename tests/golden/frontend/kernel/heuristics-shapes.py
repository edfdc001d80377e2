# For heuristics an argument is a tensor, of which only the type is known here.
# RUN: not tilec %s --signature="*fp32, *fp32" -o /dev/null 2>&1 | FileCheck %s
# RUN: tilec %s --signature="*fp32, *fp32" -D FLAT=True -D N=2 -D RANK=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl


# CHECK: error: '.ndim' is computed by host code
# CHECK: error: '.shape' is computed by host code
# CHECK: error: '.ndim' is computed by host code
# GIVEN: kernel @k
@triton.heuristics({
    "FLAT": lambda args: args["x"].ndim == 1,
    "N": lambda args: len(args["x"].shape),
    "RANK": lambda args: getattr(args["x"], "ndim", 1),
})
@triton.jit
def k(x, o, FLAT: tl.constexpr, N: tl.constexpr, RANK: tl.constexpr):
    if FLAT:
        tl.store(o, N + RANK)
