# `from module import *` imports the names in the final value of the module's
# `__all__`, modules of a package, too; names that only a run of the module
# would find are not known.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: tilec %s --kernel=language --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=LANGUAGE
import triton
import triton.language as tl


def add(x, y):
    return 100


from operator import *

ADDED = add(3, 4)
SUM = LISTED = HIDDEN = DEEP = MAYBE = 100


@triton.jit
def scale(x):
    return x


@triton.jit
def pow(x):
    return x * 7


@triton.jit
def abs(x):
    return x * 7


from star_names import *
from star_names_unknown import *
from star_package import *
from triton.language import *


# CHECK: constant {value = 1} : i32
# CHECK: constant {value = 1} : i32
# CHECK: constant {value = 100} : i32
# CHECK: constant {value = 3} : i32
# CHECK: constant {value = 3000} : i32
# CHECK: constant {value = 5} : i32
@triton.jit
def known(p: "*i32"):
    tl.store(p, SUM)
    tl.store(p, LISTED)
    tl.store(p, HIDDEN)
    tl.store(p, DEEP)
    tl.store(p, scale(3))
    tl.store(p, inner.WIDTH)


# UNKNOWN: error: 'MAYBE' is computed by host code
# UNKNOWN: error: 'add' is computed by host code
# UNKNOWN: error: unknown name 'hidden'
@triton.jit
def unknown(p: "*i32"):
    tl.store(p, MAYBE)
    tl.store(p, ADDED)
    tl.store(p, hidden(3))


# LANGUAGE: constant {value = 21} : i32
# LANGUAGE: abs
@triton.jit
def language(p: "*i32"):
    tl.store(p, pow(3))
    tl.store(p, abs(-3))
