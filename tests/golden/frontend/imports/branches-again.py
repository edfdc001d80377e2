# Branches that run more than once: lines of a loop, whose last trip may take the
# first branch, and the body of a module that is run again. A function that another
# file binds anew, and a star import then brings.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "L = [1]\ndef which(): return 1\nG = None\n" > %t.d/config.py
# RUN: printf "import triton\n@triton.jit\ndef side(x): x + 1\n" > %t.d/left.py
# RUN: cp %t.d/left.py %t.d/right.py
# RUN: printf "from config import L\nif len(L) > 1: from left import side as turn\nelse: from right import side as turn\n" > %t.d/again.py
# RUN: printf "import config\nconfig.which = lambda: 2\n" > %t.d/changes.py
# RUN: tilec --emit=ir --kernel=kernel %t.d/main.py -o - 2>&1 | FileCheck %s
# RUN: not tilec --emit=ir --kernel=other %t.d/main.py -o - 2>&1 | FileCheck %s --check-prefix=OTHER
# Behind an import that fails by its lines, but not by the run, which does not
# follow "match", the import of the handler counts, too.
# RUN: printf "from config import G\nif G is None: raise ImportError\n" > %t.d/gate.py
# RUN: printf "import config, triton\nmatch len(config.L):\n  case 1: y = 1\n" > %t.d/handler.py
# RUN: printf "try:\n  import gate\n  from left import side\nexcept ImportError:\n  from right import side\n" >> %t.d/handler.py
# RUN: printf "@triton.jit\ndef kernel(x: '*i32'): side(x)\n" >> %t.d/handler.py
# RUN: tilec --emit=ir %t.d/handler.py -o - 2>&1 | FileCheck %s --check-prefix=HANDLER
# HANDLER: warning: host code decides what 'side' is
# Star imports below unknown conditions: the time grows with their number, not with
# that of the combinations of conditions.
# RUN: printf "import opaque, triton\nimport triton.language as tl\n" > %t.d/many.py
# RUN: for i in {1..40}; do printf "if opaque.f(): from config import *\n"; done >> %t.d/many.py
# RUN: printf "@triton.jit\ndef kernel(x: '*i32'): tl.store(x, min(1, 2))\n" >> %t.d/many.py
# RUN: timeout 20 tilec --emit=ir %t.d/many.py -o - 2>&1 | FileCheck %s --check-prefix=MANY
# MANY: constant {value = 1}
# The same if a file is found, and only the host knows its `__all__`.
# RUN: printf "import opaque\n__all__ = opaque.f()\nWIDTH = 1\n" > %t.d/listed.py
# RUN: printf "import opaque, triton\nimport triton.language as tl\nWIDTH = 2\n" > %t.d/many.py
# RUN: for i in {1..40}; do printf "if opaque.f(): from listed import *\n"; done >> %t.d/many.py
# RUN: printf "@triton.jit\ndef kernel(x: '*i32'): tl.store(x, WIDTH)\n" >> %t.d/many.py
# RUN: not timeout 20 tilec --emit=ir %t.d/many.py -o - 2>&1 | FileCheck %s --check-prefix=LISTED
# LISTED: error: {{.*}}'WIDTH'
import importlib

import triton
import triton.language as tl

import again
import changes
import config
from config import *

for i in (0, 1):
    if i:
        from left import *
    else:
        from right import *

config.L.append(2)
importlib.reload(again)

@triton.jit
def kernel(x: "*i32"):
    # CHECK: warning: host code decides what 'side' is
    side(x)
    # CHECK: warning: host code decides what 'turn' is
    again.turn(x)

@triton.jit
def one(x):
    x + 1

@triton.jit
def two(x):
    x + 2

chosen = one if which() == 1 else two

@triton.jit
def other(x: "*i32"):
    # OTHER: error: 'which' is computed by host code
    chosen(x)
