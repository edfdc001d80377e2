# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - --kernel=parameter %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=PARAMETER
# RUN: not tilec --emit=ir -o - --kernel=alias %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=ALIAS
# RUN: not tilec --emit=ir -o - --kernel=helper %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=HELPER
# RUN: not tilec --emit=ir -o - --kernel=branch %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=BRANCH
# RUN: not tilec --emit=ir -o - --kernel=unpacked %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=UNPACKED
# RUN: not tilec --emit=ir -o - --kernel=made_tuple %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=MADETUPLE
# RUN: not tilec --emit=ir -o - --kernel=nested %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=NESTED
# RUN: not tilec --emit=ir -o - --kernel=carried %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=CARRIED
# RUN: not tilec --emit=ir -o - --kernel=joined %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=JOINED
# RUN: not tilec --emit=ir -o - --kernel=returned %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=RETURNED
# RUN: not tilec --emit=ir -o - --kernel=tested %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=TESTED
# RUN: not tilec --emit=ir -o - --kernel=tested_items %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=ITEMS
# RUN: tilec --stop-after=frontend -o - --kernel=unreached %s | FileCheck %s --check-prefix=UNREACHED

# The types of a name before a loop, and after it, have notes at the lines that
# assign the name: not in the helper that computed it, nor at an assignment of
# another name.
import triton
import triton.language as tl


@triton.jit
def wide(x):
    return x.to(tl.float64)


@triton.jit
def summed(acc, p):
    for i in range(0, 3):
        acc = acc + tl.load(p + i).to(tl.float64)
    return acc


@triton.jit
def parameter(p: "*fp32", n: "i32"):
    # PARAMETER:      error: 'n' is int32 before this loop and becomes fp32 in it; a name that a loop changes keeps its type
    # PARAMETER-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # PARAMETER-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # PARAMETER-NEXT:{{.*}} note: 'n' is int32 here
    # PARAMETER-NEXT:{{^}}  def parameter(p: "*fp32", n: "i32"):{{$}}
    # PARAMETER-NEXT:{{^}}                            ^{{$}}
    # PARAMETER-NEXT:{{.*}} note: this is its new value
    # PARAMETER-NEXT:{{^}}          n = n + 1.5{{$}}
    # PARAMETER-NEXT:{{^}}              ^~~~~~~{{$}}
    for i in range(0, 3):
        n = n + 1.5


@triton.jit
def alias(p: "*fp32", n: "i32"):
    # ALIAS:      error: 'x' is int32 before this loop and becomes fp64 in it; a name that a loop changes keeps its type
    # ALIAS-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # ALIAS-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # ALIAS-NEXT:{{.*}} note: 'x' is int32 here
    # ALIAS-NEXT:{{^}}      x = n{{$}}
    # ALIAS-NEXT:{{^}}      ^{{$}}
    # ALIAS-NEXT:{{.*}} note: this is its new value
    # ALIAS-NEXT:{{^}}          x = wide(x){{$}}
    # ALIAS-NEXT:{{^}}          ^{{$}}
    x = n
    for i in range(0, 3):
        x = wide(x)


@triton.jit
def helper(p: "*fp32", n: "i32"):
    # HELPER:      error: 'acc' is fp32 before this loop and becomes fp64 in it; a name that a loop changes keeps its type
    # HELPER-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # HELPER-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # HELPER-NEXT:{{.*}} note: 'acc' is fp32 here
    # HELPER-NEXT:{{^}}  def summed(acc, p):{{$}}
    # HELPER-NEXT:{{^}}             ^~~{{$}}
    # HELPER-NEXT:{{.*}} note: this is its new value
    # HELPER-NEXT:{{^}}          acc = acc + tl.load(p + i).to(tl.float64){{$}}
    # HELPER-NEXT:{{^}}                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~{{$}}
    # HELPER-NEXT:{{^}}note: '.to(tl.float64)' before the loop gives 'acc' the type that the loop makes
    # HELPER-NEXT:{{.*}} note: called from here
    # HELPER-NEXT:{{^}}      summed(acc, p){{$}}
    # HELPER-NEXT:{{^}}      ^~~~~~~~~~~~~~{{$}}
    acc = tl.load(p)
    summed(acc, p)


@triton.jit
def branch(p: "*fp32", n: "i32"):
    # BRANCH:      error: 'acc' is fp64 before this loop and becomes int32 or fp64 in it; a name that a loop changes keeps its type
    # BRANCH-NEXT:{{^}}      while n < 3:{{$}}
    # BRANCH-NEXT:{{^}}      ^~~~~~~~~~~~{{$}}
    # BRANCH-NEXT:{{.*}} note: 'acc' is fp64 here
    # BRANCH-NEXT:{{^}}      acc = wide(n){{$}}
    # BRANCH-NEXT:{{^}}      ^~~{{$}}
    # BRANCH-NEXT:{{.*}} note: this is its new value
    # BRANCH-NEXT:{{^}}              acc = n{{$}}
    # BRANCH-NEXT:{{^}}              ^~~{{$}}
    acc = wide(n)
    while n < 3:
        if n > 1:
            acc = n
        n += 1


