# A walrus in the body of a lambda binds a name of the lambda; in a default it is
# the module's.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=bound --stop-after=frontend -o - | FileCheck %s --check-prefix=BOUND
import triton
import triton.language as tl

A, B = 1, 1
OF_CALL = (lambda: (A := 2))()
TABLE = {"a": lambda: [(A := i) for i in range(2)][1], "b": lambda x: (A := x)}
OF_TABLE = TABLE["a"]() + TABLE["b"](10)
GIVEN = (lambda b=(B := 3), *c: b)()


# CHECK: constant {value = 1} : i32
# CHECK: constant {value = 2} : i32
# CHECK: constant {value = 11} : i32
@triton.jit
def known(p: "*i32"):
    tl.store(p, A)
    tl.store(p, OF_CALL)
    tl.store(p, OF_TABLE)


# BOUND: constant {value = 3} : i32
@triton.jit
def bound(p: "*i32"):
    tl.store(p, B)
