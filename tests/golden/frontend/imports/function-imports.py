# Imports in functions that the module calls bind their own names; an import
# that may fail makes the function's result unknown.
# RUN: tilec %s --kernel=known --signature='*fp32' --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=shimmed --signature='*fp32' --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=SHIM
# RUN: tilec %s --kernel=looped --signature='*fp32' --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=LOOPED
# RUN: not tilec %s --kernel=missing --signature='*i32' --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
# RUN: not tilec %s --kernel=tried --signature='*i32' --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=TRIED
# RUN: not tilec %s --kernel=inside --signature='*i32' --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSIDE
import torch
import triton
import triton.language as tl


import backend

# Names imported from any module of the language keep their meaning.
try:
    shim = backend.get_extra_module()
except ImportError:
    try:
        shim = triton.language.extra.libdevice
    except AttributeError:
        shim = triton.language.math
shim_tanh = shim.tanh


def has_npu():
    return torch.npu.is_available() or torch.xpu.is_available()


def pick_exp():
    if has_npu():
        from torch_npu import exp as found
    elif triton.__version__ >= "3.0.0":
        from triton.language.extra.cuda.libdevice import fast_expf as found
    else:
        from triton.language.math import no_such_thing as found
    return found


def whole():
    import math
    import math as m, os.path
    from math import ceil, floor as down
    return math.floor(2.5) + m.ceil(2.5) + ceil(0.5) + down(9.5)


def absent():
    import no_such_module
    return 3


def tried_one():
    try:
        import no_such_module
        return 1
    except ImportError:
        return 2


exp = pick_exp()
WHOLE = whole()
ABSENT = absent()
TRIED = tried_one()


# CHECK-LABEL: kernel @known
# CHECK: exp %0
# CHECK: constant {value = 15
@triton.jit
def known(x):
    tl.store(x, exp(tl.load(x)) + WHOLE)


# SHIM: warning: host code decides what 'shim' is; it is taken as in the last line that may be reached
# SHIM: kernel @shimmed
# SHIM: tanh
@triton.jit
def shimmed(x):
    tl.store(x, shim_tanh(tl.load(x)))


# MISSING: [[#@LINE+3]]:17: error: 'value' of 'store' wants a run-time value, found 'ABSENT' of host code
@triton.jit
def missing(x):
    tl.store(x, ABSENT)


# TRIED: [[#@LINE+3]]:17: error: 'value' of 'store' wants a run-time value, found 'TRIED' of host code
@triton.jit
def tried(x):
    tl.store(x, TRIED)


# INSIDE: [[#@LINE+3]]:5: error: {{.*}}import
@triton.jit
def inside(x):
    import math
    tl.store(x, math.pi)


# A statement that computes the value cannot be followed: only this fails.
for _ in (1, 2):

    def bring(name):
        return True, importlib.import_module(name)


_, libdevice = bring("triton.language.extra.libdevice")


# LOOPED-NOT: {{error|warning}}
# LOOPED: kernel @looped
# LOOPED: tanh
@triton.jit
def looped(x):
    tl.store(x, libdevice.tanh(tl.load(x)))
