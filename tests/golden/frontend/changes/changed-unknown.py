# A line that cannot be computed may change every object that it names, and the objects
# in the lines of those names: a kernel gets a message, for any spelling of the change.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import operator

import triton
import triton.language as tl


def count(items):
    total = 0
    for x in items:
        total += x
    return total


def ident(x):
    return x


def show(items):
    print(items)


only_read = [1, 2]
TOTAL = count(only_read)
only_shown = [3]
show(only_shown)


class C:
    pass


set_member = [1]
setattr(C, "z", set_member)
getattr(C, "z").append(2)
named_in_parts = [1]
getattr(named_in_parts, "app" + "end")(2)
by_object = [1]
object.__getattribute__(ident(by_object), "append")(2)
multiplied = [1]
copies = [multiplied] * 3
copies[2].append(2)
by_text = [1]
text = f"{(second := by_text)}"
second.append(2)
by_eval = [1]
eval("ident(by_eval)").append(2)
in_class = [1]


def append(x):
    x.append(2)


class D:
    append(in_class)


called = [1]
added = [1]


def make():
    class K:
        def __call__(self):
            called.append(2)

        def __add__(self, other):
            ident(added)[0] = other

    return K()


made = make()
made()
sum_of = made + 2
sliced = [1]
indexed = [1]
extended = [1]


def change():
    ident(sliced)[:] = [2]
    ident(indexed)[0] = 2
    ident(extended).append(2)


change()
in_tuple = [1]
(in_tuple, 1)[0][0] += 2
of_function = [1]


def function():
    pass


function.z = of_function
function.z[0] = 2
by_operator = [1]
getattr(operator, "iadd")(ident(by_operator), [2])
of_class = [1]


class Base:
    def __init_subclass__(cls):
        cls.z.append(2)


class Derived(Base):
    z = of_class or []


passed = [1]
append(ident(passed))

GROWN = [1]


def grow(x):
    x += [2]


grow(GROWN)
HOOKED = [1]


def hook(x):
    (lambda y: y.append(2))(x)


hook(HOOKED)
copied = [1]
copy = copied[:]
copy.append(2)


# KNOWN: remark: [1, 2] 3 [3] [1, 2] [1, 2] [1, 2] [1] [1, 2]
@triton.jit
def known(x: "*fp32"):
    tl.static_print(only_read, TOTAL, only_shown, passed, GROWN, HOOKED, copied,
                    copy)


# CHECK: remark: [1, 2]
# CHECK: remark: [1, 2]
# CHECK: error: 'by_object' is computed by host code
# CHECK: remark: [1, 2]
# CHECK: remark: [1, 2]
# CHECK: error: 'by_eval' is computed by host code
# CHECK: remark: [1, 2]
# CHECK: error: 'called' is computed by host code
# CHECK: error: 'added' is computed by host code
# CHECK: remark: [2]
# CHECK: remark: [2]
# CHECK: error: 'extended' is computed by host code
# CHECK: remark: [3]
# CHECK: remark: [2]
# CHECK: error: 'by_operator' is computed by host code
# CHECK: error: 'of_class' is computed by host code
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(set_member)
    tl.static_print(named_in_parts)
    tl.static_print(by_object)
    tl.static_print(multiplied)
    tl.static_print(by_text)
    tl.static_print(by_eval)
    tl.static_print(in_class)
    tl.static_print(called)
    tl.static_print(added)
    tl.static_print(sliced)
    tl.static_print(indexed)
    tl.static_print(extended)
    tl.static_print(in_tuple)
    tl.static_print(of_function)
    tl.static_print(by_operator)
    tl.static_print(of_class)
