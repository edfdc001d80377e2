# A name that a statement binds or changes in a way that is not followed has no
# known value, and certainly not its earlier one.
# RUN: not tilec %s --signature='*i32' --error-limit=80 -o /dev/null 2>&1 | FileCheck %s
import heapq
import os
import sys

import triton
import triton.language as tl

import plain_functions

ANY = 1
for n in ("ANY",): globals()[n] = 2
STAR = 1
from not_here import *
e = 5
from math import *
OWN = VIEW = TABLE = CODE = ATTRIBUTE = UPDATED = 1
sys.modules[__name__].OWN = 2
vars()["VIEW"] = 2
table = globals()
table["TABLE"] = 2
exec("CODE = 2")
setattr(sys.modules[__name__], "ATTRIBUTE", 2)
locals().update(UPDATED=2)
TYPE = tl.float16
if os.path.exists("file"): TYPE = tl.float32
L = K = [1]
L.append(3)
M = N = [1]
N.append(2)
F = 1
for F in (1, os.getpid()): pass
W = 1
with open("file") as W: pass
E = 1
try: os.stat("file")
except OSError as E: pass
P = 1
match os.name:
    case P: pass
G = 1
D = {"a": 1}


def setup():
    global G
    G = 2
    D["a"] = 2


class Conf:
    W = 1
    X = 1


for _ in range(2): Conf.W = _
plain_functions.SIZE = 3
from plain_functions import Shape
Shape.ROWS = 9
plain_functions.Shape.COLUMNS = 9
Box = Shape
setattr(Shape, "DEPTH", 9)
Box.HEIGHT = 9
NAME = os.uname()
SHOWN = f"{NAME!r:>3}"
STRING = str(NAME)
PERCENT = "%s" % NAME
FORMATTED = "{:>9}".format(NAME)
WITHIN = f"{('a', {'b': NAME})}"
IS_TEXT = isinstance(NAME, str)
HAS = hasattr(NAME, "lower")
Q = 1
if (Q := 4) and os.stat("file"): Q = 5
del Q
SKIPPED = 1
NO_ORDER = 2 < 1 < (SKIPPED := 4)
from releases import AT_LEAST as S
if os.path.exists("file"): S = 3
try:
    T = 1
    os.stat("file")
    T = 2
except OSError:
    T = 3
U = 1
if os.path.exists("file"):
    from releases import NUMBERS as U
V = 1
globals()["V"] = 2
setattr(Conf, "X", 2)


GIVEN = [1]
EARLY = len(GIVEN)


def give():
    return GIVEN


give().append(2)
HELD = [1]
HOLDER = {"a": HELD}
HOLDER["a"].append(2)
ITEM = [1]
(ITEM, 2)[0].append(3)
PART = [1]
PARTS = [PART]


def fill(parts):
    part = parts[0]
    part.append(2)


fill(PARTS)
AGAIN = [1]
OTHER = AGAIN or [2]
OTHER[0] = 2


def default(x=[1]):
    return x


default().append(2)
LENGTH = len(default())
LOOPED = [1]


def looped():
    return LOOPED


for q in [looped()]: q.append(2)
HEAP = [3]
heapq.heappush(HEAP, 2)
MAPPED = [1]
list(map(grow, [MAPPED]))


class Held:
    ITEMS = [1]


held = Held()
held.ITEMS.append(2)
HELD_ITEMS = Held.ITEMS
KEPT = [1]


def keep(x=KEPT):
    x += [2]


keep()
FIRST, SECOND = [[1]] * 2
SECOND.append(2)

EXTENDED = [2]


def extended():
    return EXTENDED


ADDED = extended()
ADDED.append(4)
EXTENDED.extend([1])
CLEARED = [1]
CLEARED.clear()
PAIR = (CLEARED, 2)
PAIR[0].append(3)
INSERTED = [1]
POPPED = INSERTED
INSERTED.insert(0, 2)
POPPED.pop()
REPEATED = [1]
for _ in range(2):
    ROUND = (REPEATED, 2)
    ROUND[0].append(3)
CHAINED = LINK = [1]


def chained(x, link=LINK):
    link[:] = [x]


chained(5)
METHOD = [1]
getattr(METHOD, "append")(3)


# A function of another file changes its arguments, itself or by a call.
PUT = [1]
PUT_BY_NAME = [1]
PUT_WITHIN = [1]
plain_functions.put(PUT)
put_by_name = plain_functions.put
put_by_name(PUT_BY_NAME)
WITHIN_LIST = [PUT_WITHIN]
plain_functions.put_twice(WITHIN_LIST[0])


