# Results of a module's `__getattr__` are computed by host code, and so are names of a
# module that was replaced by another object; -D gives the value of such a name.
# RUN: tilec %s -D IS_HIP=False -D module_getattr_lazy.DEPTH=8 --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: not tilec %s -D IS_HIP=True -o - 2>&1 | FileCheck %s --check-prefix=LAZY
import triton
import triton.language as tl

import module_getattr_lazy
from module_getattr import WIDTH, platform

IS_HIP = platform.is_rocm()

try:
    from module_getattr import other
except ImportError:
    other = 1


# CHECK-NOT: constant {value = 3}
# CHECK: constant {value = 1} : i32
# CHECK: constant {value = 8} : i32
# UNKNOWN: [[@LINE+4]]:8: error: 'IS_HIP' is computed by host code
# LAZY: [[@LINE+6]]:17: error: {{.*}}'module_getattr_lazy.DEPTH'
@triton.jit
def k(x: "*i32"):
    if IS_HIP:
        tl.store(x, 3)
    tl.store(x, WIDTH)
    tl.store(x, module_getattr_lazy.DEPTH)
