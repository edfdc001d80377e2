# A kernel that reads a file's value does not get a list that a function of that
# file may change later, even if it got the same list by a name of another file.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: echo "LIST = [1]; HELD = [LIST, [2]]; HELD[0].append(3)" > %t.d/first.py
# RUN: printf "from first import HELD\nLIST = HELD[0]\ndef grow(): LIST.append(5)\n" > %t.d/second.py
# RUN: not tilec %t.d/main.py --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import first
import second


# CHECK: remark: [1, 3]
# CHECK-NEXT: tl.static_print(first.LIST)
# CHECK: first.py:1:21: error: 'LIST' is computed by host code
@triton.jit
def k(x: "*i32"):
    tl.static_print(first.LIST)
    tl.static_print(second.LIST)
