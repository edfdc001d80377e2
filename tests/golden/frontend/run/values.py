# The values of names when the module has been run.
# RUN: tilec --emit=module %s -o - | FileCheck %s
SIZES = [16, 32]
def sizes(): return SIZES
sizes().append(64)
# CHECK: TOTAL = 3
TOTAL = len(SIZES)

L = [1]; C = [L, [2]]; C[0].append(3); WIDTH = 64
# CHECK: WIDTH = 70
for i in range(3): WIDTH += len(C[0])

class Defaults: SIZES = [16]
def tune(d): d.SIZES.append(32); return d
# CHECK: LAST = 32
D = tune(Defaults); LAST = D.SIZES[-1]

# CHECK: CAUGHT = 'IndexError'
try:
    L[9]
except LookupError as error:
    CAUGHT = type(error).__name__

def counter(start):
    def step(by=1):
        nonlocal start
        start += by
        return start
    return step
step = counter(5)
# CHECK: STEPS = [6, 8]
STEPS = [step(), step(2)]

def squares(n):
    for k in range(n):
        L.append(k)
        yield k * k
SUM = 0
# CHECK: SUM = 5
for s in squares(9):
    SUM += s
    if s > 3: break
# CHECK: LENGTH = 5
LENGTH = len(L)

# CHECK: RANGES = (549755813888, 3, [7, 5, 3], 9, True)
FAR = range(0, 1099511627776, 2)
RANGES = (len(FAR), len(range(9, 4, -2)), [9, 7, 5, 3][1:][::1], range(9, 4, -2)[0], bool(FAR))

# Views of dictionaries are equal to sets.
# CHECK-DAG: VIEWED: unknown
VIEWED = {1: 2}.keys() == {1}

# A frozen data class refuses assignments to its fields.
# CHECK-DAG: REFUSED: unknown
from dataclasses import dataclass
@dataclass(frozen=True)
class Frozen: a: int = 1
frozen = Frozen()
try:
    frozen.a = 2
    REFUSED = 1
except AttributeError:
    REFUSED = 2

# A function in a class may bind names of the class.
# CHECK-DAG: NAMED: unknown
class Slot:
    def __set_name__(self, owner, name): owner.got = name
class Owner:
    a = Slot()
    got = "x"
NAMED = Owner.got
