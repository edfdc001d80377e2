# A change by a method, of its arguments or of members of unknown objects, is
# followed or reported: a kernel never sees the earlier value.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import functools

import triton
import triton.language as tl


class Store:
    kept = [1]
    table = {"a": 1}
    width = 1
    plain = [5]

    def __init__(self, items):
        self.items = items

    def __call__(self, items):
        items.append(1)

    def put(self, items):
        self.help(items)

    def help(self, items):
        items.append(1)

    def add(self):
        self.items.append(1)

    @classmethod
    def widen(cls):
        cls.width = 8

    @staticmethod
    def double(items):
        items.extend(items)


class Reader:
    def __init__(self, items):
        self.count = len(items)
        self.found = [x for x in items]

    def first(self, items):
        best = []
        best.append(items[0])
        return best


class Sizes:
    BLOCK = 64
    items = (1, 2)


def forward(ctx, x):
    ctx.BLOCK = x


def make():
    return Store([])


class Keeper:
    shown = [1]
    named = 1

    def keep(self, items):
        self.items = items
        return self

    def grow(self):
        self.items.append(9)

    def get(self):
        return self.shown


def rename(cls):
    setattr(cls, "named", 7)


@functools.lru_cache(None)
def cached(x):
    return x + COUNT


by_method = [0]
held = [0]
listed = [0]
indexed = [0]
called = [0]
bound = [0]
read = [0]
twice = [1, 2]

store = make()
store.put(by_method)
Store(held).add()
stores = [Store([])]
stores[0].put(listed)
by_name = {"a": Store([])}
by_name["a"].put(indexed)
make()(called)
put = Store([]).put
put(bound)
Reader(read)
Store.double(twice)

chained = [0]
Keeper().keep(chained).grow()
Keeper().get().append(4)
rename(Keeper)
COUNT = 1
before = cached(1)
COUNT = 5
after = cached(1)
view = {"a": 1}.keys()

make().kept.append(2)
for one in [make()]:
    one.table["b"] = 2
Store.widen()

# An unknown value replaces the value before that statement, too.
cut = []
parts = [cut, 3]
parts[1:2] = [7]
first = parts[0]
first.append(7)


# No method of a tuple changes it, and only the name `Sizes` stands for `Sizes`: `ctx` does not.
# KNOWN: remark: [0] [5] [1, 2, 1, 2] 64 (1, 2)
@triton.jit
def known(x: "*fp32"):
    tl.static_print(read, Store.plain, twice, Sizes.BLOCK, Sizes.items)


# CHECK: remark: [0, 1]
# CHECK: remark: [0, 1]
# CHECK: remark: [0, 1]
# CHECK: remark: [0, 1]
# CHECK: remark: [0, 1]
# CHECK: remark: [0, 1]
# CHECK: error: 'Store.kept' is computed by host code
# CHECK: error: 'Store.table' is computed by host code
# CHECK: error: 'Store.width' is computed by host code
# CHECK: remark: [0, 9]
# CHECK: error: 'Keeper.shown' is computed by host code
# CHECK: error: 'Keeper.named' is computed by host code
# CHECK: error: 'after' is computed by host code
# CHECK: remark: [7]
# CHECK: error: it is not known here whether 'Store' of host code has an attribute 'width'
# CHECK: error: it is not known here whether 'Keeper' of host code has an attribute 'named'
# CHECK: error: 'view' is computed by host code
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(by_method)
    tl.static_print(held)
    tl.static_print(listed)
    tl.static_print(indexed)
    tl.static_print(called)
    tl.static_print(bound)
    tl.static_print(Store.kept)
    tl.static_print(Store.table)
    tl.static_print(Store.width)
    tl.static_print(chained)
    tl.static_print(Keeper.shown)
    tl.static_print(Keeper.named)
    tl.static_print(after)
    tl.static_print(cut)
    tl.static_print(hasattr(Store, "width"))
    tl.static_print(getattr(Keeper, "named", 1))
    tl.static_print(view)
