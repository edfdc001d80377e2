# A member of an IntEnum is printed as its number, but within others, and by
# repr(), as its class defines.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
from enum import IntEnum

import triton
import triton.language as tl


class Kind(IntEnum):
    ONE = 1


LIST = [Kind.ONE]
TABLE = {"kind": Kind.ONE}
SET = {Kind.ONE}


@triton.jit
def k():
    # CHECK-NOT: error
    tl.static_print(Kind.ONE, f"{Kind.ONE}", "%s" % Kind.ONE, LIST[0] + 1)
    # CHECK: remark: 1 1 1 2
    tl.static_print(f"{Kind.ONE!r}")
    # CHECK: error: the result for a member of an Enum is not known here
    tl.static_print("%r" % Kind.ONE)
    # CHECK: error: the result for a member of an Enum is not known here
    tl.static_print(str(LIST))
    # CHECK: error: the result for a member of an Enum is not known here
    tl.static_print(f"{TABLE}")
    # CHECK: error: the result for a member of an Enum is not known here
    tl.static_print("{!r}".format(Kind.ONE))
    # CHECK: error: the result for a member of an Enum is not known here
    tl.static_print(f"{SET}")
    # CHECK: error: the result for a member of an Enum is not known here
