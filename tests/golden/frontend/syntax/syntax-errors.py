# REQUIRES: tilec
# RUN: not tilec --emit=ast -o - %s 2>&1 | FileCheck %s --strict-whitespace
# RUN: not tilec --emit=ir -o - %s 2>&1 | FileCheck %s --check-prefix=ALL
# RUN: not tilec --emit=ir -o - --kernel=second %s 2>&1 | FileCheck %s --check-prefix=SECOND
# RUN: not tilec run --device=cpu --grid=1 %s 2>&1 | FileCheck %s --check-prefix=ALL
# RUN: not tilec run --device=cpu --grid=1 --kernel=second %s 2>&1 | FileCheck %s --check-prefix=SECOND
# RUN: not tilec --emit=ir -o - --error-limit=10 %s 2>&1 | FileCheck %s --check-prefix=LIMIT

import triton
import triton.language as tl


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
    y = f"{else}"
    # CHECK:      error: expected an expression, found 'else'
    # CHECK-NEXT:{{^}}      y = f"{else}"
    # CHECK-NEXT:{{^}}             ^~~~{{$}}
    x + n = 3
    # CHECK:      error: cannot assign to this operation
    # CHECK-NEXT:{{^}}      x + n = 3
    # CHECK-NEXT:{{^}}      ^~~~~{{$}}
      a = 4
    # CHECK:      error: unexpected indentation: no block begins here
    fine = 1
    return only_called_here(n

# CHECK:      error: '(' is never closed
# CHECK-NOT: error:


# A syntax error in one function does not stop the check of others, and a caller
# of a broken function has no second message.


@triton.jit
def only_called_here(x):
    return x.not_looked_at


@triton.jit
def sound(x):
    return x[3]


@triton.jit
def first(p: "*fp32", n: "i32"):
    a = errors(p, n)
    tl.store(p, a + tl.arange(0, a))
    b = tl.load(n)
    tl.store(p, b + sound(n))
    # ALL:          error: '(' is never closed
    # ALL:          :[[#@LINE-3]]:17: error: 'load' wants a pointer, found int32
    # ALL:          :[[#@LINE-11]]:14: error: 'x' is one number: it has no items
    # ALL-NEXT:     return x[3]
    # ALL:          :[[#@LINE-5]]:21: note: called from here
    # ALL-NOT:      error:


@triton.jit
def second(p: "*fp32", n: "i32", WIDTH: tl.constexpr = 3):
    errors(p, n)
    tl.store(p, tl.zeros([WIDTH], tl.float32))
    # ALL:          :[[#@LINE-1]]:27: error: sizes of a tile are powers of two
    # ALL-NOT:      error:
    # SECOND:       error: '(' is never closed
    # SECOND-NOT:   error:
    # SECOND:       error: sizes of a tile are powers of two
    # SECOND-NOT:   error:
    # LIMIT:        error: '(' is never closed
    # LIMIT:        error: 'load' wants a pointer, found int32
    # LIMIT-NOT:    error:


@triton.jit
def untyped(p):
    tl.store(p, tl.arange(0, 3))
