# REQUIRES: tilec
# RUN: tilec --emit=reflect-json -o - %s | FileCheck %s --strict-whitespace
# RUN: tilec --emit=reflect-json --kernel=other -o - %s | FileCheck %s --check-prefix=ONE

# Values of decorators and parameters, evaluated if no host code is needed.
import triton
import triton.language as tl
from opaque import KEYS, get, keep, some_function, unknown
SMALL = [triton.Config({'BLOCK': 32}, num_warps=2)]


@triton.autotune(
    configs=SMALL + [
        triton.Config({'BLOCK': b, 'MODE': "fast"}, num_warps=w, num_stages=s)
        for b in [64, 128] for w in (4, 8) for s in range(2, 4) if b * w < 500
    ],
    key=['n', 'm'], reset_to_zero=['y'])
@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0,
                    'num_warps': lambda a: 8 if a['n'] > 1000 else 4,
                    'HOST': some_function})
@triton.jit(do_not_specialize=['n'])
def kernel(x, y, n, m: tl.int64, BLOCK: tl.constexpr, EVEN: tl.constexpr,
           HOST: tl.constexpr = 3, MODE: tl.constexpr = get("a\tb"), f=1.5,
           dtype: tl.constexpr = tl.float16, none=None):
    pass


@triton.autotune(configs=list(filter(keep, SMALL)), key=KEYS)
@triton.jit
def other(x, B: tl.constexpr):
    pass

# CHECK:     {"kernels": [
# CHECK-NEXT:  {
# CHECK-NEXT:    "name": "kernel",
# CHECK-NEXT:    "file": "{{.*}}reflect.py",
# CHECK-NEXT:    "line": 22,
# CHECK-NEXT:    "parameters": [
# CHECK-NEXT:      {"name": "x", "constexpr": false},
# CHECK-NEXT:      {"name": "y", "constexpr": false},
# CHECK-NEXT:      {"name": "n", "constexpr": false, "do_not_specialize": true},
# CHECK-NEXT:      {"name": "m", "constexpr": false, "annotation": "tl.int64"},
# CHECK-NEXT:      {"name": "BLOCK", "constexpr": true},
# CHECK-NEXT:      {"name": "EVEN", "constexpr": true},
# CHECK-NEXT:      {"name": "HOST", "constexpr": true, "default": 3},
# CHECK-NEXT:      {"name": "MODE", "constexpr": true, "default": {"computed": "get('a\\x09b')"}},
# CHECK-NEXT:      {"name": "f", "constexpr": false, "default": 1.5},
# CHECK-NEXT:      {"name": "dtype", "constexpr": true, "default": "fp16"},
# CHECK-NEXT:      {"name": "none", "constexpr": false, "default": null}
# CHECK-NEXT:    ],
# CHECK-NEXT:    "configurations": [
# CHECK-NEXT:      {"constants": {"BLOCK": 32}, "num_warps": 2},
# CHECK-NEXT:      {"constants": {"BLOCK": 64, "MODE": "fast"}, "num_warps": 4, "num_stages": 2},
# CHECK-NEXT:      {"constants": {"BLOCK": 64, "MODE": "fast"}, "num_warps": 4, "num_stages": 3}
# CHECK-NEXT:    ],
# CHECK-NEXT:    "key": ["n", "m"],
# CHECK-NEXT:    "reset_to_zero": ["y"],
# CHECK-NEXT:    "heuristics": {
# CHECK-NEXT:      "EVEN": {"argument": "args", "expression": "args['n'] % args['BLOCK'] == 0"},
# CHECK-NEXT:      "num_warps": {"argument": "a", "expression": "8 if a['n'] > 1000 else 4"},
# CHECK-NEXT:      "HOST": {"computed": "some_function"}
# CHECK-NEXT:    }
# CHECK-NEXT:  },

# ONE-NOT:   "name": "kernel"
# ONE:       "name": "other"
# ONE:         "configurations": {"computed": "list(filter(keep, SMALL))"},
# ONE-NEXT:    "key": {"computed": "KEYS"}


# Decorators may be called, one after the other.
def called(x, B: tl.constexpr, C: tl.constexpr):
    tl.store(x, B + C)


