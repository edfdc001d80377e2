# A member of an Enum is not its value: Python finds it true and equal to no
# number. Kernels may get values for members. A member of `class Text(str,
# Enum)` is its value, but is printed as 'Text.X'.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=given -D ACT=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
# RUN: not tilec %s --kernel=told -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOLD
import enum
from enum import Enum, IntEnum

import triton
import triton.language as tl


class Act(Enum):
    NONE = 0
    RELU = NONE + 1
    NAME = "relu"


class Mode(enum.Flag):
    A = 1


class Size(IntEnum):
    SMALL = 16


class Text(str, Enum):
    X = "x"


DEFAULT = Act.NONE
VALUE = tl.constexpr(Act.RELU.value + DEFAULT.value)
SAME = tl.constexpr(1 if Act.RELU == Act.RELU and DEFAULT is Act.NONE else 2)
AMONG = tl.constexpr(3 if Act.RELU in (Act.NONE, Act.NAME) else 4)
KEY = tl.constexpr({Act.NONE: 5, Act.RELU: 6}[Act.RELU])
SIZE = tl.constexpr(7 if Size.SMALL == 16 and Text.X == "x" else 8)
TRUTH = tl.constexpr(1 if DEFAULT else 2)
EQUAL = tl.constexpr(1 if Act.RELU == 1 else 2)
SHOWN = tl.constexpr(len(f"{Act.RELU}"))
CLASS = tl.constexpr(1 if isinstance(Act.RELU, int) else 2)
SUM = Mode.A | 2


class Number(int, Enum):
    ONE = 1


class Named(IntEnum):
    ONE = 1

    def __str__(self):
        return "one"


STR = tl.constexpr(len(str(Text.X)))
FORMAT = tl.constexpr(len(f"{Number.ONE}"))
PERCENT = tl.constexpr(len("%s" % Text.X))
REPR = tl.constexpr(len(repr(Act.RELU)))
OWN = tl.constexpr(len(str([Named.ONE])))
PLAIN = tl.constexpr(len(str(Size.SMALL) + Text.X.value + f"{Text.X.value}"))


# CHECK: kernel @known
@triton.jit
def known(o: "*i32", ACT: tl.constexpr = Act.RELU):
    tl.static_assert(VALUE == 1)
    tl.static_assert(SAME == 1)
    tl.static_assert(AMONG == 4)
    tl.static_assert(KEY == 6)
    tl.static_assert(SIZE == 7)
    tl.static_assert(PLAIN == 4)
    tl.static_assert(ACT == Act.RELU)
    tl.static_assert(ACT.value == 1)


# GIVEN: kernel @given
@triton.jit
def given(o: "*i32", ACT: tl.constexpr):
    tl.static_assert(ACT == Act.RELU)
    tl.static_assert(ACT != Act.NONE)


@triton.jit
def told(o: "*i32", ACT: tl.constexpr = Act.RELU):
    # TOLD-COUNT-10: error: the result for a member of an Enum is not known here; that for its '.value' is
    tl.store(o, TRUTH)
    tl.store(o, EQUAL)
    tl.store(o, SHOWN)
    tl.store(o, CLASS)
    tl.store(o, SUM)
    tl.store(o, STR)
    tl.store(o, FORMAT)
    tl.store(o, PERCENT)
    tl.store(o, REPR)
    tl.store(o, OWN)
