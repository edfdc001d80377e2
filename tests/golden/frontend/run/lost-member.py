# `torch.stack` does not lead to the names of the module, though `inspect.stack` does.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import torch
# CHECK-DAG: KEPT = 1
KEPT = 1
try:
    torch.stack([])
except* RuntimeError:
    pass
