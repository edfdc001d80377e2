# A function of another file may have the name of a method that changes its
# object: calling it, or passing it to another function, changes no value of the
# file. The effects of methods of lists are seen.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import insertions
import insertions as other

insertions.update(3)
four = insertions.add(2, 2)


def host(x):
    other.insert(x, 1)
    insertions.sizes.append(3)
    return insertions.add(x, x)


# KNOWN: reduce
# KNOWN: addf
@triton.jit
def known(x: "*fp32"):
    v = tl.load(x + tl.arange(0, 16))
    sum = tl.reduce(v, 0, combine_fn=insertions.add, keep_dims=False)
    tl.store(x, other.insert(insertions.add(sum, 1.0), 2.0))


@triton.jit
def unknown(x: "*fp32"):
    # CHECK: :[[@LINE+1]]:28: error: 'sizes' is computed by host code
    tl.store(x, insertions.sizes[0])
