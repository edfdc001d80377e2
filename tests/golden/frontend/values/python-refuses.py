# Code that Python and Triton refuse, with their messages: dimensions count from
# 0, only a constant has a text, and a number is no sequence.
# RUN: tilec %s --kernel=texts --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=refused -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def refused(p: "*i32", n: "i32"):
    x = tl.load(p + tl.arange(0, 4))
    # CHECK: [[#@LINE+1]]:41: error: [-1, 0] is not a permutation of the dimensions of tile of int32 [2, 2], 0 to 1
    y = tl.permute(tl.reshape(x, 2, 2), -1, 0)
    # CHECK: [[#@LINE+1]]:13: error: 'str' shows constants only, found int32
    y = str(n)
    # CHECK: [[#@LINE+1]]:15: error: 'tuple' wants a tuple, found constant 3
    y = tuple(3)
    # CHECK: [[#@LINE+1]]:12: error: 'c' is no format for constant -1
    y = f"{-1:c}"
    # CHECK: [[#@LINE+1]]:12: error: '+' is no format for string 'ab'
    y = f"{'ab':+}"
    # CHECK: [[#@LINE+1]]:12: error: ',x' is no format for constant 3
    y = f"{3:,x}"
    # CHECK: [[#@LINE+1]]:12: error: '>5' is no format for None
    y = f"{None:>5}"


@triton.jit
def texts(p: "*i32"):
    tl.static_assert(list("ab") == ["a", "b"])
    tl.static_assert(f"{98:c}{8364:>2c}" == "b €")
    tl.store(p, 1)

# Backs I5 of frontend/python.
