# A decorator of the file that returns `triton.jit(function)` marks a kernel,
# also if an inner function does, or only some of its paths: perhaps only the
# host knows which path.
# RUN: tilec %s --emit=reflect-json | FileCheck %s --check-prefix=NAMES
# RUN: tilec %s --kernel=options --signature='*fp32' --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=other --signature='*fp32' --stop-after=frontend -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
import triton
import triton.language as tl


def with_options(**options):
    def decorate(function):
        return triton.jit(function, **options)

    return decorate


def in_a_name():
    def decorate(function):
        kernel = triton.jit(function)
        return kernel

    return decorate


def of_lambda(**options):
    return lambda function: triton.jit(function, **options)


def in_steps(function):
    kernel = triton.jit(function)
    kernel = triton.autotune([triton.Config({"BLOCK": 32})], ["n"])(kernel)
    return kernel


def if_asked(asked):
    if asked:
        return triton.jit
    return lambda function: function


def by_choice(function):
    return triton.jit(function) if triton is not None else function


def unlike(triton):
    def decorate(function):
        return function

    return decorate


# NAMES: "name": "options"
@with_options(debug=True)
def options(x):
    tl.store(x, helper(tl.load(x)))


# CHECK: addf
@in_a_name()
def helper(x):
    return x + 1


# NAMES: "name": "b"
@of_lambda(debug=True)
def b(x):
    pass


# NAMES: "name": "stepped"
# NAMES: {"constants": {"BLOCK": 32}}
@in_steps
def stepped(x, n, BLOCK: tl.constexpr):
    pass


marked = lambda function: triton.jit(function, debug=True)


# NAMES: "name": "by_lambda"
@marked
def by_lambda(x):
    pass


# NAMES: "name": "c"
@if_asked(True)
def c(x):
    pass


# NAMES: "name": "d"
@by_choice
def d(x):
    pass


# NAMES-NOT: "name": "other"
# OTHER: other
@unlike(3)
def other(x):
    pass
