# A name in a module's condition may have been changed above it, under another
# name too.  Expected values are those of running the file.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: tilec %s --kernel=changed --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl

first = [1]
kept = [first]
kept[0].append(2)
second = [1]

if len(first) == 1:
    FIRST = 1
else:
    FIRST = 2

if len(second) == 1:
    SECOND = 1
else:
    SECOND = 2

second.append(3)


@triton.jit
def changed(p: "*i32"):
    # CHECK: constant {value = 2}
    tl.store(p, FIRST)


@triton.jit
def known(p: "*i32"):
    # KNOWN: constant {value = 1}
    tl.store(p, SECOND)
