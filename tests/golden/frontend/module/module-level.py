# The meaning of names at module level that host code decides: `hasattr` of the
# language and `is not None` of an import of it are answered, and `jit` may be
# called instead of being a decorator. A type of torch is no type of the language.
# RUN: tilec %s --kernel=guarded --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=by_call --stop-after=frontend -o - | FileCheck %s --check-prefix=CALL
# RUN: tilec %s --kernel=by_call_with_options --stop-after=frontend -o - | FileCheck %s --check-prefix=OPTIONS
# RUN: not tilec %s --kernel=by_hand -o - 2>&1 | FileCheck %s --check-prefix=HAND
# RUN: tilec %s --kernel=of_torch "--signature=*fp16" --stop-after=frontend -o - | FileCheck %s --check-prefix=TORCH
# RUN: not tilec %s --kernel=ordered "--signature=*fp16" -o - 2>&1 | FileCheck %s --check-prefix=ORDER
import numpy as np
import torch
import triton
import triton.language as tl
import triton.language.extra.libdevice as libdevice

if hasattr(triton.language, "no_such_function"):
    product = triton.language.no_such_function
elif hasattr(triton.language, "dot"):
    product = triton.language.dot
else:

    @triton.jit
    def product(a, b):
        return None


if hasattr(tl, "no_such_function"):
    half = tl.no_such_function
else:

    @triton.jit
    def half(x):
        return x * 0.5


if hasattr(libdevice, "tanh"):
    squash = libdevice.tanh
else:
    squash = tl.sigmoid
for _ in range(2):
    pass
else:
    last = tl.exp2

try:
    import triton.language.extra as extra
except ImportError:
    extra = None

if extra is not None:
    try:
        from triton.language.extra import libdevice as device

        device = extra.libdevice
    except ImportError:
        device = tl.math
else:
    device = None


# CHECK-LABEL: kernel @guarded
# CHECK: dot
# CHECK: mulf
# CHECK: tanh
# CHECK: exp2
# CHECK: erf
@triton.jit
def guarded(x: "*fp32"):
    i = tl.arange(0, 16)
    p = x + i[:, None] * 16 + i[None, :]
    v = tl.load(p)
    tl.store(p, device.erf(last(squash(half(product(v, v))))))


# CALL: kernel @by_call(
# CALL: loop_stages = 2, warp_specialize = true
# OPTIONS: kernel @by_call_with_options(
# HAND: 'by_hand' is not a kernel
def by_hand(x: "*fp32", n: "i32"):
    for i in range(0, n, num_stages=2, warp_specialize=True):
        tl.store(x + i, 1.0)


by_call = triton.jit(by_hand)
by_call_with_options = triton.jit(do_not_specialize=["n"])(by_hand)


# TORCH: kernel @of_torch
# TORCH-NEXT: load
# TORCH-NEXT: constant {value = 2.0}
# TORCH-NEXT: addf
# TORCH-NEXT: store
# TORCH-NEXT: return
@triton.jit
def of_torch(x):
    a = tl.load(x)
    if x.dtype.element_ty == torch.float16 or a.dtype == torch.half:
        a += 1
    if torch.float8_e5m2 != a.dtype:
        a += 2
    if a.dtype in (np.float16, torch.bool):
        a += 4
    tl.store(x, a)


@triton.jit
def ordered(x):
    # ORDER: [[@LINE+1]]:27: error: '<' cannot combine
    if x.dtype.element_ty < torch.float16:
        tl.store(x, 1)
