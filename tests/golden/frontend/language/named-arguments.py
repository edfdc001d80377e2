# A function of another file before a keyword argument is no target of an
# assignment, even in an uncalled function; in a list of targets it is.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import combiners


@triton.jit
def not_called(v):
    return tl.associative_scan(
        v,
        0,
        combiners.plus,
        reverse=True,
    )


def host(v):
    combiners.times, count = v, 1
    return count


# KNOWN: reduce
@triton.jit
def known(x: "*fp32"):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(x, tl.reduce(v, 0, combiners.plus))
    rows = tl.reduce(v.reshape(4, 4), 1, combiners.plus, keep_dims=True)
    tl.store(x + tl.arange(0, 4)[:, None], rows)


@triton.jit
def unknown(x: "*fp32"):
    v = tl.load(x + tl.arange(0, 16))
    # CHECK: :[[@LINE+1]]:43: error: 'times' is computed by host code
    tl.store(x, tl.reduce(v, 0, combiners.times))
