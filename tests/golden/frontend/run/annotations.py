# Annotations are evaluated with their line: those of names in a module or
# class, and those of functions.
# RUN: tilec --emit=module %s -o - | FileCheck %s
from typing import Optional

SEEN = []
def seen(x):
    SEEN.append(x)
    return int

class Shape: SIZE = 4

a: seen(1) = len(SEEN)
def f(x: seen(2), *rest: seen(3), key: seen(4) = 1) -> seen(5):
    local: seen(0) = 1
    return local
class Point:
    x: seen(6) = 1
    y: seen(7)
f(1)
# CHECK-DAG: ORDER = [1, 2, 3, 4, 5, 6, 7]
# CHECK-DAG: a = 0
ORDER = list(SEEN)

# An annotation that names a type does not change the type.
# CHECK-DAG: SIZE = 4
def g(x: Optional[Shape], y: "Shape | None" = None): return x
SIZE = Shape.SIZE

# CHECK-DAG: CAUGHT = 'NameError'
try:
    def h(x: absent): pass
except NameError as error:
    CAUGHT = type(error).__name__
