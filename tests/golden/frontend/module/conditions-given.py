# Values of -D decide conditions of modules, and of functions that are not run,
# in which there may be several functions of one name. Values of the file itself
# do not change.
# RUN: tilec %s --kernel=module -D FAST=True --stop-after=frontend -o - | FileCheck %s --check-prefix=YES
# RUN: tilec %s --kernel=module -D FAST=False --stop-after=frontend -o - | FileCheck %s --check-prefix=NO
# RUN: tilec run %s --kernel=printed -D FAST=True --device=cpu --grid=1 | FileCheck %s --check-prefix=PRINTED
# RUN: tilec %s --kernel=make.within -D make.fast=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=YES
# RUN: tilec %s --kernel=make.within -D make.fast=0 --stop-after=frontend -o - | FileCheck %s --check-prefix=NO
# RUN: not tilec %s --kernel=module --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: not tilec %s --kernel=make.within --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WITHIN
# RUN: not tilec %s --kernel=own.within_own -D FAST=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --kernel=own.within_own -D FAST=1 -D own.FAST=0 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=GIVEN
# RUN: tilec %s --kernel=known -D KNOWN=0 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=SAID
# RUN: tilec %s --kernel=either --signature="*i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EITHER
import triton
import triton.language as tl
from settings import FAST

KNOWN = 1

if FAST:

    def host():
        return 3

    @triton.jit
    def helper(x):
        return x + 1

    SIZE = 5
else:

    def host():
        return 4

    @triton.jit
    def helper(x):
        return x + 2

    SIZE = 6

COUNT = host()

# YES: constant {value = 11} : i32
# YES: constant {value = 5} : i32
# YES: constant {value = 3} : i32
# NO: constant {value = 12} : i32
# NO: constant {value = 6} : i32
# NO: constant {value = 4} : i32
# UNKNOWN: warning: host code decides what 'helper' is; it is taken as in the last line that may be reached
# UNKNOWN: note: 'helper' is defined here
# UNKNOWN: :[[#FLAG:]]:4: note: this decides; -D gives values to the names in it
# UNKNOWN: error: 'SIZE' is computed by host code; give its value with -D
# UNKNOWN: error: 'value' of 'store' wants a run-time value, found 'COUNT' of host code
@triton.jit
def module(p: "*i32"):
    tl.store(p, helper(10))
    tl.store(p, SIZE)
    tl.store(p, COUNT)


@triton.jit
def printed():
    # PRINTED: (operand 0) 11
    # PRINTED: (operand 1) 5
    # PRINTED: (operand 2) 3
    tl.device_print("", helper(10), SIZE, COUNT)


# The call means the function, not the None that stands in for it.
other = None
if FAST:

    @triton.jit
    def other():
        return 1


if KNOWN:

    @triton.jit
    def first():
        return 1

else:

    @triton.jit
    def first():
        return 2


# SAID: warning: -D KNOWN: kernel 'known' does not read it
# SAID: constant {value = 2} : i32
@triton.jit
def known(p: "*i32"):
    tl.store(p, first() + other())


if FAST:

    @triton.jit
    def either(p):
        tl.store(p, 1)

else:

    # EITHER: warning: host code decides what 'either' is
    @triton.jit
    def either(p):
        tl.store(p, 2)


def make(fast):
    if fast:

        @triton.jit
        def helper(x):
            return x + 1

        SIZE = 5
    else:

        @triton.jit
        def helper(x):
            return x + 2

        SIZE = 6

    def host():
        return 3 if SIZE == 5 else 4

    if fast > 0:
        COUNT = 3
    else:
        COUNT = 4

    # WITHIN: warning: host code decides what 'make.helper' is
    # WITHIN: note: this decides
    # WITHIN: error: 'make.SIZE' is computed by host code; give its value with -D
    # WITHIN: error: 'make.COUNT' is computed by host code; give its value with -D
    @triton.jit
    def within(p: "*i32"):
        tl.store(p, helper(10))
        tl.store(p, SIZE)
        tl.store(p, COUNT)

    return within


# A parameter is another name than the module's.
def own(FAST):
    if FAST:
        SIZE = 5
    else:
        SIZE = 6

    # OWN: error: 'own.FAST' is computed by host code; give its value with -D
    # OWN: error: 'own.SIZE' is computed by host code; give its value with -D
    # GIVEN: constant {value = 0} : i32
    # GIVEN: constant {value = 6} : i32
    @triton.jit
    def within_own(p: "*i32"):
        tl.store(p, FAST)
        tl.store(p, SIZE)

    return within_own
