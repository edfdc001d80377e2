# Conditions of a module on the GPU are decided for the target, and for each of
# several targets.
# RUN: tilec %s --kernel=k --signature='*fp32' --target=sm_90 --emit=ir --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefixes=CHECK,NEW
# RUN: tilec %s --kernel=k --signature='*fp32' --target=sm_80 --emit=ir --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefixes=CHECK,OLD
# RUN: tilec %s --kernel=k --signature='*fp32' --emit=ir --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefixes=CHECK,OLD
# RUN: tilec %s --kernel=k --signature='*fp32' --target=sm_80,sm_90 -o %t 2>&1 | FileCheck %s --check-prefix=BOTH
# RUN: not tilec %s --kernel=differs --signature='*fp32' --target=sm_80,sm_90 -o %t 2>&1 | FileCheck %s --check-prefix=DIFFERS
import torch
import triton
import triton.language as tl

if torch.cuda.get_device_capability()[0] >= 9:
    WIDTH = 90
else:
    WIDTH = 80

# A value's attribute is evaluated where it is used.
SAME = 90 if torch.cuda.get_device_capability()[0] >= 9 else 80


def set_allocator(device):
    def allocate(size: int, alignment: int, stream):
        return torch.empty(size, device=device, dtype=torch.int8)

    triton.set_allocator(allocate)


def has_tma():
    try:
        has = torch.cuda.is_available() and torch.cuda.get_device_capability(0)[0] >= 9
        if has:
            set_allocator("cuda")
        return has
    except Exception:
        return False


def make():
    if has_tma():

        @triton.jit
        def made(x):
            return x + 90
    else:

        @triton.jit
        def made(x):
            return x + 80

    return made


made = make()

if SAME == 90:

    @triton.jit
    def helper(x):
        tl.static_print("new")

    @triton.jit
    def differs(x):
        tl.store(x, 90)
else:

    @triton.jit
    def helper(x):
        tl.static_print("old")

    # DIFFERS: [[@LINE+2]]:{{[0-9]+}}: error: kernel 'differs' has other parameters for sm_90
    @triton.jit
    def differs(x, y: tl.constexpr = 80):
        tl.store(x, y)


# NEW: remark: 90 90
# NEW: remark: new
# OLD: remark: 80 80
# OLD: remark: old
# BOTH: remark: 80 80
# BOTH: remark: old
# BOTH: remark: 90 90
# BOTH: remark: new
# CHECK: kernel @k
# NEW: constant {value = 90.0}
# OLD: constant {value = 80.0}
@triton.jit
def k(x):
    tl.static_print(WIDTH, SAME)
    helper(x)
    tl.store(x, made(tl.load(x)))

# Backs I4 of frontend/host.
