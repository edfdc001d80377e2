# A chain of comparisons is an `and` of its links: constants decide first, then
# all others at once, of tiles and in conditions.
# RUN: tilec %s --kernel=chains --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=bits --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=BITS
import triton
import triton.language as tl


# CHECK: %[[A:.*]] = cmpi %{{.*}}, %i {predicate = le} : i1
# CHECK: %[[B:.*]] = cmpi %i, %n {predicate = lt} : i1
# CHECK: %[[C:.*]] = andi %[[A]], %[[B]] : i1
# CHECK: if %[[C]]
# CHECK: cmpi {{.*}}predicate = le} : tile<16xi1>
# CHECK: cmpi {{.*}}predicate = lt} : tile<16xi1>
# CHECK: cmpi %n, %i {predicate = ne} : i1
# CHECK: andi
# CHECK: %[[M:.*]] = andi
# CHECK: store {{.*}} mask(%[[M]])
# CHECK: %[[TWO:.*]] = constant {value = 2} : i32
# CHECK-NEXT: cmpi %[[TWO]], %{{.*}} {predicate = lt} : i1
# CHECK-NOT: store
@triton.jit
def chains(x: "*i32", n: "i32"):
    i = tl.program_id(0)
    if 0 <= i < n:
        j = tl.arange(0, 16)
        tl.store(x + j, 1, mask=0 <= j < n != i)
    while 1 < 2 < n:
        n -= 1
    if i < n and 3 < 2 < n:
        tl.store(x, 2)


# BITS: [[#@LINE+4]]:30: warning: '&' binds tighter than '>': this is a chained comparison; write '(i > 0) & (i < n)'
@triton.jit
def bits(x: "*i32", n: "i32"):
    i = tl.arange(0, 16)
    tl.store(x + i, 1, i > 0 & i < n)
