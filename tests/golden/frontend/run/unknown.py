# Unknown code makes unknown the values that it may change, and no others.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import os
import strange

L = [1]
M = [2]
N = [3]
# CHECK-DAG: L: unknown
# CHECK-DAG: M: unknown
# CHECK-DAG: N = [3, 4]
if os.environ.get("FAST"):
    L.append(2)
strange.touch([M])
M.append(5)
N.append(4)

# Both branches bind the same value.
# CHECK-DAG: SAME = 8
if os.environ.get("FAST"):
    SAME = 8
else:
    SAME = len("12345678")

# Unknown code may raise, and then the rest of the body is not run.
# CHECK-DAG: AFTER: unknown
# CHECK-DAG: BEFORE = 1
AFTER = BEFORE = 0
try:
    BEFORE = 1
    strange.touch()
    AFTER = 1
except ValueError:
    pass

# An attribute of a module without a file may be a number, and so an index.
# CHECK-DAG: INDEXED: unknown
# CHECK-DAG: STORED: unknown
INDEXED = STORED = 0
try:
    INDEXED = [1, 2][strange.index]
    STORED = [0]
    STORED[strange.index] = 1
    STORED = 1
except TypeError:
    INDEXED = STORED = 2

# An unknown value may be a list, which cannot be a key.
# CHECK-DAG: KEYS: unknown
# CHECK-DAG: MADE: unknown
KEYS = MADE = 0
value = strange.number()
try:
    keys = {value}
    KEYS = 1
except TypeError:
    pass
try:
    made = {x for x in [value]}
    MADE = 1
except TypeError:
    pass

# An unknown number of trips.
# CHECK-DAG: TURNS: unknown
# CHECK-DAG: SET = 1
TURNS, SET = 0, 1
for _ in range(strange.number()):
    TURNS += 1
    SET = 1

# A function that may be called later.
# CHECK-DAG: COUNT: 1 so far
COUNT = 0
def count():
    global COUNT
    COUNT += 1
count()

# One of two names has its value changed, and either may be the one.
# CHECK-DAG: P: unknown
# CHECK-DAG: Q: unknown
P, Q = [1], [2]
either = P if os.environ.get("FAST") else Q
either.append(3)
