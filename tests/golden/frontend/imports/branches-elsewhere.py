# Conditions see what an imported file has changed: a kernel gets the definitions
# of the branch that a run of the modules takes.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "L = [1]\nN = 1\nD = {'a': 1}\nclass O: x = 1\n" > %t.d/config.py
# RUN: printf "import config\nconfig.L.append(2)\nconfig.O.y = 2\n" > %t.d/changes.py
# RUN: printf "import config\nexec('config.N = 8')\nconfig.D.pop('a')\n" > %t.d/texts.py
# RUN: printf "W = 1\n" > %t.d/one.py; printf "W = 2\n" > %t.d/two.py
# RUN: printf "def form(): return 1\n" > %t.d/forms.py
# RUN: printf "import forms\nforms.form = lambda: 2\n" > %t.d/reform.py
# RUN: printf "from forms import *\nif form() == 2: SIZE = 5\nelse: SIZE = 6\n" > %t.d/sized.py
# RUN: tilec --emit=ir --kernel=known %t.d/main.py -o - 2>&1 | FileCheck %s
# RUN: not tilec --emit=ir --kernel=unknown %t.d/main.py 2>&1 | FileCheck --check-prefix=UNKNOWN %s
import triton
import triton.language as tl

import changes
import opaque
from config import L, O

if len(L) > 1:

    @triton.jit
    def helper():
        return 7

    from two import *
else:

    @triton.jit
    def helper():
        return 8

    from one import *

try:
    O.y
    WIDTH = 4
except AttributeError:
    WIDTH = 3

if opaque.value():
    from one import W as KIND
elif opaque.value():
    from two import W as KIND
else:
    from two import W as KIND

import config
import texts

import forms
import reform

opaque.touch(forms)
import sized

@triton.jit
def known(x: "*i32"):
    # CHECK: constant {value = 7}
    tl.store(x, helper())
    # CHECK: constant {value = 2}
    tl.store(x, W)
    # CHECK: constant {value = 4}
    tl.store(x, WIDTH)

@triton.jit
def unknown(x: "*i32"):
    # UNKNOWN: error: 'KIND' is computed by host code
    tl.store(x, KIND)
    # UNKNOWN: error: 'D' is computed by host code
    tl.store(x, len(config.D))
    # UNKNOWN: error: 'SIZE' is computed by host code
    tl.store(x, sized.SIZE)