called = triton.jit(called)
called = triton.heuristics({"C": lambda args: args["B"] // 2})(called)
called = triton.autotune(configs=[triton.Config({"B": 4})], key=["x"])(called)

# RUN: tilec --emit=reflect-json --kernel=called -o - %s | FileCheck %s --check-prefix=CALLED
# RUN: tilec --kernel=called --signature='*i32' --stop-after=frontend -o - %s | FileCheck %s --check-prefix=CODE

# CALLED:      "name": "called"
# CALLED:      "configurations": [
# CALLED-NEXT:   {"constants": {"B": 4}}
# CALLED:      "key": ["x"],
# CALLED-NEXT: "heuristics": {
# CALLED-NEXT:   "C": {"argument": "args", "expression": "args['B'] // 2"}
# CODE:        constant {value = 6}


# Functions make configurations, and read their contents.
def hook(nargs):
    nargs["x"].zero_()


def get_configs(sizes=(16, 32), stages=1):
    return [triton.Config({"B": b}, num_warps=w, num_stages=stages, pre_hook=hook)
            for b in sizes for w in (4, 8)]


def grown():
    out = get_configs(sizes=[64], stages=2)
    for b in range(7, 9):
        if b % 2 == 0:
            out.append(triton.Config(dict(B=2 ** b)))
    return out


def keep(conf):
    return conf.kwargs["B"] > 16 and conf.num_warps == 4


MORE = [c for c in get_configs() + grown() if keep(c)]
MORE.append(triton.Config({"B": 5}))


@triton.autotune(configs=MORE, key=["x"])
@triton.jit
def made(x, B: tl.constexpr = 1):
    tl.store(x, B)

# RUN: tilec --emit=reflect-json --kernel=made -o - %s | FileCheck %s --check-prefix=MADE
# RUN: tilec --kernel=made --signature='*i32' --stop-after=frontend -o - %s | FileCheck %s --check-prefix=FIRST

# MADE:        "configurations": [
# MADE-NEXT:     {"constants": {"B": 32}, "num_warps": 4, "num_stages": 1, "pre_hook": {"computed": "hook"}},
# MADE-NEXT:     {"constants": {"B": 64}, "num_warps": 4, "num_stages": 2, "pre_hook": {"computed": "hook"}},
# MADE-NEXT:     {"constants": {"B": 256}},
# MADE-NEXT:     {"constants": {"B": 5}}
# MADE-NEXT:   ],
# FIRST:       constant {value = 32}


# Heuristics that functions and statements make are evaluated, too; unknown ones
# may set parameters with a default.
TABLE = {"B": lambda args: 1}
TABLE["B"] = lambda args: args["C"] + 1


def one_more(args): return args["B"] + 1


def make(names=("D",)):
    return {name: one_more for name in names}


@triton.heuristics({"C": lambda args, size=40: size + 2})
@triton.heuristics(TABLE)
@triton.heuristics(values=make())
@triton.heuristics({**unknown(), "E": lambda args: 5})
@triton.jit
def guided(x, B: tl.constexpr = 7, C: tl.constexpr = 7, D: tl.constexpr = 7,
           E: tl.constexpr = 7, F: tl.constexpr = 7):
    tl.store(x, B)
    tl.store(x, D)


# RUN: tilec --emit=reflect-json --kernel=guided -o - %s | FileCheck %s --check-prefix=GUIDED
# RUN: tilec --kernel=guided --signature='*i32' -D F=1 --stop-after=frontend -o - %s 2>&1 | FileCheck %s --check-prefix=SET
# RUN: not tilec --kernel=guided --signature='*i32' --stop-after=frontend -o - %s 2>&1 | FileCheck %s --check-prefix=UNSET

# GUIDED:      "heuristics": {
# GUIDED-NEXT:   "C": {"argument": "args", "expression": "size + 2"},
# GUIDED-NEXT:   "B": {"argument": "args", "expression": "args['C'] + 1"},
# GUIDED-NEXT:   "D": {"function": "one_more"},
# GUIDED-NEXT:   "computed": "unknown()",
# GUIDED-NEXT:   "E": {"argument": "args", "expression": "5"}
# GUIDED-NEXT: }
# UNSET:       error: 'F': host code computes the values of the decorators, so this may not have its default value; give it with -D
# SET-NOT:     warning
# SET:         constant {value = 43}
# SET:         constant {value = 44}


# A configuration's keyword arguments are followed, and filters of a list.
GIVEN = {"B": 5, "C": 6}


def sizes():
    return [triton.Config({"B": b, "C": 2}) for b in (1, 2, 3)]


def large(config):
    return config.kwargs["B"] > 1


@triton.autotune(configs=[triton.Config(dict(zip(("B", "C"), pair))) for pair in [(3, 4), (1, 2)]] + [triton.Config(**{"kwargs": GIVEN, "num_warps": 8})] + list(filter(large, sizes())), key=[])
@triton.heuristics({"D": lambda args: ("B" in args) + 2 * ("E" in args) + 4 * ("Z" in args), "E": lambda args: "D" in args})
@triton.jit
def spread(x, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, E: tl.constexpr, F: tl.constexpr = 1):
    tl.store(x, B + 10 * C + 100 * D)
    tl.static_assert(E)


@triton.autotune(configs=[triton.Config(dict(zip(("B", "C"), unknown())), num_warps=2)], key=[])
@triton.jit
def paired(x, B: tl.constexpr):
    tl.store(x, B)


# RUN: tilec --kernel=spread --signature='*i32' --config=0 --stop-after=frontend -o - %s | FileCheck %s --check-prefix=ZIPPED
# RUN: tilec --kernel=spread --signature='*i32' --config=2 --stop-after=frontend -o - %s | FileCheck %s --check-prefix=SPREAD
# RUN: tilec --kernel=spread --signature='*i32' --config=4 --stop-after=frontend -o - %s | FileCheck %s --check-prefix=LARGE
# RUN: not tilec --kernel=paired --signature='*i32' --stop-after=frontend -o - %s 2>&1 | FileCheck %s --check-prefix=PAIRED
# RUN: not tilec --kernel=paired --signature='*i32' -D B=mean --stop-after=frontend -o - %s 2>&1 | FileCheck %s --check-prefix=QUOTES

# ZIPPED: constant {value = 143}
# SPREAD: constant {value = 165}
# LARGE:  constant {value = 123}
# PAIRED: error: 'B': host code computes the @autotune configurations
# QUOTES: note: a text is given in quotes: 'B="mean"'
