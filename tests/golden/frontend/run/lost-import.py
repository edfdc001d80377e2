# An import of all names, of a module that may have failed before, may bind any
# name.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "import absent\nNAME = 2\n" > %t.d/helper.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
# CHECK-NOT: NAME = 1
# CHECK: NAME: unknown
NAME = 1
try:
    import helper
except ImportError:
    pass
from helper import *
