# Objects may change unseen if functions keep them, if a function gets them with
# another, or if classes get them when they are made: a kernel gets a message.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import contextlib
import functools

import triton
import triton.language as tl


def make():
    kept = [1]

    def add(x):
        kept.append(x)

    def get():
        return tuple(kept)

    return add, get


def make_table():
    table = {}

    def put(key, value):
        table[key] = value

    return put, lambda: table


def make_parts():
    kept = [1]

    def add(items, x):
        items.append(x)

    return functools.partial(add, kept), functools.partial(tuple, kept)


class Pair:
    add, get = make()


def touch(items):
    items.append(1)
    return 0


def run(f, x):
    f(x)


add, get = make()
before = get()
add(4)
put, table = make_table()
put("a", 1)
add_part, get_parts = make_parts()
add_part(4)
Pair.add(3)
add_all, get_all = make()
list(map(add_all, (1, 2)))
add_given, get_given = make()
run(add_given, 2)
decorate, get_decorated = make()


@decorate
def decorated():
    pass


other_add, get_other = make()

mapped = [[1], [2]]
list(map(lambda q: q.append(8), mapped))
comprehended = [[1], [2]]
[q.append(8) for q in comprehended]
keyed = [[1], [2]]
order = sorted(keyed, key=touch)
by_default = [1]


def defaults(x=by_default.append(2)):
    return x


in_text = [1]
text = f"{in_text.append(3)}"
in_with = [1]
with contextlib.nullcontext(in_with) as q:
    q.append(4)
by_lambda = [1]
grow = lambda: by_lambda.append(5)
grow()
by_method = {}
by_method.__setitem__("a", 1)


class Plain:
    X = 1


class Set:
    X = 1


class Looped:
    Z = 1


class Meta(type):
    def __new__(meta, name, bases, members):
        return type.__new__(meta, name, bases, {**members, "Y": 9})


class Made(metaclass=Meta):
    Y = 1


class Derived(Made):
    V = 1


def replace(cls):
    return Set


@replace
class Replaced:
    W = 1


def function(x):
    return x


function.block = 3
[setattr(Looped, key, 9) for key in ("Z",)]


# KNOWN: remark: (1,) 1
@triton.jit
def known(x: "*fp32"):
    tl.static_print(before, Plain.X)


# CHECK: error: 'get' is computed by host code
# CHECK: error: 'table' is computed by host code
# CHECK: error: 'get_parts' is computed by host code
# CHECK: error: 'Pair.get' is computed by host code
# CHECK: error: 'get_all' is computed by host code
# CHECK: error: 'get_given' is computed by host code
# CHECK: error: 'get_decorated' is computed by host code
# CHECK: error: 'get_other' is computed by host code
# CHECK: remark: {{\[\[1, 8\], \[2, 8\]\]}}
# CHECK: remark: {{\[\[1, 8\], \[2, 8\]\]}}
# CHECK: remark: {{\[\[1, 1\], \[2, 1\]\]}}
# CHECK: remark: [1, 2]
# CHECK: remark: [1, 3]
# CHECK: error: 'in_with' is computed by host code
# CHECK: error: 'by_lambda' is computed by host code
# CHECK: error: 'by_method' is computed by host code
# CHECK: error: 'Looped.Z' is computed by host code
# CHECK: error: 'Made' of host code has no attribute 'Y' that is known here
# CHECK: error: 'Derived' of host code has no attribute 'V' that is known here
# CHECK: error: 'Replaced' of host code has no attribute 'W' that is known here
# CHECK: error: 'function.block' is computed by host code
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(get())
    tl.static_print(table())
    tl.static_print(get_parts())
    tl.static_print(Pair.get())
    tl.static_print(get_all())
    tl.static_print(get_given())
    tl.static_print(get_decorated())
    tl.static_print(get_other())
    tl.static_print(mapped)
    tl.static_print(comprehended)
    tl.static_print(keyed)
    tl.static_print(by_default)
    tl.static_print(in_text)
    tl.static_print(in_with)
    tl.static_print(by_lambda)
    tl.static_print(by_method)
    tl.static_print(Looped.Z)
    tl.static_print(Made.Y)
    tl.static_print(Derived.V)
    tl.static_print(Replaced.W)
    tl.static_print(getattr(function, "block", 1))
