# Methods compute on fp16 and bf16 by way of fp32, and give the type back, up to
# Triton 3.8; functions take fp32 and fp64 alone, and so do methods since 3.9.
# RUN: tilec %s --triton=3.8 --signature='*fp16' --kernel=k --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --triton=3.8 --signature='*bf16' --kernel=k --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --signature='*fp16' --kernel=wrong -o - 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: not tilec %s --signature='*fp16' --kernel=k -o - 2>&1 | FileCheck %s --check-prefix=NEW
# NEW: error: 'floor' wants fp32 or fp64, found tile of fp16 [16]
import triton
import triton.language as tl


# CHECK: %x = load
# CHECK-NEXT: [[WIDE:%[0-9]+]] = extf %x
# CHECK-NEXT: [[DOWN:%[0-9]+]] = floor [[WIDE]]
# CHECK-NEXT: truncf [[DOWN]]
# CHECK: ceil
# CHECK: exp
# CHECK: exp2
# CHECK: log
# CHECK: log2
# CHECK: cos
# CHECK: sin
# CHECK: sqrt
# CHECK: rsqrt
# CHECK: erf
@triton.jit
def k(p):
    x = tl.load(p + tl.arange(0, 16))
    y = x.floor() + x.ceil() + x.exp() + x.exp2() + x.log() + x.log2()
    y += x.cos() + x.sin() + x.sqrt() + x.rsqrt() + x.erf()
    tl.static_assert(y.dtype == x.dtype)
    tl.store(p + tl.arange(0, 16), y)


@triton.jit
def wrong(p):
    x = tl.load(p)
    # WRONG: error: 'floor' wants fp32 or fp64, found fp16
    tl.floor(x)
    # WRONG: error: 'sqrt_rn' wants fp32 or fp64, found fp16
    x.sqrt_rn()
    # WRONG: error: 'sigmoid' wants fp32 or fp64, found fp16
    x.sigmoid()
    # WRONG: error: 'exp' wants fp32 or fp64, found tile of fp8e5 [8]
    tl.zeros([8], tl.float8e5).exp()
    # WRONG: error: 'exp' wants fp32 or fp64, found int32
    tl.to_tensor(1).exp()
