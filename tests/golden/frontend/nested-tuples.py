# What an unrolled loop puts into itself again and again has a limit.
# RUN: not tilec %s --kernel=doubled -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=nested -o - 2>&1 | FileCheck %s --check-prefix=DEEP
# RUN: not tilec %s --kernel=added -o - 2>&1 | FileCheck %s --check-prefix=SUM
import triton
import triton.language as tl


@triton.jit
def doubled(p: "*i32", n: "i32"):
    t = [n]
    for i in tl.static_range(50):
        # CHECK: [[#@LINE+1]]:13: error: this tuple is too long
        t = [t, t]


@triton.jit
def nested(p: "*i32"):
    t = 1
    for i in tl.static_range(30000):
        # DEEP: [[#@LINE+1]]:13: error: this nests too deeply
        t = (t,)


@triton.jit
def added(p: "*i32"):
    t = ((1,) * 5000,)
    for i in tl.static_range(50):
        # SUM: [[#@LINE+1]]:9: error: this tuple is too long
        t += t
