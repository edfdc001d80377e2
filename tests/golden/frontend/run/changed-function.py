# A function that is given other defaults does something else.
# RUN: tilec --emit=module %s -o - | FileCheck %s
def width(x=1): return x
BEFORE = width()
width.__defaults__ = (9,)
# CHECK: BEFORE: unknown
# CHECK-NOT: AFTER =
AFTER = width()
