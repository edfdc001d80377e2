# `clamp` first compares its bounds with each other, then with the value; since
# Triton 3.9 all three are compared at once.
# RUN: tilec %s --kernel=high --signature='*fp32, i32' --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --triton=3.8 --kernel=order --signature='*fp32, i8, u16' --stop-after=frontend -o - | FileCheck %s --check-prefix=ORDER
# RUN: tilec %s --triton=3.9 --kernel=order --signature='*fp32, i8, u16' --stop-after=frontend -o - | FileCheck %s --check-prefix=ONCE
import triton
import triton.language as tl


# CHECK: %[[X:.*]] = sitofp %n : f32
# CHECK: %[[LOW:.*]] = maxf %[[X]], %{{.*}} : f32
# CHECK: minf %[[LOW]], %{{.*}} : f32
@triton.jit
def high(x, n):
    tl.store(x, tl.clamp(n, 1, 3.5))


# ONCE: sitofp %low : f32
# ONCE: uitofp %high : f32
# ORDER: extsi %low : i16
# ORDER: uitofp {{.*}} : f32
# ORDER: maxf
@triton.jit
def order(x, low, high):
    tl.store(x, tl.clamp(tl.load(x), low, high))
