# A function of the file that gives autotune() passes on what it is given; what
# it makes itself the host alone knows, whatever its own arguments are.
# RUN: tilec %s --emit=reflect-json | FileCheck %s
import triton
import triton.language as tl

found = [triton.Config({"BLOCK": 16})]


def passed(which, key=None):
    return triton.autotune(configs=which, key=key)


def made(which):
    found = [triton.Config({"BLOCK": 64})]
    return triton.autotune(configs=found, key=["n"])


def other(which):
    return triton.autotune(configs=[c for c in which if c.num_warps > 4], key=[])


def sized(block):
    def decorate(function):
        configs = [triton.Config({"BLOCK": block})]
        return triton.autotune(configs=configs, key=[])(function)

    return decorate


def of_the_file():
    return triton.autotune(configs=found, key=["n"])


def told(key):
    return triton.autotune(configs=[triton.Config({"BLOCK": 8})], key=key)


def complete(configs, key):
    def decorate(function):
        return triton.autotune(configs=configs, key=key)(
            triton.jit(function, do_not_specialize=["n"])
        )

    return decorate


def guessed(values):
    return triton.heuristics({"BLOCK": lambda args: 4})


# CHECK: "name": "a"
# CHECK: {"constants": {"BLOCK": 32}}
# CHECK-NEXT: ]
# CHECK-NEXT: "key": null
@passed([triton.Config({"BLOCK": 32})])
@triton.jit
def a(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "b"
# CHECK: "configurations": {"computed": "made(found)"},
# CHECK-NEXT: "key": ["n"]
@made(found)
@triton.jit
def b(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "c"
# CHECK: "configurations": {"computed": "other(found)"}
@other(found)
@triton.jit
def c(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "d"
# CHECK: "configurations": {"computed": "sized(64)"}
@sized(64)
@triton.jit
def d(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "e"
# CHECK: {"constants": {"BLOCK": 16}}
# CHECK-NEXT: ]
# CHECK-NEXT: "key": ["n"]
@of_the_file()
@triton.jit
def e(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "f"
# CHECK: "heuristics": {
# CHECK-NEXT: "computed": "guessed({'BLOCK': lambda args: 5})"
@guessed({"BLOCK": lambda args: 5})
@triton.jit
def f(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "g"
# CHECK: {"constants": {"BLOCK": 8}}
# CHECK-NEXT: ]
# CHECK-NEXT: "key": ["n"]
@told(["n"])
@triton.jit
def g(x, n, BLOCK: tl.constexpr):
    pass


# CHECK: "name": "h"
# CHECK: "n", {{.*}}"do_not_specialize": true
# CHECK: {"constants": {"BLOCK": 32}, "num_warps": 2}
# CHECK-NEXT: ]
# CHECK-NEXT: "key": ["n"]
@complete([triton.Config({"BLOCK": 32}, num_warps=2)], ["n"])
def h(x, n, BLOCK: tl.constexpr):
    pass
