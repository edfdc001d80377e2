# A class whose lines, and whose bases, show all its members has no others; if
# other code may add members, they are unknown.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import elsewhere
import triton
import triton.language as tl


class Base(object):
    WIDTH = 1


class Config(Base):
    DEPTH = 2

    def grow(self):
        self.SIZE = 3


@elsewhere.register
class Decorated:
    WIDTH = 1


class Derived(elsewhere.Base):
    WIDTH = 1


class Assigned:
    WIDTH = 1


class Loop:
    for i in range(2):
        locals()[f"LATE{i}"] = i


def assign():
    Assigned.LATE = 5


ALL = (hasattr(Config, "WIDTH"), hasattr(Config, "DEPTH"), hasattr(Config, "LATE0"))
GIVEN = getattr(Config, "HEIGHT", 7)


# CHECK: constant {value = 7} : i32
@triton.jit
def known(p: "*i32"):
    tl.static_assert(ALL == (True, True, False))
    tl.static_assert(not hasattr(Base, "DEPTH") and not hasattr(Config, "SIZE"))
    tl.store(p, GIVEN)


# UNKNOWN: error: 'Decorated.LATE' is computed by host code
# UNKNOWN: error: 'Derived.LATE' is computed by host code
# UNKNOWN: error: 'Assigned.LATE' is computed by host code
# UNKNOWN: error: 'Loop.LATE0' is computed by host code
@triton.jit
def unknown(p: "*i32"):
    tl.static_print(hasattr(Decorated, "LATE"))
    tl.static_print(hasattr(Derived, "LATE"))
    tl.static_print(hasattr(Assigned, "LATE"))
    tl.static_print(hasattr(Loop, "LATE0"))
