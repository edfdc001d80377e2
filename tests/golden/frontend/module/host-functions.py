# Plain functions of the module that compute its values are run here,
# too.  Expected values are those of running the file.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=tuned --signature='*i32' -D N=100 --stop-after=frontend -o - | FileCheck %s --check-prefix=TUNED
# RUN: not tilec %s --kernel=unknown -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import functools
import os

import triton
import triton.language as tl


def next_power(n, *, least=1):
    power = least
    while power < n:
        power *= 2
    return power


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def odd(n): return False if n == 0 else even(n - 1)
def even(n): return True if n == 0 else odd(n - 1)


def squares(n):
    found = []
    for i in range(100):
        if i == n: break
        if i % 2: continue
        found.append(i * i)
    else:
        found = None
    return found


def fill(table, key, value):
    table[key] = value
    return table


def tables():
    table = {}
    other = fill(table, "a", 1)
    other.update(b=2)
    other["a"] += 5
    table.setdefault("b", 7)
    return table, tuple(table), [table["a"]] == (6,)


def late():
    x = 1
    get = lambda: x
    x = 2
    return get()


def inner(n):
    return [n for n in range(3)], n


def dtype_of(name):
    if name == "half": return tl.float16
    elif name == "single": return tl.float32
    raise ValueError(name)


SCALE = 3
def scaled(n): return n * SCALE


BLOCK = next_power(100)
WIDE: tl.constexpr = tl.constexpr(next_power(3, least=16) + triton.cdiv(9, 2))
SCALE = 4
FOUR = scaled(1)
SCALE = 5
TABLE, KEYS, EQUAL = tables()
SQUARES = squares(7)
TYPE = dtype_of("half")
if even(10): PARITY = 1
else: PARITY = 2


# CHECK-LABEL: kernel @known
@triton.jit
def known(x: "*i32"):
    tl.static_assert(BLOCK == 128 and WIDE == 21 and FOUR == 4)
    tl.static_assert(fibonacci_of_12 == 144 and PARITY == 1)
    tl.static_assert(SQUARES == [0, 4, 16, 36] and squares_of_200 is None)
    tl.static_assert(TABLE["a"] == 6 and TABLE["b"] == 2)
    tl.static_assert(KEYS == ("a", "b") and not EQUAL)
    tl.static_assert(LATE == 2 and INNER[1] == 9 and TYPE == tl.float16)
    # CHECK: return
    tl.store(x, BLOCK)


fibonacci_of_12 = fibonacci(12)
squares_of_200 = squares(200)
LATE = late()
INNER = inner(9)


def pick(args): return next_power(args["N"])


# TUNED-LABEL: kernel @tuned
# TUNED-SAME: num_warps = 4
# TUNED: constant {value = 288} : i32
@triton.autotune(configs=[triton.Config({"B": next_power(n)}, num_warps=next_power(3))
                          for n in (20, 40)], key=["N"])
@triton.heuristics({"V": lambda args: next_power(args["N"]), "W": pick})
@triton.jit
def tuned(x, N: tl.constexpr, B: tl.constexpr, V: tl.constexpr, W: tl.constexpr):
    tl.store(x, B + V + W)


def count():
    while True: pass


def collect(into=[]):
    into.append(1)
    return len(into)


def append(items):
    items.append(1)
    return 0


def machine(): return os.getpid() % 1000


def generate():
    return 5
    yield 1


def twice(function): return lambda: 2 * function()


@twice
def decorated(): return 1


ENDLESS = count()
DEFAULT = collect()
GIVEN = LATER = [1]
append(LATER)
PID = machine()
YIELDED = generate()
DOUBLED = decorated()
BAD = next_power("a")


@triton.jit
def unknown(x: "*i32"):
    tl.static_assert(ENDLESS)
    # UNKNOWN: error: 'ENDLESS' is computed by host code
    tl.static_assert(DEFAULT == 1 and GIVEN is LATER)
    tl.static_assert(PID if PID else 0)
    # UNKNOWN: error: 'PID' is computed by host code
    tl.static_assert(not YIELDED)
    # UNKNOWN: error: 'YIELDED' is computed by host code
    tl.static_assert(DOUBLED == 2)
    if BAD: tl.store(x, 1)
    # UNKNOWN: error: 'BAD' is computed by host code
