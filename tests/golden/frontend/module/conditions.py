# Statements below a condition of the module count as in Python, if the
# condition is known: from constants of the file, the release, and the success
# of imports. Expected values are those of Python running the file.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: tilec %s --kernel=for_flash --stop-after=frontend -o - | FileCheck %s --check-prefix=FLASH
# RUN: not tilec %s --kernel=dead -o - 2>&1 | FileCheck %s --check-prefix=DEAD
import os
import sys
from typing import TYPE_CHECKING

import torch
from packaging import version

try:
    import triton
    import triton.language as tl

    HAS_TRITON = True
except ImportError:
    triton = None
    HAS_TRITON = False

PLAIN = 2**3

if HAS_TRITON:

    @triton.jit
    def pick():
        return 1

else:

    def pick():
        raise ImportError


if triton.__version__ >= "3.0.0":
    RELEASE = 1
else:
    RELEASE = 2

if version.parse(triton.__version__) < version.parse("3.0.0"):
    PARSED = 2
elif not HAS_TRITON or TYPE_CHECKING:
    PARSED = 3
else:
    PARSED = 1

if sys.version_info >= (3, 8) and sys.platform == "linux": PYTHON = 1
else: PYTHON = 2

if PLAIN > 4:
    FROM_LITERAL = 1
else:
    FROM_LITERAL = 2

# An unknown operand does not matter if the other one decides.
if torch.cuda.is_available() and False:
    MIXED = 2
elif lambda: torch.cuda.is_available():
    MIXED = 1
else:
    MIXED = 2

try:
    from not_installed import fast_exp
except ImportError:
    fast_exp = tl.exp2
try: from triton.language.extra.libdevice import no_such_function as squash
except (ImportError, AttributeError): squash = tl.sigmoid
try:
    from triton.language.extra.libdevice import tanh as bend
except ImportError:
    bend = None


# CHECK-LABEL: kernel @known
# CHECK: constant {value = 1} : i32
# CHECK: exp2
# CHECK: divf
# CHECK: tanh
@triton.jit
def known(x: "*fp32", y: "*i32"):
    tl.static_assert(RELEASE == 1 and PARSED == 1 and PYTHON == 1)
    tl.static_assert(FROM_LITERAL == 1 and MIXED == 1)
    tl.store(y, pick())
    tl.store(x, bend(squash(fast_exp(tl.load(x)))))


# The host's result is unknown: only a name that has the same value either way
# has a value, also if the name depends on that.
GPUS = torch.cuda.memory_allocated() > 0
if GPUS:
    WARPS = 1
else:
    WARPS = 2
if WARPS == 2:
    LANES = 1
else:
    LANES = 2
SPEED = 1
if os.path.exists("fast"):
    SPEED = 2 - 1
if hasattr(torch, "float8_e4m3fn"):
    WIDE = 1
else:
    WIDE = 2


# UNKNOWN-NOT: SPEED
# UNKNOWN: error: 'WARPS' is computed by host code
# UNKNOWN: error: 'LANES' is computed by host code
# UNKNOWN: error: 'WIDE' is computed by host code
@triton.jit
def unknown(x: "*i32"):
    tl.store(x, SPEED)
    tl.store(x, WARPS)
    tl.store(x, LANES)
    tl.store(x, WIDE)


try:
    import flash_attn

    HAS_FLASH = True
except ImportError:
    HAS_FLASH = False

if HAS_FLASH:

    # FLASH: kernel @for_flash
    @triton.jit
    def for_flash(x: "*i32"):
        tl.store(x, 1)


if triton.__version__ < "2":

    # DEAD: error: {{.*}}'dead'
    @triton.jit
    def dead(x: "*i32"):
        tl.store(x, 1)
