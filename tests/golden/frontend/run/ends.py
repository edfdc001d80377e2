# Functions of Python at the ends of what they take: CPython gives the same values.
# An unknown value must be told as such.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import enum
from collections import namedtuple
from dataclasses import dataclass, field


def fate(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


# Too few and too many arguments.
# CHECK: FEW_0{{ = 'TypeError'$|: unknown$}}
FEW_0 = fate(lambda: isinstance(3))
# CHECK: FEW_1{{ = 'TypeError'$|: unknown$}}
FEW_1 = fate(lambda: issubclass(int))
# CHECK: FEW_2{{ = 'TypeError'$|: unknown$}}
FEW_2 = fate(lambda: len())
# CHECK: FEW_3{{ = 'TypeError'$|: unknown$}}
FEW_3 = fate(lambda: abs())
# CHECK: MANY_0{{ = 'TypeError'$|: unknown$}}
MANY_0 = fate(lambda: isinstance(3, int, 4))
# CHECK: MANY_1{{ = 'TypeError'$|: unknown$}}
MANY_1 = fate(lambda: len([], []))
# CHECK: MANY_2{{ = 'TypeError'$|: unknown$}}
MANY_2 = fate(lambda: abs(1, 2))
# CHECK: MANY_3{{ = 'TypeError'$|: unknown$}}
MANY_3 = fate(lambda: tuple([], 1))
# CHECK: {{^}}BARE_0 = 'TypeError'{{$}}
BARE_0 = fate(lambda: max(1, 2, default=3))
# CHECK: {{^}}BARE_1 = 'TypeError'{{$}}
BARE_1 = fate(lambda: max(default=3))
# CHECK: {{^}}BARE_2 = 'TypeError'{{$}}
BARE_2 = fate(lambda: max(3))
# CHECK: {{^}}BARE_3 = 'TypeError'{{$}}
BARE_3 = fate(lambda: max())
# CHECK: {{^}}BARE_4 = 'ValueError'{{$}}
BARE_4 = fate(lambda: min([]))
# CHECK: BARE_5{{ = 'TypeError'$|: unknown$}}
BARE_5 = fate(lambda: sorted())
# CHECK: {{^}}BARE_6 = 'TypeError'{{$}}
BARE_6 = fate(lambda: dict(1))

# A copy is an object of its own, and of its own type.
# CHECK: FIRST{{ = \[1,\ 2,\ 3\]$|: unknown$}}
FIRST = [1, 2]
COPY, SAME, AGAIN = tuple(FIRST), list(FIRST), tuple(tuple(FIRST))
FIRST.append(3)
# CHECK: {{^}}COPIES_0 = (1, 2){{$}}
COPIES_0 = COPY
# CHECK: {{^}}COPIES_1 = [1, 2]{{$}}
COPIES_1 = SAME
# CHECK: {{^}}COPIES_2 = (1, 2){{$}}
COPIES_2 = AGAIN
# CHECK: {{^}}COPIES_3 = True{{$}}
COPIES_3 = isinstance(COPY, tuple)
# CHECK: {{^}}COPIES_4 = False{{$}}
COPIES_4 = isinstance(COPY, list)
# CHECK: {{^}}COPIES_5 = True{{$}}
COPIES_5 = isinstance(SAME, list)
# CHECK: {{^}}KINDS_0 = True{{$}}
KINDS_0 = isinstance(True, int)
# CHECK: {{^}}KINDS_1 = False{{$}}
KINDS_1 = isinstance(1, bool)
# CHECK: {{^}}KINDS_2 = False{{$}}
KINDS_2 = isinstance(1, (str, bool))
# CHECK: {{^}}KINDS_3 = True{{$}}
KINDS_3 = isinstance("", (int, (str, bool)))
# CHECK: {{^}}MORE_KINDS_0 = True{{$}}
MORE_KINDS_0 = isinstance(None, object)
# CHECK: {{^}}MORE_KINDS_1 = True{{$}}
MORE_KINDS_1 = isinstance({}, dict)
# CHECK: {{^}}MORE_KINDS_2 = True{{$}}
MORE_KINDS_2 = isinstance({1}, set)
# CHECK: {{^}}MORE_KINDS_3 = False{{$}}
MORE_KINDS_3 = isinstance(1.0, int)
# CHECK: MORE_KINDS_4{{ = False$|: unknown$}}
MORE_KINDS_4 = isinstance(fate, type)


class Base:
    size = 4


class Child(Base):
    pass


# CHECK: {{^}}CLASSES_0 = True{{$}}
CLASSES_0 = isinstance(Child(), Base)
# CHECK: {{^}}CLASSES_1 = False{{$}}
CLASSES_1 = isinstance(Base(), Child)
# CHECK: CLASSES_2{{ = False$|: unknown$}}
CLASSES_2 = isinstance(Base, Base)
# CHECK: {{^}}CLASSES_3 = True{{$}}
CLASSES_3 = isinstance(Child, type)
# CHECK: {{^}}CLASSES_4 = False{{$}}
CLASSES_4 = isinstance(1, Base)
# CHECK: {{^}}BELOW_0 = True{{$}}
BELOW_0 = issubclass(Child, Base)
# CHECK: {{^}}BELOW_1 = False{{$}}
BELOW_1 = issubclass(Base, Child)
# CHECK: {{^}}BELOW_2 = True{{$}}
BELOW_2 = issubclass(Base, Base)
# CHECK: BELOW_3{{ = True$|: unknown$}}
BELOW_3 = issubclass(bool, int)
# CHECK: BELOW_4{{ = True$|: unknown$}}
BELOW_4 = issubclass(Child, (int, Base))

# The same keys with other items, the same items in another order.
# CHECK: {{^}}DICTS_0 = False{{$}}
DICTS_0 = {1: 2} == {1: 3}
# CHECK: {{^}}DICTS_1 = True{{$}}
DICTS_1 = {1: 2} == {1: 2.0}
# CHECK: {{^}}DICTS_2 = True{{$}}
DICTS_2 = {1: 2, 3: 4} == {3: 4, 1: 2}
# CHECK: {{^}}DICTS_3 = False{{$}}
DICTS_3 = {1: 2} == {1: 2, 3: 4}
# CHECK: {{^}}DICTS_4 = False{{$}}
DICTS_4 = {} == {1: 1}
# CHECK: {{^}}DICTS_5 = True{{$}}
DICTS_5 = {1: 2} != {1: 3}
# CHECK: {{^}}SETS_0 = True{{$}}
SETS_0 = {1, 2} == {2, 1}
# CHECK: {{^}}SETS_1 = False{{$}}
SETS_1 = {1} == {1, 2}
# CHECK: SETS_2{{ = True$|: unknown$}}
SETS_2 = {1} < {1, 2}
# CHECK: SETS_3{{ = False$|: unknown$}}
SETS_3 = {1, 2} < {1, 2}
# CHECK: SETS_4{{ = True$|: unknown$}}
SETS_4 = {1, 2} <= {1, 2}
# CHECK: {{^}}SETS_5 = True{{$}}
SETS_5 = {1} == frozenset([1])
# CHECK: {{^}}LISTS_0 = True{{$}}
LISTS_0 = [1, 2] < [1, 3]
# CHECK: {{^}}LISTS_1 = False{{$}}
LISTS_1 = [1, 2] < [1]
# CHECK: {{^}}LISTS_2 = True{{$}}
LISTS_2 = [] < [0]
# CHECK: {{^}}LISTS_3 = True{{$}}
LISTS_3 = [1, 2] <= [1, 2]
# CHECK: {{^}}LISTS_4 = False{{$}}
LISTS_4 = [1] == (1,)
# CHECK: {{^}}LISTS_5 = True{{$}}
LISTS_5 = (1, 2) > (1,)

# Items at both ends, and one behind them.
# CHECK: {{^}}ENDS_0 = 1{{$}}
ENDS_0 = FIRST[-3]
# CHECK: {{^}}ENDS_1 = 3{{$}}
ENDS_1 = FIRST[2]
# CHECK: {{^}}ENDS_2 = 'IndexError'{{$}}
ENDS_2 = fate(lambda: FIRST[3])
# CHECK: {{^}}ENDS_3 = 'IndexError'{{$}}
ENDS_3 = fate(lambda: FIRST[-4])
# CHECK: {{^}}ENDS_4 = 'a'{{$}}
ENDS_4 = "abc"[-3]
# CHECK: {{^}}ENDS_5 = 'IndexError'{{$}}
ENDS_5 = fate(lambda: "abc"[3])
# CHECK: {{^}}SLICES_0 = []{{$}}
SLICES_0 = FIRST[3:]
# CHECK: {{^}}SLICES_1 = [1]{{$}}
SLICES_1 = FIRST[-9:1]
# CHECK: {{^}}SLICES_2 = [3, 2, 1]{{$}}
SLICES_2 = FIRST[::-1]
# CHECK: {{^}}SLICES_3 = [3, 2]{{$}}
SLICES_3 = FIRST[2:0:-1]
# CHECK: {{^}}SLICES_4 = []{{$}}
SLICES_4 = FIRST[5:9]
# CHECK: {{^}}SLICES_5 = []{{$}}
SLICES_5 = FIRST[1:1]
# CHECK: SLICES_6{{ = 'ValueError'$|: unknown$}}
SLICES_6 = fate(lambda: FIRST[::0])
# CHECK: {{^}}PUT = [0, 9, 7]{{$}}
PUT = [0, 1, 2, 3]
PUT[1:3] = [9]
PUT[-1] = 7
# CHECK: {{^}}WRITTEN_0 = [0, 9, 7]{{$}}
WRITTEN_0 = PUT
# CHECK: {{^}}WRITTEN_1 = 'IndexError'{{$}}
WRITTEN_1 = fate(lambda: PUT.pop(3))
# CHECK: {{^}}WRITTEN_2 = 'ValueError'{{$}}
WRITTEN_2 = fate(lambda: PUT.remove(5))
# CHECK: {{^}}WRITTEN_3 = 1{{$}}
WRITTEN_3 = PUT.index(9)
# CHECK: {{^}}WRITTEN_4 = 'ValueError'{{$}}
WRITTEN_4 = fate(lambda: PUT.index(5))
# CHECK: {{^}}WRITTEN_5 = 1{{$}}
WRITTEN_5 = PUT.count(9)
# CHECK: {{^}}PLACED = [5, 9, 8, 6, 7]{{$}}
PLACED = [9, 8]
PLACED.insert(9, 7)
PLACED.insert(-1, 6)
PLACED.insert(-9, 5)
# CHECK: {{^}}INSERTED = [5, 9, 8, 6, 7]{{$}}
INSERTED = PLACED

# Numbers that divide by nothing, and the signs of remainders.
# CHECK: {{^}}ZEROS_0 = 'ZeroDivisionError'{{$}}
ZEROS_0 = fate(lambda: 1 / 0)
# CHECK: {{^}}ZEROS_1 = 'ZeroDivisionError'{{$}}
ZEROS_1 = fate(lambda: 1.0 // 0)
# CHECK: {{^}}ZEROS_2 = 'ZeroDivisionError'{{$}}
ZEROS_2 = fate(lambda: 1 % 0.0)
# CHECK: ZEROS_3{{ = 'ZeroDivisionError'$|: unknown$}}
ZEROS_3 = fate(lambda: 0 ** -1)
# CHECK: {{^}}ZEROS_4 = 'ZeroDivisionError'{{$}}
ZEROS_4 = fate(lambda: divmod(1, 0))
# CHECK: {{^}}SIGNS_0 = -2{{$}}
SIGNS_0 = 7 % -3
# CHECK: {{^}}SIGNS_1 = 2{{$}}
SIGNS_1 = -7 % 3
# CHECK: {{^}}SIGNS_2 = -4{{$}}
SIGNS_2 = -7 // 2
# CHECK: {{^}}SIGNS_3 = -0.5{{$}}
SIGNS_3 = 7.5 % -2
# CHECK: {{^}}SIGNS_4 = (-4, 1){{$}}
SIGNS_4 = divmod(-7, 2)
# CHECK: {{^}}SIGNS_5 = (-4, -1){{$}}
SIGNS_5 = divmod(7, -2)
# CHECK: {{^}}SIGNS_6 = 4{{$}}
SIGNS_6 = -(-7 // 2)
# CHECK: {{^}}ROUNDS_0 = 0{{$}}
ROUNDS_0 = round(0.5)
# CHECK: {{^}}ROUNDS_1 = 2{{$}}
ROUNDS_1 = round(1.5)
# CHECK: {{^}}ROUNDS_2 = 2{{$}}
ROUNDS_2 = round(2.5)
# CHECK: {{^}}ROUNDS_3 = 0{{$}}
ROUNDS_3 = round(-0.5)
# CHECK: {{^}}ROUNDS_4 = -2{{$}}
ROUNDS_4 = int(-2.9)
# CHECK: {{^}}ROUNDS_5 = -12{{$}}
ROUNDS_5 = int("-12")
# CHECK: {{^}}ROUNDS_6 = 0.0{{$}}
ROUNDS_6 = abs(-0.0)
# CHECK: {{^}}ROUNDS_7 = 24{{$}}
ROUNDS_7 = pow(2, 10, 1000)
# CHECK: {{^}}ROUNDS_8 = 9{{$}}
ROUNDS_8 = pow(3, 2)
# CHECK: {{^}}SHIFTS_0 = 18446744073709551616{{$}}
SHIFTS_0 = 1 << 64
# CHECK: {{^}}SHIFTS_1 = 2{{$}}
SHIFTS_1 = (1 << 64) >> 63
# CHECK: {{^}}SHIFTS_2 = -1{{$}}
SHIFTS_2 = -1 >> 70
# CHECK: SHIFTS_3{{ = 'ValueError'$|: unknown$}}
SHIFTS_3 = fate(lambda: 1 << -1)
# CHECK: {{^}}SHIFTS_4 = -1{{$}}
SHIFTS_4 = ~0
# CHECK: {{^}}SHIFTS_5 = -4{{$}}
SHIFTS_5 = -8 >> 1
# CHECK: {{^}}SHIFTS_6 = -7{{$}}
SHIFTS_6 = 6 ^ -1

# Calls by name, by position and by both.
def spread(a, b=2, *rest, c=3, **more):
    return a, b, rest, c, sorted(more.items())


# CHECK: {{^}}CALLS_0 = (1, 2, (), 3, []){{$}}
CALLS_0 = spread(1)
# CHECK: {{^}}CALLS_1 = (1, 5, (6, 7), 3, []){{$}}
CALLS_1 = spread(1, 5, 6, 7)
# CHECK: {{^}}CALLS_2 = (0, 4, (), 3, []){{$}}
CALLS_2 = spread(b=4, a=0)
# CHECK: {{^}}CALLS_3 = (1, 2, (), 9, [('y', 2), ('z', 1)]){{$}}
CALLS_3 = spread(1, c=9, z=1, y=2)
# CHECK: {{^}}CALLS_4 = (1, 2, (3,), 4, []){{$}}
CALLS_4 = spread(*[1, 2], *[3], **{"c": 4})
# CHECK: {{^}}REFUSED_0 = 'TypeError'{{$}}
REFUSED_0 = fate(lambda: spread())
# CHECK: {{^}}REFUSED_1 = 'TypeError'{{$}}
REFUSED_1 = fate(lambda: spread(1, a=2))
# CHECK: REFUSED_2{{ = 'TypeError'$|: unknown$}}
REFUSED_2 = fate(lambda: spread(1, **3))
# CHECK: {{^}}REFUSED_3 = 'TypeError'{{$}}
REFUSED_3 = fate(lambda: fate(1, 2))
# CHECK: {{^}}REFUSED_4 = 'TypeError'{{$}}
REFUSED_4 = fate(lambda: fate(x=1))


@dataclass
class Record:
    a: int
    b: int = 5
    c: int = 6
    d: list = field(default_factory=list)


# CHECK: RECORDS{{ = \[\(1,\ 5,\ 6,\ \[\]\),\ \(1,\ 5,\ 2,\ \[\]\),\ \(1,\ 2,\ 3,\ \[4\]\),\ \(2,\ 1,\ 6,\ \[\]\)\]$|: unknown$}}
RECORDS = [(r.a, r.b, r.c, r.d) for r in (Record(1), Record(1, c=2), Record(1, 2, 3, [4]), Record(b=1, a=2))]
# CHECK: FIELDS_0{{ = True$|: unknown$}}
FIELDS_0 = Record(1) == Record(1)
# CHECK: FIELDS_1{{ = False$|: unknown$}}
FIELDS_1 = Record(1) == Record(2)
# CHECK: FIELDS_2{{ = False$|: unknown$}}
FIELDS_2 = Record(1, 5, 7) == Record(1, 5, 6)
# CHECK: FIELDS_3{{ = 'TypeError'$|: unknown$}}
FIELDS_3 = fate(lambda: Record())
# CHECK: FIELDS_4{{ = 'TypeError'$|: unknown$}}
FIELDS_4 = fate(lambda: Record(1, e=2))
Point = namedtuple("Point", "x y")
# CHECK: {{^}}POINTS_0 = 2{{$}}
POINTS_0 = Point(1, 2).y
# CHECK: {{^}}POINTS_1 = 2{{$}}
POINTS_1 = Point(y=1, x=2).x
# CHECK: {{^}}POINTS_2 = True{{$}}
POINTS_2 = Point(1, 2) == (1, 2)
# CHECK: {{^}}POINTS_3 = 2{{$}}
POINTS_3 = Point(1, 2)[1]
# CHECK: {{^}}POINTS_4 = 2{{$}}
POINTS_4 = len(Point(1, 2))
# CHECK: {{^}}POINTS_5 = 'TypeError'{{$}}
POINTS_5 = fate(lambda: Point(1))


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2
    ALSO = 1


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


# CHECK: SIDES_0{{ = 1$|: unknown$}}
SIDES_0 = Side.LEFT.value
# CHECK: SIDES_1{{ = 'RIGHT'$|: unknown$}}
SIDES_1 = Side.RIGHT.name
# CHECK: SIDES_2{{ = 'RIGHT'$|: unknown$}}
SIDES_2 = Side(2).name
# CHECK: SIDES_3{{ = 'LEFT'$|: unknown$}}
SIDES_3 = Side.ALSO.name
# CHECK: SIDES_4{{ = False$|: unknown$}}
SIDES_4 = Side.LEFT == 1
# CHECK: SIDES_5{{ = True$|: unknown$}}
SIDES_5 = Side.LEFT is Side.ALSO
# CHECK: SIDES_6{{ = 2$|: unknown$}}
SIDES_6 = Side["RIGHT"].value
# CHECK: SIDES_7{{ = 'ValueError'$|: unknown$}}
SIDES_7 = fate(lambda: Side(3))
# CHECK: {{^}}NUMBERS_0 = True{{$}}
NUMBERS_0 = Number.ONE == 1
# CHECK: {{^}}NUMBERS_1 = 3{{$}}
NUMBERS_1 = Number.TWO + 1
# CHECK: NUMBERS_2{{ = 'TWO'$|: unknown$}}
NUMBERS_2 = Number(2).name
# CHECK: NUMBERS_3{{ = True$|: unknown$}}
NUMBERS_3 = Number.ONE < Number.TWO
# CHECK: NUMBERS_4{{ = 2$|: unknown$}}
NUMBERS_4 = len(Number)
# CHECK: NUMBERS_5{{ = \[1,\ 2\]$|: unknown$}}
NUMBERS_5 = [n.value for n in Number]

# Iterations that end early, that are empty, and that are of unequal lengths.
# CHECK: {{^}}PAIRS_0 = [(1, 3)]{{$}}
PAIRS_0 = list(zip([1, 2], [3]))
# CHECK: PAIRS_1{{ = \[\]$|: unknown$}}
PAIRS_1 = list(zip())
# CHECK: {{^}}PAIRS_2 = [(1, 'a'), (2, 'b')]{{$}}
PAIRS_2 = list(enumerate("ab", 1))
# CHECK: {{^}}PAIRS_3 = [4, 4]{{$}}
PAIRS_3 = list(map(lambda a, b: a - b, [5, 6], [1, 2, 3]))
# CHECK: {{^}}EMPTY_0 = 0{{$}}
EMPTY_0 = sum([])
# CHECK: {{^}}EMPTY_1 = True{{$}}
EMPTY_1 = all([])
# CHECK: {{^}}EMPTY_2 = False{{$}}
EMPTY_2 = any([])
# CHECK: {{^}}EMPTY_3 = 7{{$}}
EMPTY_3 = max([], default=7)
# CHECK: {{^}}EMPTY_4 = []{{$}}
EMPTY_4 = list(range(0))
# CHECK: {{^}}EMPTY_5 = []{{$}}
EMPTY_5 = list(range(3, 0))
# CHECK: {{^}}EMPTY_6 = [0]{{$}}
EMPTY_6 = list(range(0, 5, 5))
# CHECK: {{^}}EMPTY_7 = []{{$}}
EMPTY_7 = list(reversed([]))
# CHECK: {{^}}NEXT_0 = 4{{$}}
NEXT_0 = next(iter([])  , 4)
# CHECK: {{^}}NEXT_1 = 3{{$}}
NEXT_1 = next(iter([3, 4]))
# CHECK: {{^}}NEXT_2 = 'StopIteration'{{$}}
NEXT_2 = fate(lambda: next(iter([])))
# CHECK: {{^}}KEYED_0 = [1, 3, -4]{{$}}
KEYED_0 = sorted([3, -4, 1], key=abs)
# CHECK: KEYED_1{{ = \['A',\ 'b'\]$|: unknown$}}
KEYED_1 = sorted("bA", key=str.lower)
# CHECK: {{^}}KEYED_2 = [3, 2, 1]{{$}}
KEYED_2 = sorted([1, 3, 2], reverse=True)
# CHECK: {{^}}KEYED_3 = -4{{$}}
KEYED_3 = max([3, -4], key=abs)
# CHECK: {{^}}KEYED_4 = 'b'{{$}}
KEYED_4 = min("aa", "b", key=len)
# CHECK: {{^}}UNPACKED_0 = 'TypeError'{{$}}
UNPACKED_0 = fate(lambda: (lambda a, b: a)(*[1]))
# CHECK: UNPACKED_1{{ = \[1\]$|: unknown$}}
UNPACKED_1 = [a for a, *b in [(1, 2, 3)]]
# CHECK: UNPACKED_2{{ = \[\[\],\ \[2\]\]$|: unknown$}}
UNPACKED_2 = [b for a, *b in [(1,), (1, 2)]]
# CHECK: UNPACKED_3{{ = \[2\]$|: unknown$}}
UNPACKED_3 = [c for *b, c in [(1, 2)]]

# Texts.
# CHECK: {{^}}FORMS_0 = '    3|'{{$}}
FORMS_0 = f"{3:5}|"
# CHECK: {{^}}FORMS_1 = '3    |'{{$}}
FORMS_1 = f"{3:<5}|"
# CHECK: {{^}}FORMS_2 = 'a    |'{{$}}
FORMS_2 = f"{'a':5}|"
# CHECK: {{^}}FORMS_3 = '  2.5|'{{$}}
FORMS_3 = f"{2.5:5}|"
# CHECK: {{^}}FORMS_4 = '-0003'{{$}}
FORMS_4 = f"{-3:05}"
# CHECK: {{^}}FORMS_5 = '+3'{{$}}
FORMS_5 = f"{3:+}"
# CHECK: {{^}}FORMS_6 = '1,234,567'{{$}}
FORMS_6 = f"{1234567:,}"
# CHECK: {{^}}FORMS_7 = '0xff'{{$}}
FORMS_7 = f"{255:#x}"
# CHECK: {{^}}FORMS_8 = '  7  |'{{$}}
FORMS_8 = f"{7:^5}|"
# CHECK: {{^}}FORMS_9 = '50%'{{$}}
FORMS_9 = f"{0.5:.0%}"
# CHECK: {{^}}FORMS_10 = '1'{{$}}
FORMS_10 = f"{1.0:g}"
# CHECK: {{^}}FORMS_11 = '1'{{$}}
FORMS_11 = f"{True:d}"
# CHECK: {{^}}FORMS_12 = True{{$}}
FORMS_12 = f"{5:c}|" == "\x05|"
# CHECK: WRONG_0{{ = 'ValueError'$|: unknown$}}
WRONG_0 = fate(lambda: f"{3:s}")
# CHECK: WRONG_1{{ = 'ValueError'$|: unknown$}}
WRONG_1 = fate(lambda: f"{'a':d}")
# CHECK: WRONG_2{{ = 'ValueError'$|: unknown$}}
WRONG_2 = fate(lambda: f"{2.5:x}")
# CHECK: WRONG_3{{ = 'ValueError'$|: unknown$}}
WRONG_3 = fate(lambda: f"{3:.2d}")
# CHECK: {{^}}WRONG_4 = 'ValueError'{{$}}
WRONG_4 = fate(lambda: int("x"))
# CHECK: {{^}}WRONG_5 = 'ValueError'{{$}}
WRONG_5 = fate(lambda: int(""))
# CHECK: WRONG_6{{ = 'ValueError'$|: unknown$}}
WRONG_6 = fate(lambda: float("1e"))
# CHECK: {{^}}TEXTS_0 = ['a', 'b', '']{{$}}
TEXTS_0 = "a,b,".split(",")
# CHECK: {{^}}TEXTS_1 = ['a', 'b,c']{{$}}
TEXTS_1 = "a,b,c".split(",", 1)
# CHECK: {{^}}TEXTS_2 = ['']{{$}}
TEXTS_2 = "".split(",")
# CHECK: {{^}}TEXTS_3 = []{{$}}
TEXTS_3 = "".split()
# CHECK: {{^}}TEXTS_4 = 'a'{{$}}
TEXTS_4 = " a ".strip()
# CHECK: {{^}}TEXTS_5 = 'a'{{$}}
TEXTS_5 = "xax".strip("x")
# CHECK: {{^}}TEXTS_6 = -1{{$}}
TEXTS_6 = "abc".find("d")
# CHECK: {{^}}TEXTS_7 = 3{{$}}
TEXTS_7 = "abc".rfind("")
# CHECK: {{^}}TEXTS_8 = ''{{$}}
TEXTS_8 = "ab" * 0
# CHECK: {{^}}TEXTS_9 = 2{{$}}
TEXTS_9 = "abab".count("ab")
# CHECK: {{^}}PARTS_0 = ('a.b', '.', 'c'){{$}}
PARTS_0 = "a.b.c".rpartition(".")
# CHECK: {{^}}PARTS_1 = ('abc', '', ''){{$}}
PARTS_1 = "abc".partition(".")
# CHECK: {{^}}PARTS_2 = ('a', '.', 'b'){{$}}
PARTS_2 = "a.b".partition(".")
# CHECK: {{^}}PARTS_3 = True{{$}}
PARTS_3 = "abc".startswith(("x", "a"))
# CHECK: {{^}}PARTS_4 = True{{$}}
PARTS_4 = "abc".endswith("")
# CHECK: {{^}}PARTS_5 = ''{{$}}
PARTS_5 = "-".join([])
# CHECK: {{^}}PARTS_6 = 'a-b'{{$}}
PARTS_6 = "-".join("ab")
# CHECK: {{^}}PARTS_7 = '-a-b-c-'{{$}}
PARTS_7 = "abc".replace("", "-")
# CHECK: {{^}}PARTS_8 = 'bba'{{$}}
PARTS_8 = "aaa".replace("a", "b", 2)

# A loop's end decides on its `else`.
def ended(items, wanted):
    for i in items:
        if i == wanted:
            break
        if i < 0:
            continue
        last = i
    else:
        return "all"
    return i


# CHECK: {{^}}ELSES_0 = 2{{$}}
ELSES_0 = ended([1, 2], 2)
# CHECK: {{^}}ELSES_1 = 'all'{{$}}
ELSES_1 = ended([1, 2], 3)
# CHECK: {{^}}ELSES_2 = 'all'{{$}}
ELSES_2 = ended([], 1)
# CHECK: {{^}}ELSES_3 = 'all'{{$}}
ELSES_3 = ended([-1], 1)
# CHECK: {{^}}ELSES_4 = -1{{$}}
ELSES_4 = ended([-1, -1], -1)


def tried(x):
    path = []
    try:
        path.append(1 // x)
    except (KeyError, ZeroDivisionError) as error:
        path.append(type(error).__name__)
    except Exception:
        path.append("other")
    else:
        path.append("else")
    finally:
        path.append("end")
    return path


# CHECK: {{^}}TRIED_0 = ['ZeroDivisionError', 'end']{{$}}
TRIED_0 = tried(0)
# CHECK: {{^}}TRIED_1 = [1, 'else', 'end']{{$}}
TRIED_1 = tried(1)
# CHECK: {{^}}TRIED_2 = ['other', 'end']{{$}}
TRIED_2 = tried("a")
# CHECK: {{^}}CHAINS_0 = True{{$}}
CHAINS_0 = 1 < 2 < 3
# CHECK: {{^}}CHAINS_1 = False{{$}}
CHAINS_1 = 1 < 3 < 2
# CHECK: {{^}}CHAINS_2 = False{{$}}
CHAINS_2 = 3 > 2 != 2
# CHECK: {{^}}CHAINS_3 = True{{$}}
CHAINS_3 = 1 == 1.0 == True
# CHECK: {{^}}CHAINS_4 = 3{{$}}
CHAINS_4 = 0 or [] or 3
# CHECK: {{^}}CHAINS_5 = 0{{$}}
CHAINS_5 = 1 and 0 and 2
# CHECK: {{^}}CHAINS_6 = 4{{$}}
CHAINS_6 = not [] and 4
# CHECK: {{^}}CHAINS_7 = 2{{$}}
CHAINS_7 = 1 if [] else 2
