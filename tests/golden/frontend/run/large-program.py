# In a program of more than 64 KiB, files that are only imported do not change names
# of other files, as far as their lines show; but a run of them may have changed some.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: head -c 70000 /dev/zero | tr '\0' '#' > %t.d/large.py
# RUN: printf "A = DEPTH = 4\nWIDTH = 4\nSIZES = [1, 2]\nROWS = 8\nPAIRS = [[1], [2]]\n" > %t.d/config.py
# RUN: printf "import config, opaque\nconfig.WIDTH = opaque.value()\n" > %t.d/changes.py
# RUN: printf "config.DEPTH = 5\n" >> %t.d/changes.py
# RUN: printf "config.SIZES.append(opaque.value())\n" >> %t.d/changes.py
# RUN: printf "config.PAIRS[0].append(opaque.value())\n" >> %t.d/changes.py
# RUN: tilec --emit=ir --kernel=same %t.d/main.py -o - | FileCheck %s
# RUN: not tilec --emit=ir --kernel=width %t.d/main.py 2>&1 | FileCheck --check-prefix=WIDTH %s
# RUN: not tilec --emit=ir --kernel=sizes %t.d/main.py 2>&1 | FileCheck --check-prefix=SIZES %s
# RUN: not tilec --emit=ir --kernel=pairs %t.d/main.py 2>&1 | FileCheck --check-prefix=PAIRS %s
import triton
import triton.language as tl

import large
import changes
import config
from config import DEPTH, SIZES, PAIRS


@triton.jit
def same(x: "*i32"):
    # CHECK: constant {value = 8}
    tl.store(x, config.ROWS)
    # CHECK: constant {value = 5}
    tl.store(x + 1, DEPTH)
    # CHECK: constant {value = 104}
    tl.store(x + 2, config.A + 100)


@triton.jit
def width(x: "*i32"):
    # WIDTH: 'WIDTH' is computed by host code
    tl.store(x, config.WIDTH)


@triton.jit
def sizes(x: "*i32"):
    # SIZES: 'SIZES' is computed by host code
    tl.store(x, len(SIZES))


@triton.jit
def pairs(x: "*i32"):
    # PAIRS: 'PAIRS' is computed by host code
    tl.store(x, len(PAIRS[0]))
