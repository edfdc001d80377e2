# Changes that an import makes to other files are seen, even if a kernel needs
# no name from it.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import import_effects
import import_effects_values
from import_effects_values import (
    CALLED,
    HELD,
    KEPT,
    MINE,
    TABLE,
    TEXT,
    YOURS,
    Sizes,
    double,
)

COUNT = len(import_effects_values.GROWN)


# KNOWN: constant {value = 1} : i32
# KNOWN: constant {value = 2} : i32
# KNOWN: constant {value = 2} : i32
@triton.jit
def known(x: "*i32"):
    tl.store(x, KEPT)
    tl.store(x, MINE[0])
    tl.store(x, TABLE["K"])


# CHECK: error: 'Sizes.WIDTH' is computed by host code
# CHECK: error: 'double' is computed by host code
# CHECK-NOT: error:
@triton.jit
def unknown(x: "*i32"):
    tl.store(x, YOURS)
    tl.store(x, CALLED)
    tl.store(x, HELD[0])
    tl.store(x, TEXT)
    tl.store(x, Sizes.WIDTH)
    tl.store(x, double(3))
    tl.store(x, COUNT)
