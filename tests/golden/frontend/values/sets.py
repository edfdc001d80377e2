# Sets of host code, in results that do not depend on their order, and functions
# that the module's own functions decorate. Expected values are those of Python.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=ordered -o - 2>&1 | FileCheck %s --check-prefix=ORDERED
# RUN: not tilec %s --kernel=texts -o - 2>&1 | FileCheck %s --check-prefix=TEXTS
# RUN: not tilec %s --kernel=placed -o - 2>&1 | FileCheck %s --check-prefix=PLACED
# RUN: tilec %s --kernel=removed --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=absent -o - 2>&1 | FileCheck %s --check-prefix=ABSENT
import functools

import triton
import triton.language as tl

TYPES = {"fp16", "bf16"}
SMALL = {1, 2, 3}
FROZEN = frozenset((1, 2, 2))
grown = set()
grown.add(4)
grown.update([5, 6], )
grown.discard(9)
grown -= {5}


def distinct(items):
    seen = set()
    kept = []
    for x in items:
        if x in seen:
            continue
        seen.add(x)
        kept.append(x)
    return kept


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **options):
        return 2 * function(*args, **options)
    return wrapper


def plus(n):
    def decorate(function):
        return lambda x: function(x) + n
    return decorate


@plus(5)
@twice
def square(x):
    return x * x


def counted(function):
    calls = []

    def wrapper(x):
        calls.append(x)
        return function(x) + len(calls)
    return wrapper


@counted
def same(x):
    return x


@counted
def none(x):
    return None


kept = distinct([3, 1, 3, 2, 1])
squared = square(3)
asked = same(1)
views = {"a": 1}


# CHECK: remark: [1, 2, 3] [2, 3] 5 [1, 9] 6 3
# CHECK: remark: True False True True
# CHECK: remark: [4, 6] [3, 1, 2] 23
# CHECK: remark: [0, 2, 4] {7} set() frozenset({1})
@triton.jit
def known(x: "*fp32"):
    tl.static_print(BY_ORDER, SECOND, ALL, APART, TOTAL, LARGEST)
    tl.static_print("fp16" in TYPES, "fp8" in TYPES, SAME, PART)
    tl.static_print(GROWN, kept, squared)
    tl.static_print(DOUBLED, ONE, NONE, FEW)


BY_ORDER = sorted(SMALL)
SECOND = sorted(SMALL & {2, 3, 4})
ALL = len(SMALL | {7, 8})
APART = sorted({1, 2} ^ {2, 9})
TOTAL = sum(SMALL)
LARGEST = max(SMALL)
SAME = {1, 2} == FROZEN
PART = FROZEN < SMALL
GROWN = sorted(grown)
DOUBLED = sorted({2 * x for x in SMALL if x < 3} | {0})
ONE = {7}
NONE = ONE - {7}
FEW = frozenset([1])
KEYS = {frozenset((1, 2)): 3}


# ORDERED: error: set of 3, in no known order: only Python knows the order of the items of a set
# ORDERED: error: set of 2, in no known order: only Python knows the order of the items of a set
# ORDERED: remark: 2
@triton.jit
def ordered(x: "*fp32"):
    tl.static_print(SMALL)
    tl.static_print(f"{KEYS}")
    tl.static_print(asked)


# TEXTS: error: 'str.encode' is not supported yet
# TEXTS: error: bytes is not supported
@triton.jit
def texts(x: "*fp32"):
    tl.static_print("abc".encode())
    tl.static_print(b"abc")


@triton.constexpr_function
def with_first(value):
    x = {1, 2}
    x[0] = value
    return len(x)


# PLACED: error: an element cannot be assigned
@triton.jit
def placed(x: "*fp32"):
    tl.static_print(with_first(3))


@triton.constexpr_function
def without(x):
    left = {1, 2}
    left.discard(9)
    left.remove(x)
    return len(left)


@triton.jit
def removed(x: "*fp32"):
    tl.static_assert(without(2) == 1)


# ABSENT: error: set of 2, in no known order cannot be changed here
@triton.jit
def absent(x: "*fp32"):
    tl.static_assert(without(3) == 2)
