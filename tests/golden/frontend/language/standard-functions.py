# Functions with which Triton's own reductions combine, passed to other ones.
# RUN: tilec %s --signature='*i32, *i32' --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --signature='*fp32, *i32' --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLOAT
import triton
import triton.language as tl
from triton.language.standard import _sum_combine


@triton.jit
def largest(v1, i1, v2, i2):
    return tl.standard._argmax_combine(v1, i1, v2, i2, True)


# CHECK: reduce inputs(%a)
# CHECK-NEXT: addi
# CHECK: reduce inputs(%a)
# CHECK-NEXT: xori
# CHECK: reduce inputs(%a, %i) {axis = 0} : i32, i32 ([[V1:%[0-9]+]]: i32, [[I1:%[0-9]+]]: i32, [[V2:%[0-9]+]]: i32, [[I2:%[0-9]+]]: i32)
# CHECK-NEXT: %first = cmpi [[V1]], [[V2]] {predicate = gt}
# CHECK-NEXT: [[EQUAL:%[0-9]+]] = cmpi [[V1]], [[V2]] {predicate = eq}
# CHECK-NEXT: [[BEFORE:%[0-9]+]] = cmpi [[I1]], [[I2]] {predicate = lt}
# CHECK-NEXT: [[TIE:%[0-9]+]] = andi [[EQUAL]], [[BEFORE]]
# CHECK-NEXT: [[FIRST:%first_[0-9]+]] = ori %first, [[TIE]]
# CHECK-NEXT: select [[FIRST]], [[V1]], [[V2]]
# CHECK-NEXT: select [[FIRST]], [[I1]], [[I2]]
# CHECK: reduce inputs(%a, %i)
# CHECK-NEXT: cmpi {{.*}} {predicate = lt}
# CHECK-NEXT: select
# CHECK: scan inputs(%a)
# CHECK-NEXT: maxsi
@triton.jit
def k(x, out):
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    tl.store(out, tl.reduce(a, 0, _sum_combine))
    # FLOAT: error: '^' is for integers, found fp32 and fp32
    tl.store(out + 1, tl.reduce(a, 0, tl.standard._xor_combine))
    tl.store(out + 2, tl.reduce((a, i), 0, largest)[1])
    tl.store(out + 3, tl.reduce((a, i), 0, tl.standard._argmin_combine_tie_break_fast)[1])
    tl.store(out + i, tl.associative_scan(a, 0, tl.standard._elementwise_max))
