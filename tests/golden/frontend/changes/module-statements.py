# Names that loops bind, and objects changed in place, are known if the statement
# can be run while compiling. Expected values are those of Python running the file.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown --error-limit=40 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import os

import triton
import triton.language as tl


def square(x):
    return x * x


SQUARES = {}
for i in range(4):
    if i == 1: continue
    SQUARES[i] = square(i)
SUM = 0
for key, value in SQUARES.items(): SUM += key * value
else:
    SUM += 1
POWER = 1
while POWER < 100:
    POWER *= 2
SIZES = [1]
SIZES.append(2)
SIZES += [3]
SIZES[0] = 7
SIZES.insert(1, SIZES[0] + 1)
COPY = [x for x in SIZES]
LAST = SIZES
NAMES = dict(a=1)
NAMES.update(b=2)
NAMES["a"] += 4
FOUND = None
for FOUND in (3, 5, 8):
    if FOUND % 2 == 0: break
if POWER > 64:
    for _ in range(2): POWER += 1
HEAD, *REST = (1, 2, 3)
SAME = REST is REST, [] is [], [1] is [1]


# CHECK-LABEL: kernel @known
@triton.jit
def known(x: "*i32"):
    tl.static_assert(SQUARES == {0: 0, 2: 4, 3: 9} and i == 3)
    tl.static_assert(SUM == 36 and POWER == 130 and FOUND == 8)
    tl.static_assert(SIZES == [7, 8, 2, 3] and COPY == SIZES == LAST)
    tl.static_assert(NAMES["a"] == 5 and NAMES["b"] == 2)
    tl.static_assert(str(REST) == "[2, 3]" and SAME == (True, False, False))
    # CHECK: return
    tl.store(x, SUM)


ENDLESS = 0
while True: ENDLESS += 1
OUTER = [[1], [2]]
for inner in OUTER: inner.append(3)
FIRST = [[1]]
FIRST[0].append(2)
SHARED = [1]
OTHER = SHARED
OTHER.append(2)
HELD = [1]
HOLDER = {"it": HELD}
HELD.append(2)
HOST = 0
for _ in range(os.getpid()): HOST += 1
TRIED = 0
for TRIED in (1, 2):
    try: os.stat("file")
    except OSError: TRIED = 3


@triton.jit
def unknown(x: "*i32"):
    tl.static_assert(ENDLESS)
    # UNKNOWN: error: 'ENDLESS' is computed by host code
    tl.static_assert(OUTER == [[1, 3], [2, 3]] and FIRST == [[1, 2]])
    tl.static_assert(SHARED == [1, 2] and OTHER is SHARED)
    tl.static_assert(HOLDER == {"it": [1, 2]} and HELD == [1, 2])
    tl.static_assert(HOST)
    # UNKNOWN: error: 'HOST' is computed by host code
    tl.static_assert(TRIED)
    # UNKNOWN: error: 'TRIED' is computed by host code
