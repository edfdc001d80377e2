# RUN: tilec --emit=module -o - %s | FileCheck %s
#
# A `yield` outside of a function, which Python refuses, has no known value.
# CHECK: first: unknown
first = 2 if 1 < 0 else (yield)


# CHECK: Of: unknown
class Of:
    second = yield 3


# CHECK: third: unknown
third = [(yield from [4, 5])]
# CHECK: fourth = [6]
f = lambda: (yield 6)
fourth = list(f())
