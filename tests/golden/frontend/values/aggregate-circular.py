# REQUIRES: tilec
# RUN: not tilec %s --kernel=own --signature="i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
# RUN: not tilec %s --kernel=first --signature="i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIRST
# RUN: not tilec %s --kernel=both --signature="i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH

# A class that is derived, in the end, from itself has no values.
import triton
import triton.language as tl


@triton.aggregate
class Own(Own):
    a: tl.tensor


@triton.aggregate
class Chicken(Egg):
    a: tl.tensor


@triton.aggregate
class Egg(Chicken):
    b: tl.tensor


@triton.jit
def own(n):
    Own(n)


# OWN: :[[#@LINE-19]]:7: error: 'Own' is defined in terms of itself
# OWN: :[[#@LINE-4]]:5: note: needed here
# OWN-NOT: error


@triton.jit
def first(n):
    Chicken(n)


# FIRST: error: 'Chicken' is defined in terms of itself
# FIRST: :[[#@LINE-4]]:5: note: needed here
# FIRST-NOT: error


@triton.jit
def both(n):
    Egg(n, n)
    Chicken(n)


# BOTH: error: 'Egg' is defined in terms of itself
# BOTH: :[[#@LINE-5]]:5: note: needed here
