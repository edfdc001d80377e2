# A value of -D holds for all names that are called so; two files with the name give a message.
# RUN: tilec %s --kernel=both -D WIDTH=3 --stop-after=frontend -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=member -D settings.depth=3 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=MEMBER
# RUN: tilec %s --kernel=one -D WIDTH=3 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=ONE
import defined_twice
import torch
from defined_twice import WIDTH as OTHER
from defined_twice import settings as other

import triton
import triton.language as tl

WIDTH = torch.cuda.device_count() + torch.cuda.current_device()
settings = torch.load("settings")


# CHECK: [[#@LINE+5]]:5: warning: -D WIDTH gives two things of that name one value
# CHECK: twice.py:[[#]]:1: note: 'WIDTH' is defined here
# CHECK: twice.py:[[#]]:1: note: 'WIDTH' is defined here
# CHECK: constant {value = 6} : i32
@triton.jit
def both(x: "*i32"):
    tl.store(x, WIDTH + OTHER)


# MEMBER: warning: -D settings.depth gives two things of that name one value
@triton.jit
def member(x: "*i32"):
    tl.store(x, settings.depth + other.depth)


# ONE-NOT: warning
# ONE: constant {value = 6} : i32
@triton.jit
def one(x: "*i32"):
    tl.store(x, defined_twice.WIDTH + OTHER)
