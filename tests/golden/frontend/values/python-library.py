# Functions of Python's library give host code the results of Python. Expected
# values are those of Python running the file.
# RUN: tilec %s --kernel=k --stop-after=frontend -o /dev/null
# RUN: tilec %s --kernel=twice --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=lengths -o /dev/null 2>&1 | FileCheck %s --check-prefix=LENGTHS
# RUN: not tilec %s --kernel=inside -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSIDE
# RUN: tilec %s --kernel=again --stop-after=frontend -o /dev/null
# RUN: not tilec %s --kernel=texts -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXTS
import functools
import itertools
import math
import operator

import triton
import triton.language as tl


def difference(a, b):
    return a - b


def rest(*args, **options):
    return args, sorted(options), [options[name] for name in options]


def names(options, **rest):
    return options, rest["self"]


def odd(x):
    return x % 2 == 1


def minus(x):
    return -x


def digits(text):
    total = 0
    for c in text:
        total += int(c)
    return total

V0 = (sorted(["bb", "a", "ccc"], key=len))
V1 = (sorted([3, 1, 2], key=lambda x: -x))
V2 = (sorted([(1, "b"), (0, "a"), (1, "a")], key=lambda p: p[0], reverse=True))
V3 = (sorted(["b", "A", "c"], key=str.lower))
V4 = (min([3, 1, 2], key=lambda x: -x), max("bb", "a", key=len), min([], default=4), max([3, -5, 2], key=abs))
V5 = (max([], default=None), max({1: 2, 5: 0}), min("zax"), min(1.0, 1), max(1, 1.0))
V6 = (list(filter(lambda x: x > 1, [1, 2, 3])), list(filter(None, [0, 2, 3])))
V7 = (list(map(lambda a, b: a * b, [1, 2, 3], [4, 5])), list(map(int, "123")))
V8 = (list(zip([1, 2], [3, 4], strict=True)), list(zip("ab", (1, 2, 3))), list(zip()))
V9 = (list(enumerate("ab", 1)), list(reversed("abc")), [*"ab"], list("h\u00e9"))
V10 = (any("abc"), all([]), sum({1: 2, 3: 4}), 3 in {1, 2}, 2 not in {2})
V11 = (list(itertools.product([1, 2], [3, 4])), list(itertools.product("ab", repeat=2)), list(itertools.product()))
V12 = (list(itertools.product(zip([1, 2], [3, 4]), repeat=2)))
V13 = (list(itertools.chain([1, 2], "ab", {"k": 1})), list(itertools.chain.from_iterable([[1], [2, 3]])))
V14 = (list(itertools.permutations([1, 2, 3], 2)), list(itertools.permutations("abc")), list(itertools.permutations([1, 2], 3)))
V15 = (list(itertools.combinations([1, 2, 3], 2)), list(itertools.combinations([1, 2], 0)), list(itertools.combinations_with_replacement("ab", 2)))
V16 = (list(itertools.accumulate([3, 1, 2], max)), list(itertools.accumulate([1, 2], lambda a, b: a * b, initial=5)), list(itertools.accumulate([])))
V17 = (list(itertools.zip_longest("ab", [1], fillvalue=0)), list(itertools.starmap(pow, [(2, 3), (3, 2)])), list(itertools.pairwise("abc")))
V18 = (list(itertools.compress("abc", [1, 0, 1])), list(itertools.filterfalse(None, [0, 1])), list(itertools.repeat(3, 2)))
V19 = (functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.reduce(operator.mul, [1, 2], 5), functools.reduce(lambda a, b: b, [], None))
V20 = (functools.partial(difference, 10)(3), functools.partial(difference, b=5)(3), functools.partial(functools.partial(difference, 1), 2)())
V21 = (operator.add(1, 2), operator.floordiv(7, 2), operator.neg(3), operator.lt(1, 2), operator.and_(6, 3), operator.not_(0))
V22 = (operator.itemgetter(1)("ab"), operator.itemgetter(1, 0)("ab"), sorted([(1, 3), (2, 1)], key=operator.itemgetter(1)))
V23 = (math.gcd(12, 18), math.gcd(), math.gcd(0, -4), math.lcm(-4, 6), math.lcm(), math.isqrt(15), math.isqrt(16), math.isqrt(10**20), math.lcm(2**126, 2**126) == 2**126, math.comb(129, 60) % 1000)
V24 = (math.comb(10, 3), math.comb(3, 10), math.perm(5), math.perm(5, 2), math.factorial(5), math.prod([1.5, 2]), math.prod([]), math.degrees(1.0))
V25 = (rest(1, 2, a=3, b=4), rest(rest=5), names(1, self=2), rest(*"ab", **{"c": 1} | {"c": 2, "d": 3}))
V26 = ({i: c for i, c in enumerate("abc")}[2], dict(zip("ab", [1, 2]))["b"], digits("123"))
V27 = (next(iter([3, 4])), next(x for x in (1, 5, 9) if x > 4), next(iter([]), 7), next(map(abs, [-2, 3])), list(iter("ab")), next(reversed("ab")))
V28 = (list(itertools.islice([1, 2, 3, 4], 2)), list(itertools.islice("abcdef", 1, None, 2)), list(itertools.islice(zip("ab", [1, 2]), 1, 5)), list(itertools.islice([1, 2], None)), list(itertools.islice([1, 2], 0)))
V29 = (bin(5), bin(-5), bin(0), hex(255), hex(-1), hex(10**20), oct(8), oct(True), chr(65), chr(233), chr(0x1f600), ord("a"), ord("\u00e9"), ord(chr(0x20ac)))
V30 = (repr("a"), repr("it's"), repr(1.0), repr(None), repr([1, (2,), {"k": "v"}]), repr(True))
V31 = (pow(3, 4, 5), pow(2, 100, 1000007), pow(3, 2, -5), pow(-3, 3, 7), pow(5, 0, 1), pow(2, 3, mod=3), pow(2, 10), pow(10**15, 10**15, 10**15 + 37))
V32 = ([1, 2, 3, 4][slice(2)], "abcd"[slice(1, None)], [1, 2, 3, 4][slice(None, None, -1)], list(filter(odd, [1, 2, 3])), sorted([3, 1, 2], key=minus), list(map(minus, [1, 2])))
PAIRS = zip("ab", [1, 2])
FIRST = list(PAIRS)
SECOND = list(PAIRS)
LETTERS = iter("ab")
LETTER = next(LETTERS)
LEFT = list(LETTERS)
TYPES = repr(tl.float32)
INVERSE = pow(6, -1, 9)
UNEQUAL = list(zip([1], [1, 2], strict=True))


