# A change through a name without a known value may change any object that is
# named in the expression of that name.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
from types import SimpleNamespace

import triton
import triton.language as tl


def sizes_of(table):
    total = 0
    for key in table: total += table[key]
    return total


TABLE = {"a": 1, "b": 2}
SUM = sizes_of(TABLE)
TOTAL = 0
for value in TABLE.values(): TOTAL += value
LOOPED = [1]
for _ in range(2): LOOPED += [TOTAL]

written = [1]
{"z": written}["z"].append(2)
got = [1]
{"z": got}.get("z").append(2)
member = [1]
SimpleNamespace(z=member).z.append(2)
item = [1]
items = [item]
items[0] += [2]
matched = [1]
match matched:
    case other: pass
other.append(2)
generated = [1]


def generate():
    yield generated


first = next(generate())
first.append(2)
by_property = [1]


class Holder:
    @property
    def kept(self):
        return by_property


held = Holder().kept
held.append(2)
entered = [1]


class Entered:
    def __enter__(self):
        return entered

    def __exit__(self, *why):
        pass


with Entered() as inside: pass
inside.append(2)
by_decorator = [1]


def give(function):
    return by_decorator


@give
def given():
    pass


given.append(2)
decorating = [1]


@lambda function: decorating.append(2)
def decorated():
    pass


several = [1]
functions = [lambda i=i: several.append(i) for i in range(2)]
functions[1]()


# KNOWN: remark: 3 3 [1, 3, 3]
@triton.jit
def known(x: "*fp32"):
    tl.static_print(TOTAL, SUM, LOOPED)


# CHECK: remark: [1, 2]
# CHECK: remark: [1, 2]
# CHECK: error: 'member' is computed by host code
# CHECK: remark: [1, 2]
# CHECK: error: 'matched' is computed by host code
# CHECK: error: 'generated' is computed by host code
# CHECK: error: 'by_property' is computed by host code
# CHECK: error: 'entered' is computed by host code
# CHECK: error: 'by_decorator' is computed by host code
# CHECK: error: 'decorating' is computed by host code
# CHECK: error: 'several' is computed by host code
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(written)
    tl.static_print(got)
    tl.static_print(member)
    tl.static_print(item)
    tl.static_print(matched)
    tl.static_print(generated)
    tl.static_print(by_property)
    tl.static_print(entered)
    tl.static_print(by_decorator)
    tl.static_print(decorating)
    tl.static_print(several)

# Backs I3 of frontend/host and I3 of frontend/scan.