@triton.jit
def k(x):
    tl.store(x, K[0])
    # CHECK: error: 'L' is computed by host code
    tl.store(x, M[0])
    # CHECK: error: 'M' is computed by host code
    tl.store(x, F)
    # CHECK: error: 'F' is computed by host code
    tl.store(x, W)
    # CHECK: error: 'W' is computed by host code
    tl.store(x, E)
    # CHECK: error: 'E' is computed by host code
    tl.store(x, P)
    # CHECK: error: 'P' is computed by host code
    tl.store(x, G)
    # CHECK: error: 'G' is computed by host code
    tl.store(x, D["a"])
    # CHECK: error: 'D' is computed by host code
    tl.store(x, Conf.W)
    # CHECK: error: 'Conf.W' is computed by host code
    tl.store(x, plain_functions.SIZE)
    # CHECK: error: 'SIZE' is computed by host code
    tl.store(x, Shape.ROWS)
    # CHECK: error: 'Shape.ROWS' is computed by host code
    tl.store(x, Shape.COLUMNS)
    # CHECK: error: 'Shape.COLUMNS' is computed by host code
    tl.store(x, Shape.DEPTH)
    # CHECK: error: 'Shape.DEPTH' is computed by host code
    tl.store(x, Shape.HEIGHT)
    # CHECK: error: 'Shape.HEIGHT' is computed by host code
    tl.store(x, Shape.KEPT)
    tl.store(x, Q)
    # CHECK: error: 'Q' is computed by host code
    tl.store(x, S)
    # CHECK: error: 'S' is computed by host code
    tl.store(x, T)
    # CHECK: error: 'T' is computed by host code
    tl.store(x, U)
    # CHECK: error: 'U' is computed by host code
    tl.store(x, V)
    # CHECK: error: 'V' is computed by host code
    tl.store(x, Conf.X)
    # CHECK: error: 'Conf.X' is computed by host code
    tl.store(x, ANY)
    # CHECK: error: 'ANY' is computed by host code
    tl.store(x, STAR)
    # CHECK: error: 'STAR' is computed by host code
    tl.static_assert(e < 3)
    tl.store(x, OWN)
    # CHECK-NOT: assert
    # CHECK: error: 'OWN' is computed by host code
    tl.store(x, VIEW)
    # CHECK: error: 'VIEW' is computed by host code
    tl.store(x, TABLE)
    # CHECK: error: 'TABLE' is computed by host code
    tl.store(x, CODE)
    # CHECK: error: 'CODE' is computed by host code
    tl.store(x, ATTRIBUTE)
    # CHECK: error: 'ATTRIBUTE' is computed by host code
    tl.store(x, UPDATED)
    # CHECK: error: 'UPDATED' is computed by host code
    tl.store(x, tl.load(x).to(TYPE))
    # CHECK: error: 'TYPE' is computed by host code
    # The text of such a value is unknown, too, and so is its kind.
    tl.store(x, len(SHOWN))
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: SHOWN =
    tl.store(x, len(STRING))
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: STRING =
    tl.store(x, PERCENT == "name")
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: PERCENT =
    tl.store(x, FORMATTED == "name")
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: FORMATTED =
    tl.store(x, WITHIN == "name")
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: WITHIN =
    tl.store(x, IS_TEXT)
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: IS_TEXT =
    tl.store(x, HAS)
    # CHECK: error: 'NAME' is computed by host code
    # CHECK-NEXT: HAS =
    # Changes by way of another name, a call's result, or a default.
    tl.store(x, len(GIVEN))
    # CHECK: error: 'GIVEN' is computed by host code
    tl.store(x, len(HELD))
    # CHECK: error: 'HELD' is computed by host code
    tl.store(x, len(ITEM))
    # CHECK: error: 'ITEM' is computed by host code
    tl.store(x, len(PART))
    # CHECK: error: 'PART' is computed by host code
    tl.store(x, len(AGAIN))
    # CHECK: error: 'AGAIN' is computed by host code
    tl.store(x, LENGTH)
    # CHECK: error: 'LENGTH' is computed by host code
    tl.store(x, len(FIRST))
    # CHECK: error: 'FIRST' is computed by host code
    tl.store(x, len(LOOPED))
    # CHECK: error: 'LOOPED' is computed by host code
    tl.store(x, len(KEPT))
    # CHECK: error: 'KEPT' is computed by host code
    tl.store(x, len(HEAP))
    # CHECK: error: 'HEAP' is computed by host code
    tl.store(x, len(MAPPED))
    # CHECK: error: 'MAPPED' is computed by host code
    tl.store(x, len(HELD_ITEMS))
    # CHECK: error: 'Held.ITEMS' is computed by host code
    tl.store(x, EARLY)
    # CHECK: error: 'GIVEN' is computed by host code
    # Changes by a line that is run, and by another name or a loop, too.
    tl.store(x, len(EXTENDED))
    # CHECK: error: 'EXTENDED' is computed by host code
    tl.store(x, len(CLEARED))
    # CHECK: error: 'CLEARED' is computed by host code
    tl.store(x, len(INSERTED))
    # CHECK: error: 'INSERTED' is computed by host code
    tl.store(x, len(REPEATED))
    # CHECK: error: 'REPEATED' is computed by host code
    tl.store(x, len(CHAINED))
    # CHECK: error: 'CHAINED' is computed by host code
    tl.store(x, len(METHOD))
    # CHECK: error: 'METHOD' is computed by host code
    # Changes by a function of another file are followed, or reported.
    tl.static_assert(len(PUT) == 2 and len(PUT_BY_NAME) == 2)
    tl.store(x, len(PUT_WITHIN))
    # CHECK: error: 'PUT_WITHIN' is computed by host code
    tl.store(x, SKIPPED)
    # CHECK: error: 'SKIPPED' is computed by host code

# Backs I2 of frontend/host.
