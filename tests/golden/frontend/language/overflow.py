# With `debug`, a result that does not fit its type stops the launch: one check
# a sum, as in Triton.
# RUN: tilec %s --kernel=k --debug --signature='*u8, i32, u32, i64, i16' --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=k --signature='*u8, i32, u32, i64, i16' --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
# RUN: tilec %s --kernel=tuned --debug --signature='*u8, i32, u32, i64, i16' --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
# RUN: tilec run %s --kernel=sums --device=cpu --grid=1 --arg x=zeros:i32[1] --arg n=2147483640 --debug
# RUN: not tilec run %s --kernel=sums --device=cpu --grid=1 --arg x=zeros:i32[1] --arg n=2147483645 --debug 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: tilec run %s --kernel=sums --device=cpu --grid=1 --arg x=zeros:i32[1] --arg n=2147483645
# RUN: not tilec run %s --kernel=zeros --device=cpu --grid=1 --arg x=zeros:fp32[4] --arg n=-1 --debug 2>&1 | FileCheck %s --check-prefix=ZERO
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


# CHECK-LABEL: kernel @k
# OFF: kernel @
@triton.jit
def k(p, n, u, l, h):
    i = tl.arange(0, 16)
    # CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
    a = n + i
    # CHECK: constant {value = 4294967295} : i64
    # CHECK: constant {value = 0} : i64
    # CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation sub"}
    a = u - 1
    # CHECK: constant {value = 32767} : i64
    # CHECK: constant {value = -32768} : i64
    # CHECK: device_assert {{.*}} {message = "int16 overflow detected for operation mul"}
    a = h * h
    # CHECK: device_assert {{.*}} {message = "int8 overflow detected for operation sub"}
    a = -tl.load(p)
    # CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
    a = tl.add(n, n)
    # CHECK: device_assert {{.*}} {message = "int1 overflow detected for operation add"}
    a = (n > 1) + (n > 2)
    # CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
    n += 1
    # CHECK: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
    a = tl.reduce(i, 0, add)
    # CHECK-NOT: device_assert
    # OFF-NOT: device_assert
    a = tl.add(n, n, sanitize_overflow=False)
    a = l + n + 1
    a = n // 3 + 1.5
    a = (n << 3) ^ (n & 7) % 5
    a = tl.randint(n, i)
    for j in range(0, n, 2):
        tl.store(p + i + j, j)


@triton.autotune([triton.Config({"sanitize_overflow": False})], key=[])
@triton.jit
def tuned(p, n, u, l, h):
    tl.store(p, -n + n * n)


# FAILS: overflow.py:[[@LINE+3]]: assertion failed: int32 overflow detected for operation add
@triton.jit
def sums(x, n):
    tl.store(x, n + 7)


# ZERO: overflow.py:[[@LINE+4]]: assertion failed: expect_zero expected x == 0 where mask is true, in program (0, 0, 0), element 1
@triton.jit
def zeros(x, n):
    i = tl.arange(0, 4)
    v = tl.expect_zero(tl.exp((i * n).to(tl.float32)), i > 0)
    tl.store(x + i, v)
