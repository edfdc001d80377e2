# Iterators, and views of dictionaries, have in Python the contents that their
# object has when they are read: they are known at their place, and while they
# stay in a function that does not change the object.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import functools
import itertools

import triton
import triton.language as tl

once = iter([1, 2, 3])
first = list(once)
second = list(once)


def make():
    items = iter([1, 2])
    return lambda: tuple(items)


get = make()
got = get()


def given(items=iter([7, 8])):
    return tuple(items)


taken = given()


class Box:
    items = iter([1, 2])


boxed = tuple(Box.items)


def late_keys():
    table = {}
    keys = table.keys()
    table[1] = 2
    return len(tuple(keys))


def late_items():
    items = [q for q in range(3)]
    chosen = (q for q in items)
    items.append(2)
    return len(list(chosen))


def spent():
    items = iter([1, 2])
    x, y = items
    return x + y + len(list(items))


def shortened():
    items = [1, 2, 3]
    for x, y in zip([1, 2, 3], items, strict=True):
        items.pop()
    return len(items)


partial = functools.partial(list, iter([1, 2]))
part = partial()
same = {1: 2}.keys() == {1}
empty = 1 if iter([]) else 0
kind = isinstance(iter([1]), tuple)
text = f"{iter([1])}"
several = list(map(iter, [[1], [2]]))


@triton.jit
def unknown(p: "*i32"):
    tl.static_assert(len(second) == 0 and got == (1, 2) and taken == (7, 8))
    tl.static_assert(boxed == (1, 2) and LATE_KEYS == 1 and LATE_ITEMS == 4)
    tl.static_assert(SPENT == 3)
    # CHECK: 'SHORTENED' of host code
    tl.store(p, SHORTENED)
    # CHECK: an iterator, or a view of a dictionary, is used where it is made
    tl.store(p, len(part))
    # CHECK: an iterator, or a view of a dictionary, is used where it is made
    tl.store(p, same)
    # CHECK: an iterator, or a view of a dictionary, is used where it is made
    tl.store(p, empty)
    # CHECK: an iterator, or a view of a dictionary, is used where it is made
    tl.store(p, kind)
    # CHECK: only Python knows the order of the items of a set
    tl.store(p, len(text))
    # CHECK: an iterator, or a view of a dictionary, is used where it is made
    tl.store(p, len(several))


def pairs():
    out = []
    both = zip([1, 2], [3, 4])
    for x, y in both:
        out.append(x * y)
    return out


def sums():
    products = itertools.product([1, 2], [3])
    return [x + y for x, y in products]


def lengthened():
    items = [1, 2]
    for i, x in enumerate(items):
        pass
    items.append(3)
    return len(items) + sum(x for i, x in enumerate(items))


def count(items):
    return len(list(items))


LATE_KEYS = late_keys()
LATE_ITEMS = late_items()
SPENT = spent()
SHORTENED = shortened()
PAIRS = pairs()
SUMS = sums()
LENGTHENED = lengthened()
COUNT = count(zip([1, 2], [3, 4]))
x, y = zip([1, 2], [3, 4])
FIRST = next(iter({3: 4}))
LARGEST = max(map(abs, (1, -7)))
HAS = 3 in {3: 4}.keys()


@triton.jit
def known(p: "*i32"):
    # KNOWN: constant {value = 8}
    tl.store(p, PAIRS[1])
    # KNOWN: constant {value = 5}
    tl.store(p, SUMS[1])
    # KNOWN: constant {value = 9}
    tl.store(p, LENGTHENED)
    # KNOWN: constant {value = 2}
    tl.store(p, COUNT)
    # KNOWN: constant {value = 7}
    tl.store(p, x[1] + y[1])
    # KNOWN: constant {value = 3}
    tl.store(p, FIRST)
    # KNOWN: constant {value = 7}
    tl.store(p, LARGEST)
    # KNOWN: constant {value = true}
    tl.store(p, HAS)
