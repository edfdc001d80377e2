# The body of a class sees the names around it: it may assign members of other classes (in
# a function that is not run this gives a message), and its own name has its earlier
# meaning there. A class that may not be made: its members may be those of the class above.
# RUN: tilec %s --kernel=above --signature="*i32" --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=either --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EITHER
# RUN: not tilec %s --kernel=within.kernel --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WITHIN
import triton
import triton.language as tl
from settings import FAST


class Sizes:
    WIDTH = 1
    HEIGHT = 1


class Base:
    WIDTH = 10


class Setter(Base):
    WIDTH = 2
    Sizes.WIDTH = WIDTH

    class Inner:
        Sizes.HEIGHT = 3


class Outer:
    class Inner:
        WIDTH = 50


Outer.Inner.WIDTH = 51


class Again:
    WIDTH = 20


class Again(Base):
    HEIGHT = Again.WIDTH + 1
    WIDTH = 30


# In a comprehension, and in a function that the body calls, the name has that
# meaning, too; in a function that is called later it has not.
Late = 60


class Late:
    items = [Late for _ in (1,)]
    called = (lambda: Late)()
    get = lambda: Late
    WIDTH = 61


ITEM, CALLED, GOT = Late.items[0], Late.called, Late.get().WIDTH


# CHECK: constant {value = 2} : i32
# CHECK: constant {value = 3} : i32
# CHECK: constant {value = 21} : i32
# CHECK: constant {value = 30} : i32
# CHECK: constant {value = 51} : i32
# CHECK: constant {value = 60} : i32
# CHECK: constant {value = 60} : i32
# CHECK: constant {value = 61} : i32
@triton.jit
def above(p):
    tl.store(p, Sizes.WIDTH)
    tl.store(p, Sizes.HEIGHT)
    tl.store(p, Again.HEIGHT)
    tl.store(p, Again.WIDTH)
    tl.store(p, Outer.Inner.WIDTH)
    tl.store(p, ITEM)
    tl.store(p, CALLED)
    tl.store(p, GOT)


def within():
    class Local:
        DEPTH = 40

    class Setter:
        Local.DEPTH = 41

    # WITHIN: error: 'within.Local.DEPTH' is computed by host code
    @triton.jit
    def kernel(p):
        tl.store(p, Local.DEPTH)


class Root:
    DEPTH = 60


class Left(Root):
    pass


class Right(Root):
    DEPTH = 61


# Python searches Root last.
class Diamond(Left, Right):
    pass


if FAST:

    class Either(Base):
        HEIGHT = 1

else:

    class Either(Sizes):
        HEIGHT = 1


# EITHER: error: 'Either.WIDTH' is computed by host code
@triton.jit
def either(p):
    tl.store(p, Either.WIDTH)
    tl.store(p, Diamond.DEPTH)
    # EITHER: error: 'Diamond.DEPTH' is computed by host code
