# For a heuristic, an argument is a tensor of torch, and has its type. Expected
# values are those of PyTorch.
# RUN: tilec %s --kernel=k --signature="*fp16, *i1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
# RUN: tilec %s --kernel=k --signature="*fp32, *i8" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SINGLE
# RUN: tilec %s --kernel=k --signature="*bf16, *bf16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BFLOAT
# RUN: not tilec %s --kernel=told --signature="*fp16, i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOLD
import torch
import triton
import triton.language as tl
from nowhere import V

HALVES = (torch.half, torch.bfloat16)
BYTES = {torch.half: 2, torch.float32: 4}
SHORT = {torch.half, torch.float16, torch.bfloat16}


def pick(args):
    if args["x"].dtype in HALVES:
        return 16
    return 32


@triton.heuristics(
    {
        "A": lambda args: args["x"].dtype == torch.float16,
        "B": lambda args: torch.bool != args["y"].dtype,
        "C": lambda args: 3 if args["x"].dtype is torch.float32 else 4,
        "D": lambda args: BYTES.get(args["x"].dtype, 0),
        "E": lambda args: args["x"].dtype not in BYTES,
        "F": pick,
        "G": lambda args: args["x"].dtype == args["y"].dtype,
        "H": lambda args: args["x"].dtype.itemsize + args["y"].dtype.is_floating_point,
        "I": lambda args: args["x"].dtype in SHORT,
        "J": lambda args: args["y"].dtype in {torch.bool, torch.int8} - {torch.int8},
    }
)
@triton.jit
def k(x, y, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, E: tl.constexpr,
      F: tl.constexpr, G: tl.constexpr, H: tl.constexpr, I: tl.constexpr, J: tl.constexpr):
    # HALF: remark: True False 4 2 False 16 False 2 True True
    # SINGLE: remark: False True 3 4 False 32 False 4 False False
    # BFLOAT: remark: False True 4 0 True 16 True 3 True False
    tl.static_print(A, B, C, D, E, F, G, H, I, J)
    tl.static_assert(len(SHORT) == 2)


@triton.heuristics(
    {
        # TOLD: [[@LINE+1]]:43: error: 'nowhere.V' is computed by host code
        "A": lambda args: args["x"].dtype in (V, torch.float16),
        # TOLD: [[@LINE+1]]:43: error: 'nowhere.V' is computed by host code
        "B": lambda args: args["x"].dtype == V,
        # TOLD: [[@LINE+1]]:27: error: 'isinstance()' is computed by host code
        "C": lambda args: isinstance(args["n"], int),
        # TOLD: [[@LINE+1]]:27: error: 'hasattr()' is computed by host code
        "D": lambda args: hasattr(args["x"].dtype, "nosuch"),
        # TOLD: [[@LINE+1]]:46: error: 'nowhere.V' is computed by host code
        "E": lambda args: args["x"].dtype in {V, torch.float16},
    }
)
@triton.jit
def told(x, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr,
         E: tl.constexpr):
    tl.store(x, A + B)
