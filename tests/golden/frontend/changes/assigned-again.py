# A name within its own value has its earlier meaning: a module's globals may be
# assigned again.
# RUN: tilec %s --kernel=again --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=bound --stop-after=frontend -o - | FileCheck %s --check-prefix=BOUND
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=TUNED
# RUN: tilec %s --kernel=calls --stop-after=frontend -o - | FileCheck %s --check-prefix=MADE
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


# Expected values are those of Python running the file.
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


# The arguments of a decorator have the values of its line.
WARPS = 2
configs = [triton.Config({"B": 16}, num_warps=WARPS)]
names = ["n"]
rules = {"H": lambda args: 1, "G": lambda args: WARPS}


def tunes(configs):
    @triton.autotune(configs=[triton.Config({"B": c}) for c in configs],
                     key=names)
    @triton.jit
    def made(x: "*i32", n, B: tl.constexpr):
        tl.store(x, B)

    configs = (1, )
    return made


# TUNED: "name": "tuned"
# TUNED: {"constants": {"B": 16}, "num_warps": 2}
# TUNED: "key": ["n"],
# TUNED: "H": {"argument": "args", "expression": "1"}
@triton.autotune(configs=configs, key=names)
@triton.heuristics(rules)
@triton.jit
def tuned(x: "*i32", n, B: tl.constexpr, H: tl.constexpr, G: tl.constexpr):
    tl.store(x, B)


# TUNED: "name": "wrapped"
# TUNED: "default": 16
# TUNED: {"constants": {"B": 16}, "num_warps": 2}
@triton.jit
def plain(x: "*i32", C: tl.constexpr = WARPS * 8, B: tl.constexpr = 1):
    tl.store(x, B)


wrapped = triton.autotune(configs=configs, key=[])(plain)
# TUNED: "name": "made"
# TUNED: {"constants": {"B": 8}}
# TUNED: "key": ["n"]
made = tunes((8, ))

WARPS = 8
configs = [triton.Config({"B": 64}, num_warps=WARPS)]
names = ["n", "m"]
rules = {"H": lambda args: 2}


# TUNED: "name": "tuned_again"
# TUNED: {"constants": {"B": 64}, "num_warps": 8}
# TUNED: "key": ["n", "m"],
# TUNED: "H": {"argument": "args", "expression": "2"}
@triton.autotune(configs=configs, key=names)
@triton.heuristics(rules)
@triton.jit
def tuned_again(x: "*i32", n, m, B: tl.constexpr, H: tl.constexpr):
    tl.store(x, B)


# Defaults are evaluated when the function is made.
def adds(p):
    def inner(z, y=WARPS):
        return z + y

    return inner(p)


def makes(n):
    s = n * 2

    @triton.jit
    def inner(x, y: tl.constexpr = s):
        return y + s

    s = 100
    return inner


class Listed:
    WARPS = 3
    OVER = [WARPS for WARPS in (WARPS, )]
    EACH = [WARPS for _ in range(1)]
    INNER = [w for _ in range(1) for w in (WARPS, ) if WARPS > 3]


LAMBDA = (lambda q, w=WARPS: q + w)(10)
INNER = adds(10)
helper = makes(3)
WARPS = 50


# MADE: kernel @calls
@triton.jit
def calls(x: "*i32"):
    tl.static_assert(LAMBDA == 18 and INNER == 18)
    tl.static_assert(helper(0) == 106)
    tl.static_assert(Listed.OVER[0] == 3)
    tl.static_assert(Listed.EACH[0] == 8 and Listed.INNER[0] == 8)
    tl.store(x, 1)

# Backs I5 of frontend/module.


ENDLESS = ENDLESS + 1


# NEVER: error: the value of 'ENDLESS' is made from itself
@triton.jit
def never(x: "*i32"):
    tl.store(x, ENDLESS)
