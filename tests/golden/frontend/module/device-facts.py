# Questions of host code about the GPU are answered by --target, for the CPU as
# for sm_80.
# RUN: tilec %s --target=sm_90 --stop-after=frontend --emit=ir --kernel=fill -o - | FileCheck %s
# RUN: tilec %s --stop-after=frontend --kernel=fill -o - | FileCheck %s --check-prefix=CPU
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=CONFIGS
# RUN: not tilec %s --stop-after=frontend --kernel=tried -o /dev/null 2>&1 | FileCheck %s --check-prefix=TRIED
from functools import cache

import torch
import triton
import triton.language as tl
from triton.runtime import driver


def is_cuda():
    return driver.active.get_current_target().backend == "cuda"


def configs():
    if is_cuda():
        return [triton.Config({"SIZE": 64}, num_warps=2)]
    return [triton.Config({"SIZE": 256})]


@cache
def backend():
    try:
        return triton.runtime.driver.active.get_current_target().backend
    except Exception:
        return "cpu"


# The body does not get to its end.
@cache
def name():
    try:
        found = torch.cuda.get_device_name()
    except RuntimeError:
        found = "none"
    except Exception:
        found = ""
    return found


def doubled():
    try:
        try:
            first = 3
        except ValueError: pass
        second = first
    except (TypeError, ValueError):
        return 0
    third = first + second
    return third


CAPS = [torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())]
HAS_TF32 = backend() == "cuda" and all(c[0] >= 8 for c in CAPS)
ARCH = torch.cuda.get_device_capability()[0] * 10 if torch.cuda.is_available() else 0
NAME = name()
DOUBLED = doubled()

if HAS_TF32:
    PRECISION = tl.constexpr("tf32")
else:
    PRECISION = tl.constexpr("ieee")


# CHECK-LABEL: kernel @fill
# CHECK: constant {value = 90} : i32
# CPU-LABEL: kernel @fill
# CPU: constant {value = 80} : i32
@triton.jit
def fill(x: "*i32"):
    tl.static_assert(PRECISION == "tf32")
    tl.static_assert(DOUBLED == 6)
    tl.store(x, ARCH)


# CONFIGS: "name": "tuned"
# CONFIGS: {"constants": {"SIZE": 64}, "num_warps": 2}
# CONFIGS-NOT: computed
@triton.autotune(configs=configs(), key=[])
@triton.jit
def tuned(x, SIZE: tl.constexpr):
    tl.store(x + tl.arange(0, SIZE), 0)


# TRIED: error: 'NAME' is computed by host code
@triton.jit
def tried(x: "*i32"):
    tl.store(x, NAME == "none")
