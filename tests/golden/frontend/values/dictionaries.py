# Dictionaries and lambdas are constants; heuristics may be functions.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=h --signature='*fp32, i32:16' --stop-after=frontend -o - | FileCheck %s --check-prefix=HEURISTIC
# RUN: tilec %s --kernel=h --emit=reflect-json | FileCheck %s --check-prefix=JSON
import triton
import triton.language as tl

SIZES = {"small": 16, "large": 64}
MORE = tl.constexpr({**SIZES, "large": 128, 1: "one"})
twice = tl.constexpr(lambda x, y=1: 2 * x + y)
SQUARES = {n: n * n for n in range(4) if n != 2}


@triton.constexpr_function
def applied(f, x):
    g = lambda y: f(y) + x
    return g(3)


@triton.jit
def rows(p, first, count=1, BLOCK: tl.constexpr = 2):
    tl.store(p + first + tl.arange(0, BLOCK), count)


# CHECK: constant {value = 200}
@triton.jit
def k(x: "*fp32"):
    tl.static_assert(SIZES["small"] == 16 and len(SIZES) == 2)
    tl.static_assert("tiny" not in SIZES and "large" in SIZES)
    tl.static_assert(MORE["large"] == 128 and MORE[1] == "one" and MORE[1.0] == "one")
    tl.static_assert(SIZES.get("tiny") is None and SIZES.get("tiny", 8) == 8)
    tl.static_assert(SQUARES == {0: 0, 3: 9, 1: 1} and SQUARES != {0: 0})
    tl.static_assert(f"{SIZES}" == "{'small': 16, 'large': 64}")
    tl.static_assert(isinstance(SIZES, dict) and dict(a=1, **SIZES)["small"] == 16)
    tl.static_assert(dict((("a", 1), ("b", 2))) == {"a": 1, "b": 2})
    tl.static_assert(twice(3) == 7 and twice(3, y=0) == 6)
    tl.static_assert(applied(twice, 10) == 17)
    total: tl.constexpr = sum(SIZES.values())
    for name in SIZES:
        tl.static_assert(name in ("small", "large"))
    for key, value in SIZES.items():
        tl.static_assert(SIZES[key] == value)
    arguments = {"first": 4, "BLOCK": 8}
    rows(x, count=200, **arguments)
    tl.store(x, total)


def is_even(args):
    n = args["n"]
    if n is None:
        return False
    return n % args["BLOCK"] == 0


def pick_block(args):
    sizes = {4: 64, 2: 128}
    block = sizes[args["x"].dtype.itemsize]
    while block > args.get("LIMIT", 32):
        block //= 2
    return block


# HEURISTIC: kernel @h
# HEURISTIC: constant {value = 32}
# JSON: "heuristics": {
# JSON-NEXT: "BLOCK": {"function": "pick_block"},
# JSON-NEXT: "HALF": {"argument": "args", "expression": "half(args['BLOCK'])"}
def half(n):
    return n // 2


@triton.heuristics({"BLOCK": pick_block, "HALF": lambda args: half(args["BLOCK"])})
@triton.jit
def h(x, n, BLOCK: tl.constexpr, HALF: tl.constexpr):
    tl.static_assert(HALF == 16)
    tl.store(x + tl.arange(0, HALF), BLOCK)
