# Names of other releases of Triton, and names that Python's `math` lacks, cannot be
# imported.
# RUN: not tilec %s -o /dev/null 2>&1 | FileCheck %s
# RUN: tilec %s -D OLD=False -D NAMED=False --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl

try:
    from triton.ops.matmul import matmul
    OLD = True
except ImportError:
    OLD = False
try:
    from math import nope
    NAMED = True
except ImportError:
    NAMED = False


# CHECK: error: 'OLD' is computed by host code
# CHECK: error: 'NAMED' is computed by host code
# GIVEN: kernel @k
@triton.jit
def k(o: "*i32"):
    tl.store(o, 1 if OLD else 2)
    tl.store(o + 1, 1 if NAMED else 2)
