# A function that gets other defaults does something else: from then on its
# results are unknown.
# RUN: tilec --emit=module %s -o - | FileCheck %s
def width(x=1): return x
# CHECK: BEFORE = 1
BEFORE = width()
width.__defaults__ = (9,)
# CHECK-NEXT: os: a module
import os
# CHECK-NEXT: later: a function
def later(): pass
# CHECK-NEXT: Later: a class
class Later: INNER = 1
# CHECK-NEXT: A: unknown
# CHECK-NEXT: i: unknown
# CHECK-NEXT: B: unknown
if (A := width()):
    for i in range(3): B = 1
# CHECK-NEXT: AFTER: unknown
# CHECK-NOT: unknown
AFTER = width()
