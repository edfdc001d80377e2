# The meaning of a name in a function that is not run: a name that the function
# binds anywhere is local everywhere; the body of a class that binds one reads
# the module's, as in CPython; names in a function's lines are no members of it.
# RUN: tilec %s --kernel=classes --signature="*i32" --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=early --signature="*i32" -o - 2>&1 | FileCheck %s --check-prefix=EARLY
# RUN: not tilec %s --kernel=member --signature="*i32" -o - 2>&1 | FileCheck %s --check-prefix=MEMBER
# RUN: tilec %s --kernel=given --signature="*i32" -D passed.size=5 -D passed.path=7 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=PASSED
# RUN: not tilec %s --kernel=default --signature="*i32" -o - 2>&1 | FileCheck %s --check-prefix=DEFAULT
import triton
import triton.language as tl

WIDTH = 1
EARLY = 2
OUTER = 3


def make():
    WIDTH = 20
    OUTER = 30
    FIRST = EARLY
    EARLY = 40

    class Own:
        WIDTH = WIDTH
        TWICE = WIDTH * 2

    class Other:
        WIDE = WIDTH

        class Within:
            WIDTH = WIDTH

    class Set:
        KEPT = OUTER

    Set.OUTER = 5

    # CHECK: constant {value = 1} : i32
    # CHECK: constant {value = 2} : i32
    # CHECK: constant {value = 20} : i32
    # CHECK: constant {value = 1} : i32
    # CHECK: constant {value = 30} : i32
    @triton.jit
    def classes(p):
        tl.store(p, Own.WIDTH)
        tl.store(p + 1, Own.TWICE)
        tl.store(p + 2, Other.WIDE)
        tl.store(p + 3, Other.Within.WIDTH)
        tl.store(p + 4, Set.KEPT)

    # EARLY: error: 'make.EARLY' is computed by host code
    # EARLY: :21:5: note: host code may set it here
    @triton.jit
    def early(p):
        tl.store(p, FIRST)

    # MEMBER: error: 'make' of host code has no attribute 'WIDTH' that is known here
    @triton.jit
    def member(p):
        tl.store(p, make.WIDTH)

    return classes, early, member


make.WIDTH = 50


def passed(size, path):
    before = size
    size = size + 1
    path = open(path)

    # PASSED: constant {value = 5} : i32
    # PASSED: constant {value = 6} : i32
    # PASSED: constant {value = 7} : i32
    @triton.jit
    def given(p):
        tl.store(p, before)
        tl.store(p + 1, size)
        tl.store(p + 2, path)

    return given


def with_default(x=1):
    return x


with_default.__defaults__ = (5,)
DEFAULT = with_default()


# DEFAULT: error: 'with_default' is computed by host code
@triton.jit
def default(p):
    tl.store(p, DEFAULT)
