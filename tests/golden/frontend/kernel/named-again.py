# A function of the host may have the name of the kernel that it launches, which
# other names still denote; and modules of the language may be imported late.
# RUN: tilec %s --kernel=scale_ --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=_scale_kernel --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=late --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=LATE
# RUN: not tilec %s --kernel=host -o - 2>&1 | FileCheck %s --check-prefix=HOST
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=JSON
import triton
import triton.language as tl


# CHECK: kernel @scale_(
# CHECK: constant {value = 2.0} : f32
# JSON: "name": "scale_"
@triton.jit
def scale_(x: "*fp32"):
    tl.store(x, tl.load(x) * 2)


_scale_kernel = scale_


def scale_(x):
    _scale_kernel[(1,)](x)


# HOST: error: 'host' is not a kernel: it is not marked @jit
def host(x):
    scale_(x)


def prepare():
    global tldevice
    from triton.language.extra import libdevice as tldevice


# LATE: warning: host code computes 'tldevice'; it is taken for 'triton.language.libdevice'
# LATE: sqrt
# JSON: "name": "late"
@triton.jit
def late(x: "*fp32"):
    tl.store(x, tldevice.sqrt(tl.load(x)))
