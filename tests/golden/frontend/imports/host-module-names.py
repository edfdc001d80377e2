# The result of a call is its value if that can be computed, under any name;
# else the result counts as the module of Triton that usually has the name.
# RUN: tilec %s --kernel=value --stop-after=frontend -o - | FileCheck %s --check-prefix=VALUE
# RUN: tilec %s --kernel=guessed --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=GUESSED
# RUN: not tilec %s --kernel=asked --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=ASKED
import os

import triton
import triton.language as tl


def pair():
    return 4, 0


def some():
    return os.getpid(), os.getpid()


n, tldevice = pair()
pid, libdevice = some()


# VALUE: kernel @value
# VALUE-NOT: value = 77
# VALUE: value = 0
# VALUE-NOT: value = 77
@triton.jit
def value(x: "*i32"):
    if tldevice:
        tl.store(x, 77)
    tl.store(x, tldevice)


# GUESSED: warning: host code computes 'libdevice'; it is taken for 'triton.language.libdevice'
# GUESSED: tanh
@triton.jit
def guessed(x: "*fp32"):
    tl.store(x, libdevice.tanh(tl.load(x)))


# ASKED: error: 'triton.language.libdevice' is computed by host code
@triton.jit
def asked(x: "*i32"):
    if libdevice:
        tl.store(x, 77)
