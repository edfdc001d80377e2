# A function that is given other defaults does something else: from there on
# nothing is known, but which names are bound.
# RUN: tilec --emit=module %s -o - | FileCheck %s
def width(x=1): return x
# CHECK: BEFORE: unknown
BEFORE = width()
width.__defaults__ = (9,)
# CHECK-NEXT: os: unknown
import os
# CHECK-NEXT: later: unknown
def later(): pass
# CHECK-NEXT: Later: unknown
class Later: INNER = 1
# CHECK-NEXT: A: unknown
# CHECK-NEXT: i: unknown
# CHECK-NEXT: B: unknown
if (A := width()):
    for i in range(3): B = 1
# CHECK-NEXT: AFTER: unknown
# CHECK-NOT: unknown
AFTER = width()
