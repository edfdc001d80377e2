# A tuple that an unrolled loop nests again and again has a limit; an item more
# than the names of an assignment was dropped up to Triton 3.8, but not in Python.
# RUN: not tilec %s --kernel=doubled -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=nested -o - 2>&1 | FileCheck %s --check-prefix=DEEP
# RUN: not tilec %s --kernel=added -o - 2>&1 | FileCheck %s --check-prefix=SUM
# RUN: not tilec %s --kernel=formatted -o - 2>&1 | FileCheck %s --check-prefix=FORMAT
# RUN: not tilec %s --kernel=replaced -o - 2>&1 | FileCheck %s --check-prefix=REPLACE
# RUN: not tilec %s --kernel=counted -o - 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: tilec %s --kernel=far --stop-after=frontend -o - | FileCheck %s --check-prefix=FAR
# RUN: tilec %s --triton=3.8 --kernel=dropped --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=DROP
# RUN: not tilec %s --kernel=dropped -o - 2>&1 | FileCheck %s --check-prefix=MANY
# RUN: not tilec %s --kernel=python -o - 2>&1 | FileCheck %s --check-prefix=PYTHON
import triton
import triton.language as tl


@triton.jit
def doubled(p: "*i32", n: "i32"):
    t = [n]
    for i in tl.static_range(50):
        # CHECK: [[#@LINE+1]]:13: error: this tuple is too long
        t = [t, t]


@triton.jit
def nested(p: "*i32"):
    t = 1
    for i in tl.static_range(30000):
        # DEEP: [[#@LINE+1]]:13: error: this nests too deeply
        t = (t,)


@triton.jit
def added(p: "*i32"):
    t = ((1,) * 5000,)
    for i in tl.static_range(50):
        # SUM: [[#@LINE+1]]:9: error: this tuple is too long
        t += t


@triton.jit
def formatted(p: "*i32"):
    s = "ab"
    for i in tl.static_range(50):
        # FORMAT: [[#@LINE+1]]:13: error: this string is too long
        s = f"{s}{s}"


@triton.jit
def replaced(p: "*i32"):
    s = "a"
    for i in tl.static_range(50):
        # REPLACE: [[#@LINE+1]]:13: error: this string is too long
        s = s.replace("a", "aa")


# A value that is dropped at once counts, too.
@triton.jit
def counted(p: "*i32"):
    t = (0,) * 4000
    # COUNT: [[#@LINE+1]]:{{[0-9]+}}: error: this kernel is too big
    tl.store(p, len([len([0 for a in t]) for b in t]))


# Two trips: the third would be past 64 bits.
# FAR: store %p
# FAR: store %p
# FAR-NOT: store %p
@triton.jit
def far(p: "*i64"):
    for i in tl.static_range(0, 9223372036854775807, 4611686018427387904):
        tl.store(p, i)


# MANY: [[#@LINE+4]]:5: error: 3 values are unpacked into 2 names
# DROP: [[#@LINE+3]]:5: warning: 3 values are unpacked into 2 names; the last are dropped
@triton.jit
def dropped(p: "*i32", n: "i32"):
    a, b = tl.program_id(0), n, tl.program_id(2)
    # DROP: [[#@LINE+2]]:9: warning: 3 values are unpacked into 2 names; the last are dropped
    for i in range(n):
        a, b = a + i, b, 3
    # DROP: addptr %p, %n
    tl.store(p + b, a)


@triton.constexpr_function
def unpacked():
    # PYTHON: [[#@LINE+1]]:5: error: 3 values are unpacked into 2 names
    a, b = 1, 2, 3
    return a


@triton.jit
def python(p: "*i32"):
    tl.store(p, unpacked())
