# A name in its own value means what it meant before: a module's globals may be
# assigned again.
# RUN: tilec %s --kernel=again --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=never -o - 2>&1 | FileCheck %s --check-prefix=NEVER
import triton
import triton.language as tl
from triton.language import core

dtype_of_bits = core.get_int_dtype
if triton.__version__ >= "3.5.0":
    dtype_of_bits = triton.constexpr_function(dtype_of_bits)

WIDTH = 4
WIDTH = WIDTH * 2
WIDTH = WIDTH + 1

power = tl.math
power = power.exp2
power = power

ENDLESS = ENDLESS + 1


# CHECK-LABEL: kernel @again
# CHECK: exp2
# CHECK: bitcast {{.*}} : tile<64xi32>
# CHECK: constant {value = 9}
@triton.jit
def again(x: "*fp32", y: "*i32"):
    i = tl.arange(0, 64)
    bits = dtype_of_bits(bitwidth=32, signed=True)
    v = power(tl.load(x + i)).to(bits, bitcast=True)
    tl.store(y + i, v + WIDTH)


# NEVER: error: the value of 'ENDLESS' is made from itself
@triton.jit
def never(x: "*i32"):
    tl.store(x, ENDLESS)
