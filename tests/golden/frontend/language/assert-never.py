# An assertion of a constant that is False is an error if every run reaches it,
# and fails at run time if a run-time condition or a loop is around it.
# RUN: tilec %s --kernel=kinds --debug --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=wrong -o - 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: not tilec run %s --debug --kernel=kinds --device=cpu --grid=1 --arg x=zeros:i32[1] --arg kind=2 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: tilec run %s --debug --kernel=kinds --device=cpu --grid=1 --arg x=zeros:i32[1] --arg kind=1
# RUN: not tilec %s --kernel=counts -o - 2>&1 | FileCheck %s --check-prefix=COUNTS
import triton
import triton.language as tl


@triton.jit
def kinds(x: "*i32", kind: "i32"):
    # CHECK: %[[NO:.*]] = constant {value = false} : i1
    # CHECK: device_assert %[[NO]] {message = "no such kind"}
    # FAILS: no such kind
    if kind == 0:
        tl.store(x, 3)
    elif kind == 1:
        tl.store(x, 4)
    else:
        assert False, "no such kind"


@triton.jit
def wrong(x: "*i32"):
    tl.store(x, 3)
    # WRONG: [[@LINE+1]]:12: error: assertion failed: never
    assert False, "never"


# A function that runs while compiling has no run-time paths.
@triton.constexpr_function
def checked(n):
    for i in range(n):
        assert i < 2, "too many"
    return n


@triton.jit
def counts(x: "*i32"):
    # COUNTS: error: assertion failed: too many
    tl.store(x, checked(3))
