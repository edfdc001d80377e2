# Names in the lists of @autotune are parameters: since 3.9 another name is an
# error, before it is ignored.
# RUN: tilec %s --triton=3.8 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OLD
# RUN: not tilec %s --triton=3.9 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEW
import triton
import triton.language as tl


# OLD: [[@LINE+4]]:60: warning: 'autotune' names 'dtype', but 'k' has no parameter of that name
# OLD-NOT: warning
# NEW: [[@LINE+2]]:60: error: 'autotune' names 'dtype', but 'k' has no parameter of that name
# NEW: [[@LINE+1]]:69: error: 'autotune' names 'num_warps', but 'k' has no parameter of that name
@triton.autotune([triton.Config({"B": 4})], key=["n", "B", "dtype", "num_warps"],
                 restore_value=["n"])
@triton.jit
def k(n: tl.int32, B: tl.constexpr):
    tl.device_print("n", n)
