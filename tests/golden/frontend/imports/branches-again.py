# Branches that run more than once: lines of a loop, whose last trip may take the
# first branch, and the body of a module that is run again.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "L = [1]\n" > %t.d/config.py
# RUN: printf "import triton\n@triton.jit\ndef side(x): x + 1\n" > %t.d/left.py
# RUN: cp %t.d/left.py %t.d/right.py
# RUN: printf "from config import L\nif len(L) > 1: from left import side as turn\nelse: from right import side as turn\n" > %t.d/again.py
# RUN: tilec --emit=ir %t.d/main.py -o - 2>&1 | FileCheck %s
import importlib

import triton
import triton.language as tl

import again
import config

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