@triton.jit
def k():
    tl.static_assert(V0 == ('a', 'bb', 'ccc'))
    tl.static_assert(V1 == (3, 2, 1))
    tl.static_assert(V2 == ((1, 'b'), (1, 'a'), (0, 'a')))
    tl.static_assert(V3 == ('A', 'b', 'c'))
    tl.static_assert(V4 == (3, 'bb', 4, -5))
    tl.static_assert(V5 == (None, 5, 'a', 1.0, 1))
    tl.static_assert(V6 == ((2, 3), (2, 3)))
    tl.static_assert(V7 == ((4, 10), (1, 2, 3)))
    tl.static_assert(V8 == (((1, 3), (2, 4)), (('a', 1), ('b', 2)), ()))
    tl.static_assert(V9 == (((1, 'a'), (2, 'b')), ('c', 'b', 'a'), ('a', 'b'), ('h', 'é')))
    tl.static_assert(V10 == (True, True, 4, False, False))
    tl.static_assert(V11 == (((1, 3), (1, 4), (2, 3), (2, 4)), (('a', 'a'), ('a', 'b'), ('b', 'a'), ('b', 'b')), ((),)))
    tl.static_assert(V12 == (((1, 3), (1, 3)), ((1, 3), (2, 4)), ((2, 4), (1, 3)), ((2, 4), (2, 4))))
    tl.static_assert(V13 == ((1, 2, 'a', 'b', 'k'), (1, 2, 3)))
    tl.static_assert(V14 == (((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)), (('a', 'b', 'c'), ('a', 'c', 'b'), ('b', 'a', 'c'), ('b', 'c', 'a'), ('c', 'a', 'b'), ('c', 'b', 'a')), ()))
    tl.static_assert(V15 == (((1, 2), (1, 3), (2, 3)), ((),), (('a', 'a'), ('a', 'b'), ('b', 'b'))))
    tl.static_assert(V16 == ((3, 3, 3), (5, 5, 10), ()))
    tl.static_assert(V17 == ((('a', 1), ('b', 0)), (8, 9), (('a', 'b'), ('b', 'c'))))
    tl.static_assert(V18 == (('a', 'c'), (0,), (3, 3)))
    tl.static_assert(V19 == (24, 10, None))
    tl.static_assert(V20 == (7, -2, -1))
    tl.static_assert(V21 == (3, 3, -3, True, 2, True))
    tl.static_assert(V22 == ('b', ('b', 'a'), ((2, 1), (1, 3))))
    tl.static_assert(V23 == (6, 0, 4, 12, 1, 3, 4, 10000000000, True, 800))
    tl.static_assert(V24 == (120, 0, 120, 20, 120, 3.0, 1, 57.29577951308232))
    tl.static_assert(V25 == (((1, 2), ('a', 'b'), (3, 4)), ((), ('rest',), (5,)), (1, 2), (('a', 'b'), ('c', 'd'), (2, 3))))
    tl.static_assert(V26 == ('c', 2, 6))
    tl.static_assert(V27 == (3, 5, 7, 2, ('a', 'b'), 'b'))
    tl.static_assert(V28 == ((1, 2), ('b', 'd', 'f'), (('b', 2),), (1, 2), ()))
    tl.static_assert(V29 == ('0b101', '-0b101', '0b0', '0xff', '-0x1', '0x56bc75e2d63100000', '0o10', '0o1', 'A', 'é', '😀', 97, 233, 8364))
    tl.static_assert(V30 == ("'a'", '"it\'s"', '1.0', 'None', "[1, (2,), {'k': 'v'}]", 'True'))
    tl.static_assert(V31 == (1, 698635, -1, 1, 0, 2, 1024, 314641063639763))
    tl.static_assert(V32 == ((1, 2), 'bcd', (4, 3, 2, 1), (1, 3), (3, 2, 1), (-1, -2)))


# In Python the second list is empty.
@triton.jit
def twice():
    tl.static_assert(len(FIRST) + len(SECOND) == 2)


# LENGTHS: error: 'zip' with strict=True wants items of one number, found 1 and 2
@triton.jit
def lengths():
    tl.static_assert(len(UNEQUAL) == 1)


# INSIDE: error: 'filter' is a function of Python's; host code is not run here
@triton.jit
def inside():
    tl.static_assert(len(filter(None, (1, 2))) == 2)


# In Python the rest is "b".
@triton.jit
def again():
    tl.static_assert(LETTER == "a")
    tl.static_assert(len(LEFT) == 1)


# TEXTS: error: 'repr' is a function of Python's; host code is not run here
# TEXTS: error: assertion failed: base is not invertible for the given modulus
@triton.jit
def texts():
    tl.static_assert(TYPES == "fp32")
    tl.static_assert(INVERSE == 5)
