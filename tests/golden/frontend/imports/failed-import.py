# After an import of a missing module, the rest of the `try` does not run: a
# function that the handler defines, too, is the handler's.
# RUN: tilec %s --kernel=absent --signature='*fp32' --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=found --signature='*fp32' --stop-after=frontend -o - | FileCheck %s --check-prefix=FOUND
# RUN: tilec %s --kernel=alone --signature='*fp32' --stop-after=frontend -o - | FileCheck %s --check-prefix=ALONE
import triton
import triton.language as tl

try:
    from triton.language.extra.cuda import libdevice
    from triton.language.extra.nosuch import fast

    @triton.jit
    def of_absent(x):
        return fast.exp(x)

    @triton.jit
    def of_body(x):
        return x * 3.0
except ImportError:

    @triton.jit
    def of_absent(x):
        return x + 6.0


try:
    from triton.language.extra import libdevice

    @triton.jit
    def of_found(x):
        return libdevice.rint(x)
except ImportError:

    @triton.jit
    def of_found(x):
        return x + 6.0


# CHECK: addf
@triton.jit
def absent(x):
    tl.store(x, of_absent(tl.load(x)))


# FOUND: rint
# FOUND-NOT: addf
@triton.jit
def found(x):
    tl.store(x, of_found(tl.load(x)))


# ALONE: mulf
@triton.jit
def alone(x):
    tl.store(x, of_body(tl.load(x)))
