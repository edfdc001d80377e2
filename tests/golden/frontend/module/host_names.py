# Functions that host code chose are those of the language with that name.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>%t.err | FileCheck %s
# RUN: FileCheck %s --check-prefix=WARN < %t.err
# RUN: not tilec %s --kernel=bad --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=BAD
# RUN: not tilec %s --kernel=round --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=ROUND
# RUN: tilec %s --kernel=sum --stop-after=frontend -o - | FileCheck %s --check-prefix=SUM
import triton
import triton.language as tl
import backend
from m import pi  # no part of the name of `math`


def find(name):
    return getattr(backend, name)


rsqrt = find("rsqrt")
shim = find("libdevice")
tanh = shim.tanh
SIZE = find("size")


# CHECK: rsqrt
# CHECK: tanh
# CHECK: erf
# WARN-DAG: warning: host code computes 'rsqrt'; it is taken for the function 'rsqrt' of the language
# WARN-DAG: warning: host code computes 'tanh'
# WARN-DAG: warning: host code computes 'erf'
@triton.jit
def k(x: "*fp32"):
    i = tl.arange(0, 16)
    tl.store(x + i, shim.erf(tanh(rsqrt(tl.load(x + i)))))


# BAD: 'SIZE' of host code
@triton.jit
def bad(x: "*fp32"):
    tl.store(x, SIZE)


# ROUND: '*' cannot combine 'm.pi' of host code
@triton.jit
def round(x: "*fp32"):
    tl.store(x, pi * 2.0)


def one():
    return 1


libdevice = 4
libdevice += one()  # no module: it was a number


# SUM: constant {value = 5} : i32
@triton.jit
def sum(x: "*i32"):
    tl.store(x, libdevice)
