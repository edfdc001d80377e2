# Functions of the host mark kernels by calls and by names of their own; if no
# kernel can be found, a message names the mark.
# RUN: tilec %s --kernel=called --stop-after=frontend -o - | FileCheck %s --check-prefix=CALLED
# RUN: tilec %s --kernel=renamed --stop-after=frontend -o - | FileCheck %s --check-prefix=RENAMED
# RUN: tilec %s --kernel=aliased --stop-after=frontend -o - | FileCheck %s --check-prefix=ALIASED
# RUN: tilec %s --kernel=decorated --stop-after=frontend -o - | FileCheck %s --check-prefix=DECORATED
# RUN: tilec %s --kernel=cached --stop-after=frontend -o - | FileCheck %s --check-prefix=CACHED
# RUN: tilec %s --kernel=twice --stop-after=frontend -o - | FileCheck %s --check-prefix=TWICE
# RUN: not tilec %s --kernel=late -o - 2>&1 | FileCheck %s --check-prefix=LATE
# RUN: not tilec %s --kernel=listed -o - 2>&1 | FileCheck %s --check-prefix=LISTED
import functools

import triton
import triton.language as tl

WIDTH = 8


# CALLED: kernel @make.called(
# RENAMED: kernel @make.renamed(
# ALIASED: kernel @make.aliased(
# DECORATED: kernel @make.decorated(
def make():
    def called(x: "*i32"):
        tl.store(x, 1)

    called = triton.jit(called)

    def plain(x: "*i32"):
        tl.store(x, 1)

    renamed = triton.jit(plain)
    mine = triton.jit

    @mine
    def aliased(x: "*i32"):
        tl.store(x, 1)

    def mark(function):
        return triton.jit(function)

    @mark
    def decorated(x: "*i32"):
        tl.store(x, 1)

    return called, renamed, aliased, decorated


# CACHED: kernel @once.cached(
def once():
    @triton.jit
    def cached(x: "*i32"):
        tl.store(x, 1)

    return cached


once = functools.lru_cache(once)


class both:
    WIDTH = 4


# TWICE: kernel @both.twice(
# TWICE: constant {value = 8}
def both():
    @triton.jit
    def twice(x: "*i32"):
        tl.store(x, WIDTH)

    return twice


# LATE: error: 'late' is no kernel: Triton compiles a 'def', and not an 'async def'
@triton.jit
async def late(x: "*i32"):
    tl.store(x, 1)


# LISTED: error: 'listed' is not a kernel: it is not marked @jit
# LISTED: :[[@LINE+5]]:19: note: only running the host code shows the result for 'listed' here
def listed(x: "*i32"):
    tl.store(x, 1)


kernels = {"one": triton.jit(listed)}
