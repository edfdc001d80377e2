# Perhaps only the host knows the value of a parameter in a configuration: the
# default does not replace it.
# RUN: not tilec %s --kernel=tuned -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=tuned --config=1 -D SIZE=4 -o - 2>&1 | FileCheck %s --check-prefix=DEFAULT
# RUN: tilec %s --kernel=tuned --config=1 -D SIZE=4 -D n=5 -D MORE=2 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
import os

import triton
import triton.language as tl


def host():
    pass


host.SIZE = 3


# CHECK: error: 'SIZE': this constexpr parameter has no value
# CHECK-NEXT: def tuned
# CHECK: :[[@LINE+6]]:28: note: host code computes 'SIZE' here; -D SIZE=VALUE gives the value
# DEFAULT: error: 'n': host code computes the values of the decorators
# DEFAULT: :[[@LINE+5]]:44: note: host code computes 'n' here; -D n=VALUE gives the value
# DEFAULT: error: 'MORE': host code computes the values of the decorators
# DEFAULT: :[[@LINE+3]]:65: note: host code computes 'MORE' here; -D MORE=VALUE gives the value
@triton.autotune(configs=[
    triton.Config({"SIZE": host.SIZE}),
    triton.Config({"SIZE": host.SIZE, "n": os.getpid(), "MORE": os.getpid()}),
], key=[])
@triton.jit
def tuned(x: "*fp16", SIZE: tl.constexpr, n=1, MORE: tl.constexpr = 1):
    # GIVEN: constant {value = 11.0}
    tl.store(x, SIZE + n + MORE)