@triton.jit
def unpacked(p: "*fp32", n: "i32"):
    # UNPACKED:      error: 'y' is int32 before this loop and becomes fp32 in it; a name that a loop changes keeps its type
    # UNPACKED-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # UNPACKED-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # UNPACKED-NEXT:{{.*}} note: 'y' is int32 here
    # UNPACKED-NEXT:{{^}}      x, y = (1, n){{$}}
    # UNPACKED-NEXT:{{^}}         ^{{$}}
    # UNPACKED-NEXT:{{.*}} note: this is its new value
    # UNPACKED-NEXT:{{^}}          y = tl.load(p + i){{$}}
    # UNPACKED-NEXT:{{^}}              ^~~~~~~~~~~~~~{{$}}
    x, y = (1, n)
    for i in range(0, 3):
        y = tl.load(p + i)


@triton.jit
def made_tuple(p: "*fp32", n: "i32"):
    # MADETUPLE:      error: 'y' is int32 before this loop and becomes tuple of 2 in it; a name that a loop changes keeps its type
    # MADETUPLE-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # MADETUPLE-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # MADETUPLE-NEXT:{{.*}} note: 'y' is int32 here
    # MADETUPLE-NEXT:{{^}}      y = n{{$}}
    # MADETUPLE-NEXT:{{^}}      ^{{$}}
    # MADETUPLE-NEXT:{{.*}} note: this is its new value
    # MADETUPLE-NEXT:{{^}}          y = (1, 2){{$}}
    # MADETUPLE-NEXT:{{^}}          ^{{$}}
    y = n
    for i in range(0, 3):
        y = (1, 2)


@triton.jit
def nested(p: "*fp32", n: "i32"):
    # NESTED:      error: 'acc' is pointer to fp32 before this loop and becomes fp64 in it; a name that a loop changes keeps its type
    # NESTED-NEXT:{{^}}      for i in range(0, 3):{{$}}
    # NESTED-NEXT:{{^}}      ^~~~~~~~~~~~~~~~~~~~~{{$}}
    # NESTED-NEXT:{{.*}} note: 'acc' is pointer to fp32 here
    # NESTED-NEXT:{{^}}      acc = p{{$}}
    # NESTED-NEXT:{{^}}      ^~~{{$}}
    # NESTED-NEXT:{{.*}} note: this is its new value
    # NESTED-NEXT:{{^}}              acc = wide(n){{$}}
    # NESTED-NEXT:{{^}}              ^~~{{$}}
    acc = p
    for i in range(0, 3):
        for j in range(0, n):
            n += 1
        if i > 1:
            acc = wide(n)
        else:
            acc = wide(n)
        n += 1


# If tuples differ, the item that differs is named.
@triton.jit
def carried(p: "*fp32", n: "i32"):
    # CARRIED: error: 'state[1]' is fp32 before this loop and becomes fp64 in it; a name that a loop changes keeps its type
    # CARRIED: note: 'state[1]' is fp32 here
    state = (0, 1.0)
    for i in range(n):
        state = (i, state[1] + tl.load(p + i).to(tl.float64))
    tl.store(p, state[1])


@triton.jit
def joined(p: "*fp32", n: "i32"):
    if n > 1:
        t = (n, tl.load(p))
    else:
        t = (n, n)
    # JOINED: error: 't' has two types after an 'if' above: tuple of 2 with fp32 at '[1]' and tuple of 2 with int32 at '[1]'
    tl.store(p, t[1])


@triton.jit
def two_kinds(p, n):
    if n > 1:
        return n, (tl.load(p), 1)
    # RETURNED: error: this returns tuple of 2 with int32 at '[1][0]', but another path of 'two_kinds' returns tuple of 2 with fp32 at '[1][0]'
    return n, (n, 1)


@triton.jit
def returned(p: "*fp32", n: "i32"):
    a, b = two_kinds(p, n)
    tl.store(p, b)


# The body continues with the condition's assigned values, and ends with the earlier ones.
@triton.jit
def tested(p: "*fp32", n: "fp32"):
    # TESTED: error: 'g' is int32 before this loop and becomes fp32 in it; a name that a loop changes keeps its type
    # TESTED: note: 'g' is int32 here
    g = 1
    c = 0
    # TESTED: note: this is its new value
    # TESTED-NEXT:{{^}}      while (g := n) > c:{{$}}
    # TESTED-NEXT:{{^}}             ^{{$}}
    while (g := n) > c:
        c += 1
        g = 0
        if c > 2:
            break
    tl.store(p, g)


@triton.jit
def tested_items(p: "*fp32", n: "i32"):
    g = (1, 2)
    c = 0
    # ITEMS: error: 'g[0]' is int32 before this loop and becomes fp32 in it; a name that a loop changes keeps its type
    while n > c + (g := (2.5, 2))[0]:
        c += 1
        g = (0, 2)
    tl.store(p, g[0])


# A loop whose condition never fails never runs the `else`.
# UNREACHED: kernel @unreached
# UNREACHED: store
@triton.jit
def unreached(p: "*fp32", n: "i32"):
    i = 0
    while True:
        i += 1
        if i > n:
            break
    else:
        not_there()
    tl.store(p, i)
