# Kernels that functions of the file make several at a time, keep in lists and
# dictionaries, or put into classes.  Expected values are those of running it.
# RUN: tilec %s --kernel=first --stop-after=frontend -o - | FileCheck %s -DV=10 -DNAME=first
# RUN: tilec %s --kernel=second --stop-after=frontend -o - | FileCheck %s -DV=11 -DNAME=second
# RUN: tilec %s --kernel=third --stop-after=frontend -o - | FileCheck %s -DV=21 -DNAME=third
# RUN: tilec %s --kernel=of_list --stop-after=frontend -o - | FileCheck %s -DV=8 -DNAME=of_list
# RUN: tilec %s --kernel='listed[-2]' --stop-after=frontend -o - | FileCheck %s -DV=7 -DNAME=listed__2
# RUN: tilec %s --kernel='named["two"]' --stop-after=frontend -o - | FileCheck %s -DV=2 -DNAME=named_two
# RUN: tilec %s --kernel='looped[2]' --stop-after=frontend -o - | FileCheck %s -DV=32 -DNAME=looped_2
# RUN: tilec %s --kernel=with_eleven --stop-after=frontend -o - | FileCheck %s -DV=11 -DNAME=with_eleven
# RUN: tilec %s --kernel=Ops.put --stop-after=frontend -o - | FileCheck %s -DV=40 -DNAME=Ops.put
# RUN: tilec %s --kernel=member --stop-after=frontend -o - | FileCheck %s -DV=51 -DNAME=member
# RUN: tilec %s --kernel=partly --stop-after=frontend -o - | FileCheck %s -DV=60 -DNAME=partly
# RUN: tilec %s --kernel='listed[0]' --target=sm_80 -o - | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --kernel=calls --stop-after=frontend -o - | FileCheck %s --check-prefix=CALLS
# RUN: not tilec %s --kernel='listed[2]' -o - 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: not tilec %s --kernel='listed[' -o - 2>&1 | FileCheck %s --check-prefix=HALF
# RUN: not tilec %s --kernel=listed -o - 2>&1 | FileCheck %s --check-prefix=LIST
# RUN: not tilec %s --kernel='Other.put' -o - 2>&1 | FileCheck %s --check-prefix=OTHER
import functools

import triton
import triton.language as tl


def pair(n=10):
    @triton.jit
    def low(x: "*i32"):
        tl.store(x, n)

    @triton.jit
    def high(x: "*i32"):
        tl.store(x, n + 1)

    return low, high


def one(n):
    @triton.jit
    def put(x: "*i32"):
        tl.store(x, n)

    return put


def namespace(n):
    class Made:
        @staticmethod
        @triton.jit
        def put(x: "*i32"):
            tl.store(x, n)

        @staticmethod
        @triton.jit
        def more(x: "*i32"):
            tl.store(x, n + 1)

    return Made


def counted(n):
    class Made:
        count = n

        @staticmethod
        @triton.jit
        def put(x: "*i32"):
            tl.store(x, n)

    return Made


# CHECK: kernel @[[NAME]](
# CHECK-NEXT: constant {value = [[V]]} : i32
# PTX: .entry listed_0
first, second = pair()
_, third = pair(20)
listed = [one(n) for n in (7, 8)]
of_list = listed[1]
named = {"one": one(1), "two": one(2)}
looped = []
for i in range(3):
    looped.append(one(30 + i))
with_eleven = functools.partial(one, n=11)()
Ops = namespace(40)
member = namespace(50).more
Other = counted(3)

partial_jit = functools.partial(triton.jit, do_not_specialize=["x"])


@partial_jit
def partly(x: "*i32"):
    tl.store(x, 60)


# CALLS: kernel @calls
# CALLS: constant {value = 11}
# CALLS: constant {value = 7}
# CALLS: constant {value = 1}
# CALLS: constant {value = 41}
@triton.jit
def calls(x: "*i32"):
    second(x)
    listed[0](x)
    named["one"](x)
    Ops.more(x)


# NONE: error: no kernel 'listed[2]'
# HALF: error: no kernel 'listed['
# LIST: error: 'listed' is not known to be a kernel: the name gets another value here
# OTHER: error: no kernel 'Other.put'
