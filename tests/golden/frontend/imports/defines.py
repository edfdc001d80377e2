# -D gives values that host code computes unseen: of globals, of names of other
# modules and of members of host objects. Values of the file itself stay.
# RUN: tilec %s --kernel=given -D N=3 -D WIDTH=100 -D config.HEIGHT=1000 -D cfg.depth=10000 -D Host.SIZE=5 --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=typed -D KIND=fp16 -D ACT=twice -D SHAPE='(4, 8)' -D EITHER=7 --stop-after=frontend -o - | FileCheck %s --check-prefix=TYPED
# RUN: tilec %s --kernel=parameter -D KNOWN=9 --stop-after=frontend -o - | FileCheck %s --check-prefix=PARAM
# RUN: tilec run %s --kernel=stored --device=cpu --grid=1 -D N=42 | FileCheck %s --check-prefix=SEEN
# RUN: not tilec %s --kernel=plain --target=sm_80 -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
# RUN: not tilec %s --kernel=member --target=sm_80 -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEMBER
# RUN: not tilec %s --kernel=branch --target=sm_80 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BRANCH
# RUN: not tilec %s --kernel=known -D KNOWN=4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
# RUN: not tilec %s --kernel=known -D KNOWM=4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAR
# RUN: tilec %s --kernel=known -D N=4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNREAD
# RUN: not tilec %s --kernel=plain -D N=N -o /dev/null 2>&1 | FileCheck %s --check-prefix=ITSELF
# RUN: not tilec %s --kernel=plain -D N=64x -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUE
import config
import torch
from config import ACT, KIND, SHAPE, WIDTH

import triton
import triton.language as tl

N = torch.cuda.current_device()
TWICE = N * 2
KNOWN = 3
cfg = torch.load("settings")
if torch.cuda.is_bf16_supported():
    EITHER = 1
else:
    EITHER = 2


class Host:
    SIZE = torch.get_num_threads()


@triton.jit
def twice(x):
    return x * 2


# CHECK-LABEL: kernel @given
# CHECK: constant {value = 11114
@triton.jit
def given(x: "*i32"):
    tl.store(x, N + TWICE + WIDTH + config.HEIGHT + cfg.depth + Host.SIZE)


# TYPED-LABEL: kernel @typed
# TYPED: constant {value = 14.0} : tile<4x8xf16>
@triton.jit
def typed(x: "*fp16"):
    tile = tl.full(SHAPE, ACT(EITHER), KIND)
    tl.store(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8), tile)


# A parameter hides a global.
# PARAM-LABEL: kernel @parameter
# PARAM: constant {value = 9
@triton.jit
def parameter(x: "*i32", KNOWN: tl.constexpr):
    tl.store(x, KNOWN)


# SEEN: {{.*}}42
@triton.jit
def stored():
    if N > 40:
        tl.device_print("N", tl.program_id(0) + N)


# PLAIN: defines.py:[[#@LINE+4]]:17: error: 'value' of 'store' wants a run-time value, found 'N' of host code
# PLAIN: note: host code computes 'N' here; -D N=VALUE gives the value
@triton.jit
def plain(x: "*i32"):
    tl.store(x, N)


# MEMBER: defines.py:[[#@LINE+4]]:21: error: 'cfg' of host code has no attribute 'depth' that is known here
# MEMBER: note: host code computes 'cfg' here; -D cfg.depth=VALUE gives the value
@triton.jit
def member(x: "*i32"):
    tl.store(x, cfg.depth)


# BRANCH: defines.py:[[#@LINE+4]]:8: error: 'config.WIDTH' is computed by host code; give its value with -D, or make it a constexpr parameter
# BRANCH: note: 'config.WIDTH' is imported here; -D config.WIDTH=VALUE gives its value
@triton.jit
def branch(x: "*i32"):
    if WIDTH:
        tl.store(x, 1)


# SAID: defines.py:[[#@LINE+6]]:17: error: -D KNOWN: the file says that it is constant 3; -D gives what host code computes
# NEAR: error: -D KNOWM: kernel 'known' has no such parameter, and reads nothing of that name; did you mean 'KNOWN'?
# UNREAD: warning: -D N: kernel 'known' does not read it
# ITSELF: error: this nests too deeply
@triton.jit
def known(x: "*i32"):
    tl.store(x, KNOWN)

# VALUE: <-D N>:1:1: error:
