# Side effects of functions of Python's, and of libraries.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import functools
import operator

import numpy as np
import triton


# CHECK-DAG: MEASURED: unknown
# CHECK-DAG: TURNS: unknown
TURNS = 0
def turn():
    global TURNS
    TURNS += 1
triton.testing.do_bench(turn)
MEASURED = TURNS

# CHECK-DAG: PRINTED: unknown
# CHECK-DAG: REST = 2
PRINTED, REST = 0, 1
class Printed:
    def __repr__(self):
        global PRINTED
        PRINTED = 1
        return "printed"
print([Printed()])
REST += 1

# CHECK-DAG: L: unknown
# CHECK-DAG: M: unknown
# CHECK-DAG: D: unknown
# CHECK-DAG: ORDER: unknown
# CHECK-DAG: KEPT = [2, 1]
L, M, D, ORDER, KEPT = [1], [1], {}, [1, 2], [2, 1]
operator.iadd(L, [2])
functools.reduce(operator.iadd, [[1], [2]], M)
operator.setitem(D, "a", 1)
np.random.shuffle(ORDER)
np.sort(KEPT)

# A sum of floats, which Python rounds once or several times; one of two equal keys.
# CHECK-DAG: PAIR = 0.30000000000000004
# CHECK-DAG: ROUNDED: unknown
# CHECK-DAG: KEYS: unknown
# CHECK-DAG: SAME = [(1, 'a')]
PAIR = sum([0.1, 0.2])
ROUNDED = sum([1e16, 1.5, -10000000000000000])
KEYS = list({1} & {True})
SAME = list({(1, "a"), 2} & {(1, "a")})

# CHECK-DAG: TEXTS = ['TypeError']
TEXTS = []
try:
    TEXTS.append(sum(["a"], "b"))
except TypeError as error:
    TEXTS.append(type(error).__name__)

# More items than any list has.
# CHECK-DAG: MANY: unknown
# CHECK-DAG: NONE = []
MANY = [1, 2, 3, 4] * 42535295865117307932921825928971026432
NONE = [] * 42535295865117307932921825928971026432

# CHECK-DAG: SET_TO: unknown
# CHECK-DAG: IN_ORDER: unknown
# CHECK-DAG: ALONE = '{3}'
class Doubled:
    @property
    def v(self): return self.w
    @v.setter
    def v(self, x): self.w = 2 * x
doubled = Doubled()
doubled.v = 4
SET_TO = doubled.v
IN_ORDER = str([{3, 1}])
ALONE = str({3})

# A library calls the functions in its arguments, also those in a list, with the
# other arguments.
# CHECK-DAG: CALLED: unknown
# CHECK-DAG: GIVEN: unknown
# CHECK-DAG: SORTED = [2, 1]
CALLED, GIVEN, SORTED = [], [1], [2, 1]
functools.reduce(lambda _, f: f(), [lambda: CALLED.append(1)], 0)
functools.reduce(lambda to, x: to.append(x) or to, [5], GIVEN)
np.sort(SORTED)

# None has no order; an object may do anything when it is compared.
# CHECK-DAG: REVERSED = [2, 1]
# CHECK-DAG: NO_ORDER: unknown
REVERSED = sorted([1, 2], reverse=True)
try:
    NO_ORDER = sorted([2, 1], reverse=None)
except TypeError:
    NO_ORDER = 0
