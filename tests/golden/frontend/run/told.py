# Kernels get the values that names have when the module has run, if its lines
# alone do not show these values, unless a function may change them later.
# Expected values are those of CPython.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import triton
import triton.language as tl

SIZES = [16, 32]
def sizes(): return SIZES
sizes().append(64)
TOTAL = len(SIZES)

L = [1]; C = [L, [2]]; C[0].append(3); WIDTH = 64
for i in range(3): WIDTH += len(C[0])

class Defaults: SIZES = [16]
def tune(d): d.SIZES.append(32); return d
D = tune(Defaults); LAST = D.SIZES[-1]

for kind in (1, 2.0):
    def grown(d): d.SIZES.append(64); return d
GROWN = grown(Defaults).SIZES[-1]

TURNS = 0
def turn():
    global TURNS
    TURNS += 1
turn()
FIRST, SECOND = L, C[0]

READERS = []
for n in (16, 32): READERS.append(lambda: n)
n = 7
READ = [f() for f in READERS]

class Shut:
    @property
    def size(self): return 3
shut = Shut()
try:
    shut.size = 4
    REFUSED = 0
except AttributeError:
    REFUSED = 5


# CHECK: constant {value = 3} : i32
# CHECK: constant {value = 70} : i32
# CHECK: constant {value = 32} : i32
# CHECK: constant {value = 64} : i32
@triton.jit
def known(x: "*i32"):
    tl.static_assert(FIRST is SECOND)
    tl.static_assert(REFUSED == 5)
    tl.static_assert(READ[0] == 7)
    tl.store(x, TOTAL)
    tl.store(x + 1, WIDTH)
    tl.store(x + 2, LAST)
    tl.store(x + 3, GROWN)


# UNKNOWN: error: 'TURNS' is computed by host code
@triton.jit
def unknown(x: "*i32"):
    tl.store(x, TURNS)
