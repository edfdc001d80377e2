# `.value` of a constexpr, of members of Triton's enums, and of values without it.
# RUN: tilec %s --kernel=there --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=none -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def there(p: "*i32", T: tl.constexpr = tl.float16, N: tl.constexpr = (1, 2)):
    tl.static_assert(T.value == tl.float16)
    tl.static_assert(N.value == (1, 2))
    tl.static_assert("text".value == "text")
    tl.static_assert(tl.int32.int_signedness.value == 0)
    tl.static_assert(tl.uint8.int_signedness.value == 1)
    tl.static_assert(tl.dtype.KIND.FLOATING.value == 2)
    tl.store(p, 1)


@triton.jit
def none(p: "*i32"):
    # CHECK: [[#@LINE+1]]:32: error: type fp32 has no attribute 'value'
    tl.static_print(tl.float32.value)
    # CHECK: [[#@LINE+1]]:29: error: {{.*}} has no attribute 'value'
    tl.static_print(p.dtype.value)
    # CHECK: [[#@LINE+1]]:26: error: string 'x' has no attribute 'value'
    tl.static_print(f"x".value)
    # CHECK: [[#@LINE+1]]:28: error: tuple of 2 has no attribute 'value'
    tl.static_print((1, 2).value)
