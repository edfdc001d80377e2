# Kernels in functions that are in functions, which see the names of all of
# these, but not of a class around them; kernels that a function marks and
# returns; and kernels in `async` functions.
# RUN: tilec %s --kernel=make.middle.deep --signature="*i32" --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=scaled --signature="*i32" -D make.scale=3 --stop-after=frontend -o - | FileCheck %s --check-prefix=SCALED
# RUN: tilec %s --kernel=method --signature="*i32" --stop-after=frontend -o - | FileCheck %s --check-prefix=METHOD
# RUN: tilec %s --kernel=plain --signature="*i32" --stop-after=frontend -o - | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --kernel=tuned --signature="*i32" --stop-after=frontend -o - | FileCheck %s --check-prefix=TUNED
# RUN: tilec %s --kernel=later --signature="*i32" --stop-after=frontend -o - | FileCheck %s --check-prefix=LATER
# RUN: not tilec %s --kernel=changed --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
# RUN: not tilec %s --kernel=awaited --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AWAITED
import triton
import triton.language as tl

WIDTH = 1


def make(scale):
    WIDTH, DEPTH, ITEMS, COUNT = 2, 10, [1], 5

    def middle():
        nonlocal COUNT
        BOTH = WIDTH + DEPTH
        ITEMS.append(2)
        COUNT = 6

        class Kernels:
            WIDTH = 50

            # METHOD: constant {value = 2} : i32
            @staticmethod
            @triton.jit
            def method(x):
                tl.store(x, WIDTH)

        # CHECK: kernel @make.middle.deep(
        # CHECK: constant {value = 14} : i32
        @triton.jit
        def deep(x):
            tl.store(x, WIDTH + BOTH)

        # SCALED: constant {value = 3} : i32
        @triton.jit
        def scaled(x):
            tl.store(x, scale)

        # CHANGED: error: 'make.ITEMS' is computed by host code
        # CHANGED: error: 'make.middle.COUNT' is computed by host code
        @triton.jit
        def changed(x):
            tl.store(x, ITEMS[0])
            tl.store(x, COUNT)

        return deep, scaled, changed, Kernels

    return middle()


def mark():
    # PLAIN: kernel @mark.plain(
    def plain(x):
        tl.store(x, 1)

    return triton.jit(plain)


def tune():
    # TUNED: constant {value = 4} : i32
    def tuned(x, BLOCK: tl.constexpr):
        tl.store(x, BLOCK)

    return triton.autotune([triton.Config({"BLOCK": 4})], key=[])(
        triton.jit(tuned)
    )


async def build():
    DEPTH = 7

    # LATER: constant {value = 7} : i32
    @triton.jit
    def later(x):
        tl.store(x, DEPTH)

    return later


VALUE = build()


# AWAITED: error: {{.*}}'VALUE'
@triton.jit
def awaited(x):
    tl.store(x, VALUE)
