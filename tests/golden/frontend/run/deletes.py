# Attributes that are deleted: of functions, objects and members of an Enum.
# Values that are known are those of CPython.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import enum
# CHECK: DEFAULTS: unknown
# CHECK: CALLED: unknown
def width(x=1): return x
try:
    del width.__defaults__
    DEFAULTS = 1
except AttributeError:
    DEFAULTS = 2
try:
    CALLED = width()
except TypeError:
    CALLED = 2
# CHECK: MEMBER: unknown
class Kind(enum.Enum): A = 1
try:
    del Kind.A
    MEMBER = 1
except AttributeError:
    MEMBER = 2
# CHECK: READ_ONLY = 2
# CHECK: GONE = False
class Box:
    @property
    def size(self): return 1
box = Box()
box.kept = 1
del box.kept
try:
    del box.size
    READ_ONLY = 1
except AttributeError:
    READ_ONLY = 2
GONE = hasattr(box, "kept")
