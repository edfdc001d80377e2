# A star imports the names of `__all__`, of a tuple, too, and raises if a name
# is missing.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "__all__ = ('A', '_B')\nA = 1\n_B = 2\nC = 3\n" > %t.d/pair.py
# RUN: printf "__all__ = ['D', 'E']\nD = 4\n" > %t.d/lacks.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
# CHECK: C = 7
C = 7
# CHECK: A = 1
# CHECK: _B = 2
from pair import *
# CHECK: LACKS = 1
try:
    from lacks import *
    LACKS = 0
except AttributeError:
    LACKS = 1
