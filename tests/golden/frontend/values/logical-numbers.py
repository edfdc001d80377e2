# 'and', 'or' and 'not' need int1, or a pointer, which is null or not; 'assume'
# needs int1.
# RUN: tilec %s --kernel=there --stop-after=frontend -o - | FileCheck %s --check-prefix=THERE
# RUN: tilec %s --kernel=decided -o /dev/null
# RUN: not tilec %s --kernel=numbers -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


# THERE-DAG: ptrtoint %q
# THERE-DAG: ptrtoint %p
@triton.jit
def there(p: "*i32", q: "*i32"):
    if p and not q:
        tl.store(p, 1)


# A constant that decides is evaluated before the others are joined.
@triton.jit
def decided(p: "*i32", n: "i32", no: tl.constexpr = False):
    if n > 0 and n and no:
        tl.store(p, unknown)
    if not (n > 0 or n or not no):
        tl.store(p, unknown)


@triton.jit
def numbers(p: "*i32", n: "i32"):
    x = tl.load(p + tl.arange(0, 4))
    # CHECK: [[#@LINE+1]]:14: error: 'and' wants int1, found int32; compare it with 0
    if p and n:
        tl.store(p, 1)
    # CHECK: [[#@LINE+1]]:8: error: 'not' wants int1, found int32; compare it with 0
    if not n:
        tl.store(p, 1)
    # CHECK: [[#@LINE+1]]:9: error: 'logical_or' wants int1, found tile of int32 [4]; compare it with 0
    y = x.logical_or(x > 0)
    # CHECK: [[#@LINE+1]]:15: error: 'assume' wants int1, found int32; compare it with 0
    tl.assume(n)
    # CHECK: [[#@LINE+1]]:15: error: one value is wanted here, found tile of int1 [4]
    tl.assume(x > 0)
