# Functions of Python that change their arguments, wherever they are named,
# targets of all kinds within functions, and methods that a plain assignment
# calls: a kernel gets a message.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import contextlib
import functools
import operator

import triton
import triton.language as tl


class Setter:
    @property
    def items(self):
        return None

    @items.setter
    def items(self, value):
        value.append(2)


class Keeper:
    def __setattr__(self, name, value):
        value.append(2)


def unpack(x):
    y, = [x]
    y.append(2)


def loop(x):
    for i, y in enumerate([x]): y.append(2)


def match_it(x):
    match x:
        case y: y.append(2)


def sums(pairs):
    total, low = 0, None
    for a, b in pairs:
        total += a
        low = b if low is None else min(low, b)
    return total, low


PAIRS = [(1, 5), (2, 4)]
SUMS = sums(PAIRS)

swapped = [1, 2]


def swap():
    swapped[0], count = 7, 8


swap()
reduced = [1]
functools.reduce(operator.iadd, [[7], [8]], reduced)
called = [1]
operator.methodcaller("append", 7)(called)
multiplied = [1]
multiply = operator.imul
multiply(multiplied, 2)
evaluated = [1]
eval("evaluated.append(7)")
unpacked = [1]
unpack(unpacked)
looped = [1]
loop(looped)
matched = [1]
match_it(matched)
set_one = [1]
setter = Setter()
setter.items = set_one
kept = [1]
keeper = Keeper()
keeper.items = kept
suppressed = [1]
with contextlib.suppress(ValueError):
    suppressed.append(2)
    raise ValueError
    suppressed.append(3)


# KNOWN: remark: (3, 4) [(1, 5), (2, 4)]
@triton.jit
def known(x: "*fp32"):
    tl.static_print(SUMS, PAIRS)


# CHECK: remark: [7, 2]
# CHECK: error: 'reduced' is computed by host code
# CHECK: error: 'called' is computed by host code
# CHECK: error: 'multiplied' is computed by host code
# CHECK: error: 'evaluated' is computed by host code
# CHECK: remark: [1, 2]
# CHECK: remark: [1, 2]
# CHECK: error: 'matched' is computed by host code
# CHECK: error: 'set_one' is computed by host code
# CHECK: error: 'kept' is computed by host code
# CHECK: remark: [1, 2]
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(swapped)
    tl.static_print(reduced)
    tl.static_print(called)
    tl.static_print(multiplied)
    tl.static_print(evaluated)
    tl.static_print(unpacked)
    tl.static_print(looped)
    tl.static_print(matched)
    tl.static_print(set_one)
    tl.static_print(kept)
    tl.static_print(suppressed)
