# A class has the members in its lines, and no member of an earlier class with its
# name; but it may be derived from that class, and other names still denote it.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=wrong -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=Sizes.run -o - 2>&1 | FileCheck %s --check-prefix=GONE
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=LISTED
import enum
import os
from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

ROWS = 100


class Sizes:
    ROWS = 1

    class Inner:
        DEEP = 3

    @staticmethod
    @triton.jit
    def run(x: "*i32"):
        tl.store(x, 5)


First = Sizes


class Sizes:
    COLUMNS = 2
    SUM = COLUMNS + ROWS


class Sizes(Sizes):
    LAYERS = 3


class Pair(NamedTuple):
    a: tl.constexpr
    X = 1

    @triton.jit
    def get(self):
        return self.a


OldPair = Pair


class Pair(NamedTuple):
    b: tl.constexpr


@aggregate
class Value:
    a: tl.constexpr

    @triton.jit
    def get(self):
        return self.a


OldValue = Value


@aggregate
class Value:
    b: tl.constexpr


class Number(enum.IntEnum):
    ONE = 1


class Number(enum.IntEnum):
    TWO = 2


class Chosen:
    A = 1
    B = 1


if os.path.exists("file"):

    class Chosen:
        A = 1


class Given:
    A = 1


OldGiven = Given


class Given:
    B = 1


OldGiven.B = 2


# KNOWN: kernel @known
@triton.jit
def known(x: "*i32"):
    tl.static_assert(Sizes.COLUMNS == 2 and Sizes.SUM == 102)
    tl.static_assert(Sizes.LAYERS == 3)
    tl.static_assert(First.ROWS == 1 and First.Inner.DEEP == 3)
    tl.static_assert(OldPair(4).get() == 4 and OldPair.X == 1)
    tl.static_assert(Pair(4).b == 4 and Value(4).b == 4)
    tl.static_assert(OldValue(4).get() == 4)
    tl.static_assert(Number.TWO == 2 and Chosen.A == 1)
    First.run(x)


@triton.jit
def wrong(x: "*i32"):
    # CHECK: error: 'Sizes' of host code has no attribute 'ROWS' that is known here
    tl.store(x, Sizes.ROWS)
    # CHECK: error: 'Sizes' of host code has no attribute 'Inner' that is known here
    tl.store(x, Sizes.Inner.DEEP)
    # CHECK: error: 'Sizes' of host code has no attribute 'COLUMNS' that is known here
    tl.store(x, First.COLUMNS)
    # CHECK: error: 'Sizes' of host code has no attribute 'run' that is known here
    Sizes.run(x)
    # CHECK: error: class 'Pair' has no attribute 'X'{{$}}
    tl.store(x, Pair.X)
    # CHECK: error: a 'Pair' has no attribute 'get'{{$}}
    tl.store(x, Pair(4).get())
    # CHECK: error: a 'Value' has no attribute 'get'{{$}}
    tl.store(x, Value(4).get())
    # CHECK: error: 'Number' of host code has no attribute 'ONE' that is known here
    tl.store(x, Number.ONE)
    # CHECK: error: 'Chosen.B' is computed by host code
    tl.store(x, Chosen.B)
    # CHECK: error: 'Given.B' is computed by host code
    tl.store(x, OldGiven.B)
    # CHECK: error: 'Given.B' is computed by host code
    tl.store(x, Given.B)


# LISTED-NOT: "name": "Sizes.run"
# LISTED: "name": "known"
# LISTED: "name": "wrong"
# GONE: error: no kernel 'Sizes.run'; there are: known, wrong
