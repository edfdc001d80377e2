# With `debug`, sums and products within a reduction or scan are checked too, in
# the order in which the device combines: the number of the check that failed is
# combined beside the values.
# RUN: tilec %s --kernel=sum_of --debug --stop-after=frontend -o - | FileCheck %s --check-prefix=SUM
# RUN: tilec %s --kernel=scans --debug --stop-after=frontend -o - | FileCheck %s --check-prefix=SCAN
# RUN: tilec %s --kernel=unchecked --debug --stop-after=frontend -o - | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --kernel=sum_of --stop-after=frontend -o - | FileCheck %s --check-prefix=NONE
# RUN: tilec run %s --kernel=rows --debug --device=cpu --grid=1 --arg 'x=full(2147483647):i32[8x1]' --arg y=zeros:i32[8]
# RUN: tilec run %s --kernel=rows --debug --device=sim --grid=1 --arg 'x=full(2147483647):i32[8x1]' --arg y=zeros:i32[8]
# RUN: not tilec run %s --kernel=rows --debug --device=cpu --grid=1 --arg 'x=full(2147483647):i32[8x1]' --arg y=zeros:i32[8] --arg ROW=5 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: not tilec run %s --kernel=rows --debug --device=sim --grid=1 --arg 'x=full(2147483647):i32[8x1]' --arg y=zeros:i32[8] --arg ROW=5 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: tilec run %s --kernel=prefixes --debug --device=cpu --grid=1 --arg x=zeros:u32[64] --arg AT=64
# RUN: tilec run %s --kernel=prefixes --debug --device=sim --grid=1 --arg x=zeros:u32[64] --arg AT=64
# RUN: not tilec run %s --kernel=prefixes --debug --device=cpu --grid=1 --arg x=zeros:u32[64] --arg AT=37 2>&1 | FileCheck %s --check-prefix=PREFIX
# RUN: not tilec run %s --kernel=prefixes --debug --device=sim --grid=1 --arg x=zeros:u32[64] --arg AT=37 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: tilec run %s --kernel=branches --debug --device=cpu --grid=1 --arg 'x=full(1):i32[64]' --arg y=zeros:i32[1]
# RUN: tilec run %s --kernel=branches --debug --device=sim --grid=1 --arg 'x=full(1):i32[64]' --arg y=zeros:i32[1]
# RUN: not tilec run %s --kernel=branches --debug --device=cpu --grid=1 --arg 'x=full(-9):i32[64]' --arg y=zeros:i32[1] 2>&1 | FileCheck %s --check-prefix=BRANCH
# RUN: not tilec run %s --kernel=branches --debug --device=sim --grid=1 --arg 'x=full(-9):i32[64]' --arg y=zeros:i32[1] 2>&1 | FileCheck %s --check-prefix=BRANCH
# RUN: tilec run %s --kernel=sixteen --debug --device=cpu --grid=1 --arg 'x=full(3):i32[64]'
# RUN: tilec run %s --kernel=sixteen --debug --device=sim --grid=1 --arg 'x=full(3):i32[64]'
# RUN: not tilec run %s --kernel=sixteen --debug --device=cpu --grid=1 --arg 'x=full(100000000):i32[64]' 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: not tilec run %s --kernel=sixteen --debug --device=sim --grid=1 --arg 'x=full(100000000):i32[64]' 2>&1 | FileCheck %s --check-prefix=FAILS
import triton
import triton.language as tl


# One check, as Triton 3.9 has it in its region.
# SUM: [[S:%.*]], [[N:%.*]] = reduce inputs({{.*}}, {{.*}}) {axis = 0} : i32, i32
# SUM: constant {value = 2147483647} : i64
# SUM: constant {value = -2147483648} : i64
# SUM-NOT: device_assert
# SUM: yield
# SUM: cmpi [[N]], {{.*}} {predicate = ne} : i1
# SUM: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
# SUM-NOT: device_assert
# NONE-NOT: device_assert
# NONE-NOT: i64
@triton.jit
def sum_of(x: '*i8', y: '*i32'):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, 16)), 0))


# SCAN: scan inputs({{.*}}, {{.*}}) {axis = 0, reverse = true} : tile<16xi32>, tile<16xi32>
# SCAN: device_assert {{.*}} {message = "int32 overflow detected for operation add"}
# SCAN: constant {value = 4294967295} : i64
# SCAN: device_assert {{.*}} {message = "int32 overflow detected for operation mul"}
# SCAN: device_assert {{.*}} {message = "mine"}
# SCAN: device_assert {{.*}} {message = "int16 overflow detected for operation sub"}
# SCAN-NOT: device_assert
@triton.jit
def mine(a, b):
    tl.device_assert(a != b, "mine", mask=a > 7)
    return (a - b).to(tl.int16)


@triton.jit
def scans(p: '*i16', u: '*u32'):
    i = tl.arange(0, 16)
    v = tl.load(p + i)
    tl.store(p + i, tl.cumsum(v, reverse=True))
    tl.store(u + i, tl.cumprod(tl.load(u + i), 0))
    tl.store(p, tl.reduce(v, 0, mine))


# Sums of 64 bits, floats, bits and orders are not checked.
@triton.jit
def unchecked(p: '*i32', f: '*fp32'):
    i = tl.arange(0, 16)
    v = tl.load(p + i)
    tl.store(p, tl.xor_sum(v) + (tl.argmax(v, 0) | tl.max(v)) * 1.0)
    tl.store(f, tl.sum(tl.load(f + i)))


# ROWS: overflow-combined.py:[[@LINE+6]]: assertion failed: int32 overflow detected for operation add, in program (0, 0, 0), element 5
# FAILS: int32 overflow detected for operation add
@triton.jit
def rows(x, y, ROW: tl.constexpr = 8):
    r, c = tl.arange(0, 8), tl.arange(0, 64)
    v = tl.load(x + r[:, None]) * (c == 9)[None, :] + (c == 60)[None, :] * (r == ROW)[:, None]
    tl.store(y + r, tl.sum(v, 1))


# PREFIX: overflow-combined.py:[[@LINE+6]]: assertion failed: int32 overflow detected for operation add, in program (0, 0, 0), element 37
@triton.jit
def prefixes(x, AT: tl.constexpr):
    i = tl.arange(0, 64)
    v = tl.where(i == 3, 4294967295, 0)
    v += (i == AT).to(tl.int64)
    tl.store(x + i, tl.cumsum(v.to(tl.uint32), 0))


# Only assertions of a branch that is taken count.
# BRANCH: overflow-combined.py:[[@LINE+5]]: {{.*}}negative
@triton.jit
def of_branch(a, b):
    if a < 0:
        if b < 0:
            tl.device_assert(a + b > -10, "negative")
        r = a
    else:
        tl.device_assert(a == 1)
        r = b
    return r


@triton.jit
def branches(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 64)), 0, of_branch))


# The most values that a reduction takes.
@triton.jit
def each(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P):
    return a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p + P


@triton.jit
def sixteen(x):
    v = tl.load(x + tl.arange(0, 64))
    r = tl.reduce((v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v), 0, each)
    tl.store(x, r[15])
