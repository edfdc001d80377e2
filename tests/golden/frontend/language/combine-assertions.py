# An assertion in the function of a reduction is checked after the reduction,
# with --debug; an assertion in a branch that is not taken holds.
# RUN: tilec %s --kernel=k --debug --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=k --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
import triton
import triton.language as tl


@triton.jit
def checked(a, b):
    wide = a.to(tl.int64) + b.to(tl.int64)
    tl.device_assert(wide <= 2**31 - 1)
    if a > b:
        tl.device_assert(a > 0, "large")
    return a + b


# CHECK: reduce
# CHECK-NOT: device_assert
# CHECK: yield
# CHECK-NEXT: }
# CHECK: device_assert {{.*}} {message = ""}
# CHECK: device_assert {{.*}} {message = "large"}
# CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
# CHECK-NOT: device_assert
# OFF: reduce
# OFF-NOT: device_assert
# OFF-NOT: extsi
# OFF: yield
@triton.jit
def k(x: "*i32"):
    i = tl.arange(0, 16)
    tl.store(x, tl.reduce(tl.load(x + i), 0, checked))
