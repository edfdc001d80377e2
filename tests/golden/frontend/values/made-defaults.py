# The defaults of a function that another function makes, and of a lambda, keep
# the values from when it was made; a generator and `map` call their functions
# later, perhaps never, so that changes by these give a message.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


def make():
    sizes = [1]
    by_lambda = lambda n=len(sizes): n

    def by_def(n=len(sizes), kept=sizes):
        return n, len(kept)

    sizes.append(2)
    return by_lambda, by_def


by_lambda, by_def = make()
at_once = [x for x in (1, 2)]
[at_once.append(x) for x in (3, 4)]
changed = lambda x=[5, 4]: x
changed().append(7)
cut_short = [1]
all(cut_short.append(x) for x in (2, 3))
never = [1]
later = (never.append(x) for x in (2, 3))
mapped = [1]
any(map(mapped.pop, (0,)))


def lengths(items):
    found = []
    for x in items: found.append(len(x))
    return found


own = tuple(lengths(x) for x in (["ab"], ["abc", ""]))


# KNOWN: remark: 1 (1, 2) [1, 2, 3, 4] ([2], [3, 0])
@triton.jit
def known(x: "*fp32"):
    tl.static_print(by_lambda(), by_def(), at_once, own)


# CHECK: error: 'changed' is computed by host code
# CHECK: remark: [1, 2]
# CHECK: remark: [1]
# CHECK: remark: []
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(changed())
    tl.static_print(cut_short)
    tl.static_print(never)
    tl.static_print(mapped)
