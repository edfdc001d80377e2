# hasattr() and getattr() with a default: in kernels as in Triton, where
# constants are constexpr values, in modules as in Python; an attribute that is
# not known here gives a message.
# RUN: tilec %s --kernel=known -D S=4 -D 'T=(1,2,3)' --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=told -D 'T=(1,2,3)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOLD
# RUN: not tilec %s --kernel=host -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
import functools
import math
from collections import namedtuple

import triton
import triton.language as tl

Pair = namedtuple("Pair", "x y")
pair = Pair(1, 2)
FIELD = tl.constexpr(10 if hasattr(pair, "x") else 20)
GIVEN = tl.constexpr(getattr(pair, "y", 7))
NAME = tl.constexpr(30 if hasattr(math, "nope") else 40)
PI = tl.constexpr(50 if hasattr(math, "pi") else 60)
EXACT = tl.constexpr(1 if 2 ** 53 + 1 == float(2 ** 53) else 2)
LIST = tl.constexpr(1 if hasattr([1], "append") else 2)
TEXT = tl.constexpr(1 if hasattr("a", "__len__") else 2)
CLASS = tl.constexpr(1 if getattr(pair, "_fields", None) else 2)
MODULE = tl.constexpr(1 if hasattr(functools, "nope") else 2)
WIDE = tl.constexpr(len(f"{1:2000}"))


# CHECK: kernel @known
@triton.jit
def known(o: "*fp32", S: tl.constexpr, T: tl.constexpr):
    v = tl.load(o)
    tl.static_assert(not hasattr(S, "dtype"))
    tl.static_assert(not hasattr(S, "value"))
    tl.static_assert(hasattr(v, "dtype"))
    tl.static_assert(hasattr(v, "handle"))
    tl.static_assert(not hasattr(v, "ndim"))
    tl.static_assert(hasattr(T, "values"))
    tl.static_assert(not hasattr(T, "count"))
    tl.static_assert(getattr(S, "shape", 9) == 9)
    tl.static_assert(FIELD == 10)
    tl.static_assert(GIVEN == 2)
    tl.static_assert(NAME == 40)
    tl.static_assert(PI == 50)
    tl.static_assert(EXACT == 2)


@triton.jit
def told(o: "*fp32", T: tl.constexpr):
    # TOLD: :[[@LINE+1]]:{{.*}}it is not known here whether {{.*}} has an attribute '__len__'
    if hasattr(T, "__len__"):
        tl.store(o, 1)


@triton.jit
def host(o: "*fp32"):
    # HOST: it is not known here whether tuple of 1 has an attribute 'append'
    # HOST: it is not known here whether string 'a' has an attribute '__len__'
    # HOST: it is not known here whether a 'Pair' has an attribute '_fields'
    # HOST: it is not known here whether {{.*}}functools{{.*}} has an attribute 'nope'
    # HOST: '2000' is no format for constant 1
    tl.store(o, LIST)
    tl.store(o, TEXT)
    tl.store(o, CLASS)
    tl.store(o, MODULE)
    tl.store(o, WIDE)
