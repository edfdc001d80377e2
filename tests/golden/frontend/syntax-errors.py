# REQUIRES: tilec
# RUN: not tilec --emit=ast -o - %s 2>&1 | FileCheck %s --strict-whitespace

import triton


@triton.jit
def errors(x, n):
    a = x +
    # CHECK:      error: expected an expression, found the end of the line
    # CHECK-NEXT:{{^}}      a = x +
    # CHECK-NEXT:{{^}}             ^{{$}}
    if n = 3:
        a = 1
    else:
        a = 2
    # CHECK:      error: '=' is not allowed here; '==' compares, ':=' assigns within an expression
    # CHECK-NEXT:{{^}}      if n = 3:
    # CHECK-NEXT:{{^}}           ^{{$}}
    print a
    # CHECK:      error: expected an operator or the end of the line, found the name 'a'
    for i range(3):
        pass
    # CHECK:      error: expected 'in', found the name 'range'
    load(x, mask=n, 3)
    # CHECK:      error: a positional argument follows a keyword argument
    # CHECK-NEXT:{{^}}      load(x, mask=n, 3)
    # CHECK-NEXT:{{^}}                      ^{{$}}
    x + n = 3
    # CHECK:      error: cannot assign to this operation
    # CHECK-NEXT:{{^}}      x + n = 3
    # CHECK-NEXT:{{^}}      ^~~~~{{$}}
      a = 4
    # CHECK:      error: unexpected indentation: no block begins here
    fine = 1
# CHECK-NOT: error
