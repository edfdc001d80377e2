# Triton refuses unused results of methods and negative waits, and accepts
# options without effect.
# RUN: not tilec %s --kernel=unused --signature='*fp32' -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNUSED
# RUN: not tilec %s --kernel=waits --signature='*i32, i32' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WAITS
# RUN: tilec %s --kernel=constants --signature='*i32, 4, i32' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONSTANTS
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    x: tl.tensor

    def __init__(self, x):
        self.x = x

    @triton.must_use_result
    @triton.jit
    def twice(self):
        return Pair(self.x * 2)

    @triton.must_use_result("a pair stays as it is")
    @triton.jit
    def half(self):
        return Pair(self.x / 2)


@triton.jit
def unused(p):
    x = Pair(tl.load(p))
    # UNUSED: [[@LINE+1]]:5: error: the result of 'Pair.twice' is not used
    x.twice()
    # UNUSED: [[@LINE+1]]:5: error: the result of 'Pair.half' is not used; a pair stays as it is
    x.half()
    # UNUSED-NOT: error
    x = x.half()


@triton.jit
def waits(p, n):
    # WAITS: [[@LINE+1]]:37: error: 'timeout_ns' of 'atomic_poll' wants 0 or more, found constant -1
    tl.atomic_poll(p, 1, timeout_ns=-1)
    # WAITS-NOT: error
    tl.atomic_poll(p, 1, timeout_ns=0)
    tl.atomic_poll(p, 1, timeout_ns=n)


# CONSTANTS: [[@LINE+3]]:32: warning: 'do_not_specialize' names 'N', which is a constexpr and stays one
# CONSTANTS: [[@LINE+2]]:75: warning: 'do_not_specialize_on_alignment' names 'N', which is a constexpr and stays one
# CONSTANTS-NOT: warning
@triton.jit(do_not_specialize=["N", "n"], do_not_specialize_on_alignment=[1, 2])
def constants(p, N: tl.constexpr, n):
    tl.store(p, n + N)
