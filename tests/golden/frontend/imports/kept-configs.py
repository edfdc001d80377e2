# Functions that a tuner gets are called at a launch, and functions that can be
# computed change no configuration.
# RUN: tilec %s -I %S/installed --emit=reflect-json -o - | FileCheck %s
import triton
import triton.language as tl
from tuning import CONFIGS, configs, prune


@triton.jit
def kernel(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "fast"
# CHECK: "constants": {"BLOCK": 32}
# CHECK: "constants": {"BLOCK": 64}
fast = triton.autotune(configs=configs(), key=[], prune_configs_by={"early_config_prune": prune})(kernel)

# CHECK: "name": "faster"
# CHECK: "constants": {"BLOCK": 32}
# CHECK: "constants": {"BLOCK": 64}
faster = triton.autotune(configs=configs(), key=[])(kernel)


# CHECK: "name": "imported"
# CHECK: "constants": {"BLOCK": 16}
@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def imported(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "other"
@triton.autotune(configs=[triton.Config({})], key=[])
@triton.jit
def other(x: "*fp32"):
    pass


def launch(x):
    def grid(meta):
        return (1,)

    other[grid](x)  # changes no list
