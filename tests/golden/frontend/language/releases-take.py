# Code that Triton 3.8 accepted and 3.9 refuses, by 3.8's rules, with 3.8's values.
# RUN: tilec run %s --triton=3.8 --kernel=values --debug --device=cpu --grid=1
# RUN: tilec run %s --triton=3.8 --kernel=values --debug --device=sim --grid=1
# RUN: tilec %s --triton=3.8 --kernel=values -o - 2>&1 | FileCheck %s --implicit-check-not=warning:
# RUN: not tilec %s --kernel=values -o - 2>&1 | FileCheck %s --check-prefix=NEW --implicit-check-not=error:
# RUN: not tilec %s --triton=3.8 --kernel=neither -o - 2>&1 | FileCheck %s --check-prefix=NEITHER --implicit-check-not=error:
import triton
import triton.language as tl


@triton.jit
def values():
    i = tl.arange(0, 16)
    x = (i * 7 + 3) % 16
    w = tl.arange(0, 4)[:, None] * 16 + x[None, :]
    # NEW: [[#@LINE+1]]:9: error: too many indices for tile of int32 [16]
    r = x[:, :, :]
    tl.device_assert(r == x)
    # NEW: [[#@LINE+1]]:9: error: too many indices for tile of int32 [16]
    r = x[None, :, :]
    tl.device_assert(r == x[None, :])
    # One value has no dimension that could be kept.
    n = tl.sum(x)
    # NEW: [[#@LINE+1]]:9: error: too many indices for int32
    a = n[:, None]
    # NEW: [[#@LINE+1]]:9: error: too many indices for int32
    b = n[None, :]
    # NEW: [[#@LINE+1]]:9: error: too many indices for int32
    c = n[None, :, None]
    # NEW: [[#@LINE+1]]:9: error: too many indices for int32
    d = n[:, :]
    tl.static_assert(a.shape == (1,) and b.shape == (1,) and c.shape == (1, 1))
    tl.static_assert(d.dtype == tl.int32 and len(d.shape) == 0)
    tl.device_assert((a * 100 + b) + i == 101 * 120 + i)
    # CHECK: [[#@LINE+2]]:20: warning: 'topk' of 3 gives 2
    # NEW: [[#@LINE+1]]:20: error: 'topk' wants a power of two up to 16, found 3
    r = tl.topk(x, 3)
    tl.device_assert(r == 15 - tl.arange(0, 2))
    # CHECK: [[#@LINE+2]]:20: warning: 'topk' of 7 gives 4
    # NEW: [[#@LINE+1]]:20: error: 'topk' wants a power of two up to 16, found 7
    r = tl.topk(w, 7, descending=False)
    tl.device_assert(r == tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 4)[None, :])
    # CHECK: [[#@LINE+2]]:20: warning: 'topk' of 31 gives 16
    # NEW: [[#@LINE+1]]:20: error: 'topk' wants a power of two up to 16, found 31
    r = tl.topk(x, 31)
    tl.device_assert(r == 15 - i)
    # CHECK: [[#@LINE+2]]:20: warning: 'topk' of 0 gives 1
    # NEW: [[#@LINE+1]]:20: error: 'topk' wants a power of two up to 16, found 0
    r = tl.topk(w, 0)
    tl.device_assert(r == tl.arange(0, 4)[:, None] * 16 + 15)


@triton.jit
def neither():
    x = tl.arange(0, 16)
    # NEITHER: [[#@LINE+1]]:5: error: too many indices for tile of int32 [16]
    x[:, :, None]
    # NEITHER: [[#@LINE+1]]:16: error: 'topk' wants a power of two up to 16, found 0
    tl.topk(x, 0)
    # NEITHER: [[#@LINE+1]]:16: error: 'topk' wants a power of two up to 16, found 32
    tl.topk(x, 32)
