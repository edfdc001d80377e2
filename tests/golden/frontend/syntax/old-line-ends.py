# A carriage return alone ends a line, too: for Python, in a string and a comment.
# RUN: tr '\n' '\r' < %s > %t.py
# RUN: not tilec %t.py --kernel=k -o /dev/null 2>&1 | FileCheck %s
# RUN: tr '\n' '\r' < %s | sed 's/import triton\r/import triton\n/' > %t.mixed.py
# RUN: not tilec %t.mixed.py --kernel=k -o /dev/null 2>&1 | FileCheck %s
import triton
import triton.language as tl

TEXT = """one
two"""


@triton.jit
def k(p: "*i32"):
    tl.static_assert(TEXT == "one\ntwo")
    # CHECK: py:[[#@LINE+2]]:17: error: unknown name 'nowhere'
    # CHECK-NEXT:{{^}}      tl.store(p, nowhere){{$}}
    tl.store(p, nowhere)
