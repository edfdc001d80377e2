# Packages import the language from a module of their own.  If that module is not
# found, `tl`, `triton` and `libdevice` have their usual meaning; another name of
# the module stays host code.
# RUN: tilec %s --kernel=lengths --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=other -o - 2>&1 | FileCheck %s --check-prefix=OTHER
# RUN: not tilec %s --kernel=beyond -o - 2>&1 | FileCheck %s --check-prefix=BEYOND
# RUN: not tilec %s --kernel=near -o - 2>&1 | FileCheck %s --check-prefix=NEAR
from elsewhere.utilities import tl, triton
from elsewhere.utilities import libdevice as device, tldevice, rows

from .not_here import tl as language, columns
from ...... import outside


if hasattr(triton.language, "sqrt") and False:
    root = None
elif hasattr(language, "sqrt"):
    root = tl.sqrt
else:

    @triton.jit
    def root(x):
        return None


# CHECK-LABEL: kernel @lengths
# CHECK: sqrt
# CHECK: tanh
# CHECK: exp2
@triton.jit
def lengths(x: "*fp32", BLOCK: tl.constexpr = 64):
    i = tl.arange(0, triton.next_power_of_2(BLOCK - 1))
    v = device.tanh(root(language.load(x + i)))
    tl.store(x + i, tldevice.exp2(v))


# OTHER: error: {{.*}}'elsewhere.utilities.rows' of host code
@triton.jit
def other(x: "*fp32"):
    tl.store(x, rows)


# NEAR: error: cannot find the module '.not_here' in '{{.*}}/', to import 'columns' from it
@triton.jit
def near(x: "*fp32"):
    tl.store(x, columns)


# BEYOND: error: cannot find the module '......' in '{{.*}}', to import 'outside' from it
@triton.jit
def beyond(x: "*fp32"):
    tl.store(x, outside)
