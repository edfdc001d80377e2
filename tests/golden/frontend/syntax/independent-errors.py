# Errors that do not follow from another one are reported in the same run, and
# no error that does.
# RUN: not tilec %s --kernel=changes --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=CHANGES
# RUN: not tilec %s --kernel=recurses --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=RECURSES
# RUN: not tilec %s --kernel=arguments --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
# RUN: not tilec %s --kernel=bodies --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=BODIES
# RUN: not tilec %s --kernel=after --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=AFTER
# RUN: not tilec %s --kernel=again --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --check-prefix=AGAIN
import triton
import triton.language as tl


@triton.jit
def fib(n):
    return fib(n - 1) + fib(n - 2)


@triton.jit
def is_even(n):
    return is_odd(n - 1) + is_odd(n - 3) + is_even(n - 2)


@triton.jit
def is_odd(n):
    return is_even(n - 1) + is_odd(n - 2) + is_even(n - 3)


@triton.jit
def helper(x, BLOCK: tl.constexpr, other=0):
    return x


@triton.aggregate
class Scaled:
    x: tl.tensor

    @triton.jit
    def by(self, y, factor=1):
        return self.x * factor + y


@triton.jit
def changes(x, n):
    a = 0
    b = 0
    c = 0
    same = 0
    # CHANGES:     [[@LINE+3]]:5: error: 'a' is int32 before this loop and becomes fp32
    # CHANGES:     [[@LINE+2]]:5: error: 'b' is int32 before this loop and becomes fp32
    # CHANGES:     [[@LINE+1]]:5: error: 'c' is int32 before this loop and becomes tile of int32 [16]
    for i in range(n):
        a = a + 1.0
        b = tl.load(x)
        c = tl.arange(0, 16)
        same += i
    # CHANGES-NOT: error:
    tl.store(x, a + b + c + same)


@triton.jit
def recurses(x, n):
    # RECURSES:     [[#]]:12: error: calls nest more than 100 deep: 'fib' calls itself
    y = fib(n)
    # RECURSES:     [[@LINE+1]]:13: error: unknown name 'first'
    z = y + first
    # RECURSES:     error: calls nest more than 100 deep: 'is_{{even|odd}}' calls itself
    # RECURSES-NOT: error:
    w = is_even(n) + z
    # RECURSES:     [[@LINE+1]]:9: error: unknown name 'second'
    y = second
    # RECURSES-NOT: error:
    tl.store(x, w + y)


@triton.jit
def arguments(x, n):
    # ARGUMENTS:     [[@LINE+2]]:21: error: unknown name 'u'
    # ARGUMENTS:     [[@LINE+1]]:24: error: 'load' has no parameter 'others'; did you mean 'other'?
    tl.load(x, mask=u, others=0)
    # ARGUMENTS:     [[@LINE+2]]:12: error: unknown name 'u'
    # ARGUMENTS:     [[@LINE+1]]:15: error: 'helper' has no parameter 'BLOK'; did you mean 'BLOCK'?
    helper(u, BLOK=3)
    # ARGUMENTS:     [[@LINE+2]]:14: error: unknown name 'u'
    # ARGUMENTS:     [[@LINE+1]]:5: error: 'helper' wants a value for 'BLOCK'
    helper(x=u)
    # ARGUMENTS:     [[@LINE+2]]:20: error: unknown name 'u'
    # ARGUMENTS:     [[@LINE+1]]:23: error: 'range' has no parameter 'stages'; did you mean 'num_stages'?
    for i in range(u, stages=3):
        pass
    # ARGUMENTS:     [[@LINE+1]]:13: error: unknown name 'u'
    helper(*u, BLOK=3)
    # ARGUMENTS:     [[@LINE+1]]:9: error: unknown name 'u'
    max(u, n)
    # ARGUMENTS:     [[@LINE+2]]:18: error: unknown name 'u'
    # ARGUMENTS:     [[@LINE+1]]:21: error: 'Scaled.by' has no parameter 'factr'; did you mean 'factor'?
    Scaled(n).by(u, factr=2)
    # ARGUMENTS-NOT: error:


@triton.jit
def bodies(x, n):
    total = tl.zeros([16], tl.float32)
    # BODIES:     [[@LINE+1]]:20: error: unknown name 'u'
    for i in range(u):
        # BODIES:     [[@LINE+1]]:30: error: unknown name 'v'
        tl.store(x + i, mask=v, value=0)
        # BODIES:     [[@LINE+1]]:24: error: bounds and step of a loop are integers
        for j in range(0.5):
            # BODIES:     [[@LINE+1]]:39: error: unknown name 'w'
            total += tl.load(x + j) + w
    # BODIES:     [[@LINE+1]]:15: error: unknown name 'p'
    while n < p:
        # BODIES:     [[@LINE+1]]:21: error: unknown name 'q'
        tl.store(x, q)
    # BODIES:     [[@LINE+1]]:30: error: unknown name 'r'
    for i in tl.static_range(r):
        tl.store(x, s)
    # BODIES:     [[@LINE+2]]:8: error: unknown name 't'
    # BODIES-NOT: error:
    if t:
        tl.store(x, s)
    tl.store(x + tl.arange(0, 16), total + i)


@triton.jit
def after(x, n):
    for i in range(n):
        # AFTER:     [[@LINE+1]]:13: error: unknown name 'u'
        a = u
        while (b := n) > 3:
            c = 1
        if (d := n + i) > 3:
            e = 2
    else:
        f = 1
    # AFTER-NOT: error:
    tl.store(x, a + b + c + d + e + f)
    # AFTER:     [[@LINE+1]]:17: error: unknown name 'v'
    tl.store(x, v)
    # AFTER-NOT: error:


# No loop reports a changed type of a name that an error has left without one.
@triton.jit
def again(x, n):
    for i in range(n):
        s = i * 2
        # AGAIN:     [[@LINE+1]]:25: error: unknown name 'u'
        tl.store(x + s, u)
    if n > 3:
        # AGAIN:     [[@LINE+1]]:13: error: unknown name 'v'
        t = v
    # AGAIN-NOT: error:
    for i in range(n):
        s = i * 2
        t = 1.0
        tl.store(x + s, t)
    while (t := n) > 5:
        s = n
        tl.store(x + s, t)
