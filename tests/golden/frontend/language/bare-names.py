# A file that imports the language needs its `tl.`, as in Python.
# RUN: not tilec %s --kernel=bare --signature='*fp32' -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=imported --signature='*fp32' --stop-after=frontend -o - | FileCheck %s --check-prefix=IMPORTED
import triton
import triton.language as tl
from triton.language import arange, float32


@triton.jit
def bare(x):
    i = arange(0, 16)
    # CHECK: [[@LINE+1]]:9: error: unknown name 'load'; did you mean 'tl.load'?
    v = load(x + i)
    # CHECK: [[@LINE+1]]:38: error: unknown name 'int32'; did you mean 'tl.int32'?
    tl.store(x + i, tl.full([16], 1, int32))
    # CHECK: [[@LINE+1]]:5: error: unknown name 'stroe'; did you mean 'tl.store'?
    stroe(x + i, 1.0)
    # CHECK-NOT: error
    tl.store(x + i, max(1, 2) + float(abs(-3)))


# IMPORTED: store
@triton.jit
def imported(x):
    tl.store(x + arange(0, 16), tl.zeros([16], float32))
