# The modules of triton.language.extra.cuda, by each way to name them.
# RUN: tilec %s --kernel=named --target=sm_90 --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=imported --target=sm_90 --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=has --stop-after=frontend -o - | FileCheck %s --check-prefix=HAS
# RUN: not tilec %s --kernel=wrong -o - 2>&1 | FileCheck %s --check-prefix=WRONG
import triton
import triton.language as tl
import triton.language.extra.cuda.utils as u
from triton.language.extra.cuda import gdc
from triton.language.extra.cuda.gdc import gdc_wait
from triton.language.extra.cuda.utils import *


# CHECK: griddepcontrol.wait
# CHECK: griddepcontrol.launch_dependents
# CHECK: globaltimer
# CHECK: smid
@triton.jit
def named(o: "*i64"):
    tl.extra.cuda.gdc.gdc_wait()
    tl.extra.cuda.gdc.gdc_launch_dependents()
    tl.store(o, tl.extra.cuda.utils.globaltimer() + tl.extra.cuda.utils.smid())


@triton.jit
def imported(o: "*i64"):
    gdc_wait()
    gdc.gdc_launch_dependents()
    tl.static_assert(num_threads() == 32 * u.num_warps())
    tl.store(o, globaltimer() + u.smid())


# HAS: kernel @has
@triton.jit
def has(o: "*i64"):
    tl.static_assert(hasattr(tl.extra.cuda, "utils"))
    tl.static_assert(hasattr(u, "smid"))
    tl.static_assert(not hasattr(gdc, "smid"))
    tl.static_assert(not hasattr(tl.extra.cuda, "memrealtime"))


@triton.jit
def wrong(o: "*i64"):
    # WRONG: there is no 'triton.language.extra.cuda.smidd'; did you mean 'smid'?
    u.smidd()
    # WRONG: there is no 'triton.language.extra.cuda.nosuch'
    tl.extra.cuda.nosuch.smid()
