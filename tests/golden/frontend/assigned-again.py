# A name in its own value means what it meant before: a module's globals may be
# assigned again.
# RUN: tilec %s --kernel=again --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=bound --stop-after=frontend -o - | FileCheck %s --check-prefix=BOUND
# RUN: not tilec %s --kernel=never -o - 2>&1 | FileCheck %s --check-prefix=NEVER
import triton
import triton.language as tl
from triton.language import core

dtype_of_bits = core.get_int_dtype
if triton.__version__ >= "3.5.0":
    dtype_of_bits = triton.constexpr_function(dtype_of_bits)

WIDTH = 4
WIDTH = WIDTH * 2
WIDTH = WIDTH + 1

power = tl.math
power = power.exp2
power = power

ENDLESS = ENDLESS + 1


# CHECK-LABEL: kernel @again
# CHECK: exp2
# CHECK: bitcast {{.*}} : tile<64xi32>
# CHECK: constant {value = 9}
@triton.jit
def again(x: "*fp32", y: "*i32"):
    i = tl.arange(0, 64)
    bits = dtype_of_bits(bitwidth=32, signed=True)
    v = power(tl.load(x + i)).to(bits, bitcast=True)
    tl.store(y + i, v + WIDTH)


# NEVER: error: the value of 'ENDLESS' is made from itself
@triton.jit
def never(x: "*i32"):
    tl.store(x, ENDLESS)


# Every way of binding a name counts, in the order of the lines.
A, (B, *C) = 1, (2, 3, 4)
D = E = 7
D -= 3
E *= D
print(F := E + 1)
F: int = F + 1
[A, H] = H_BEFORE, H = A + 1, 5
first = tl.exp


class Base:
    E = 8
    TWICE = E * 2

    class Inner:
        DEEP = 6

    @staticmethod
    @triton.jit
    def of(n=E):
        return n


class Derived(Base):
    HERE = D


Base.TWICE = Base.TWICE + 1
Derived.HERE = 3


@triton.jit
def defaults(n, e=E, f=first):
    return n + e


second = defaults


@triton.jit
def defaults(n):
    return n


first = E = None


# Expected values are those of running the file.
# BOUND: kernel @bound
@triton.jit
def bound(x: "*i32"):
    tl.static_assert(A == 2 and B == 2 and C[1] == 4 and D == 4 and F == 30)
    tl.static_assert(H == 5 and H_BEFORE == 2 and E is None)
    tl.static_assert(second(1) == 29 and defaults(1) == 1)
    tl.static_assert(Derived.E == 8 and Derived.Inner.DEEP == 6)
    tl.static_assert(Base.TWICE == 17 and Derived.HERE == 3)
    tl.static_assert(Derived.of() == 8)
    tl.store(x, 1)
