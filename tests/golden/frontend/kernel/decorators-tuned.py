# A function of the file that returns autotune() passes on its arguments; only
# the host knows values that it makes itself, for any arguments.
# RUN: tilec %s --emit=reflect-json | FileCheck %s
from functools import partial

import triton
import triton.language as tl
from settings import SOME

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


kept = [triton.Config({"BLOCK": 16})]


def of_the_file():
    return triton.autotune(configs=kept, key=["n"])


def told(key):
    return triton.autotune(configs=[triton.Config({"BLOCK": 8})], key=key)


def complete(configs, key):
    def decorate(function):
        return triton.autotune(configs=configs, key=key)(
            triton.jit(function, do_not_specialize=["n"])
        )

    return decorate


by_lambda = lambda which: triton.autotune(configs=which, key=["n"])


def in_steps(function):
    tuned = triton.autotune(configs=found, key=["n"])
    return tuned(function)


class Tuner:
    def __init__(self, block):
        self.block = block

    def __call__(self, function):
        configs = [triton.Config({"BLOCK": self.block})]
        return triton.autotune(configs=configs, key=["n"])(function)


def maybe(asked):
    def decorate(function):
        if asked:
            return triton.autotune(configs=found, key=["n"])(function)
        return function

    return decorate


def grown(which):
    def decorate(function):
        which.append(triton.Config({"BLOCK": 1}))
        return triton.autotune(configs=which, key=["n"])(function)

    return decorate


chosen = triton.autotune(found, ["n"]) if SOME else (lambda function: function)
partly = partial(triton.autotune, key=["n"], configs=found)
options = {"configs": found, "key": ["n"]}


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


# CHECK: "name": "i"
# CHECK: "configurations": {"computed": "by_lambda(found)"}
@by_lambda(found)
@triton.jit
def i(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "j"
# CHECK: "configurations": {"computed": "in_steps"}
@in_steps
@triton.jit
def j(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "l"
# CHECK: "configurations": {"computed": "Tuner(4)"}
@Tuner(4)
@triton.jit
def l(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "m"
# CHECK: "configurations": {"computed": "maybe(False)"}
@maybe(False)
@triton.jit
def m(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "o"
# CHECK: "configurations": {"computed": "grown([])"}
@grown([])
@triton.jit
def o(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "p"
# CHECK: "configurations": {"computed": "{{.*}}"}
@chosen
@triton.jit
def p(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "q"
# CHECK: "configurations": {"computed": "partly(configs=[])"}
@partly(configs=[])
@triton.jit
def q(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "r"
# CHECK: "configurations": {"computed": "triton.autotune(**options)"}
@triton.autotune(**options)
@triton.jit
def r(x, n, BLOCK: tl.constexpr = 9):
    pass


# CHECK: "name": "s"
# CHECK: {"constants": {"BLOCK": 16}}
# CHECK-NEXT: ]
# CHECK-NEXT: "key": ["n"]
@partial(triton.autotune, key=["n"], configs=kept)()
@triton.jit
def s(x, n, BLOCK: tl.constexpr = 9):
    pass
