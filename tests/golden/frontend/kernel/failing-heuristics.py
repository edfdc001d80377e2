# REQUIRES: tilec
# RUN: not tilec %s --kernel=guessed --signature="*fp32, i32, i32" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GUESSED

# An error takes the place of a heuristic that has no result.
import triton
import triton.language as tl


# GUESSED:      error: 'n' of 'next_power_of_2' wants a constant integer, found int32
# GUESSED:      note: called from here
# GUESSED:      {{^}}note: -D NB=VALUE takes the place of this heuristic
# GUESSED:      error: 'EVEN' depends on a value that is known only at run time: give it with -D
# GUESSED-NOT:  note:
@triton.heuristics({"NB": lambda args: triton.next_power_of_2(args["n"])})
@triton.heuristics({"EVEN": lambda args: args["m"] % 2 == 0})
@triton.jit
def guessed(x, n, m, NB: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x, NB)
