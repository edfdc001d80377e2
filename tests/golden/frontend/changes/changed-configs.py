# Configurations and heuristics that a statement changes have the changed values, or are
# computed by the host if only the host knows them.
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s
import torch
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": 16})]
CONFIGS.append(triton.Config({"BLOCK": 32}))
HOST = [triton.Config({"BLOCK": 16})]
if torch.cuda.get_device_properties(0).total_memory > 2**36:
    HOST.append(triton.Config({"BLOCK": 64}))
FUNCTION = [triton.Config({"BLOCK": 16})]


def grow():
    FUNCTION.append(triton.Config({"BLOCK": 64}))


grow()


# CHECK: "name": "followed"
# CHECK: "constants": {"BLOCK": 16}
# CHECK: "constants": {"BLOCK": 32}
@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def followed(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "by_host"
# CHECK: "configurations": {"computed": "HOST"}
@triton.autotune(configs=HOST, key=[])
@triton.jit
def by_host(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "by_function"
# CHECK: "configurations": {"computed": "FUNCTION"}
@triton.autotune(configs=FUNCTION, key=[])
@triton.jit
def by_function(x: "*fp32", BLOCK: tl.constexpr):
    pass


MEMBER = [triton.Config({"BLOCK": 16})]
setattr(MEMBER[0], "num_warps", 1)


def narrow(config):
    setattr(config, "num_warps", 1)


ITEM = [triton.Config({"BLOCK": 16})]
narrow(ITEM[0])


# CHECK: "name": "by_member"
# CHECK: {"constants": {"BLOCK": 16}, "num_warps": 1}
@triton.autotune(configs=MEMBER, key=[])
@triton.jit
def by_member(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "by_item"
# CHECK: {"constants": {"BLOCK": 16}, "num_warps": 1}
@triton.autotune(configs=ITEM, key=[])
@triton.jit
def by_item(x: "*fp32", BLOCK: tl.constexpr):
    pass


HELD = triton.Config({"BLOCK": 16})
LATER = {"BLOCK": lambda args: 16}


def widen():
    setattr(HELD, "num_warps", 1)


widen()


# CHECK: "name": "by_call"
# CHECK: {"constants": {"BLOCK": 16}, "num_warps": 1}
@triton.autotune(configs=[HELD], key=[])
@triton.jit
def by_call(x: "*fp32", BLOCK: tl.constexpr):
    pass


# CHECK: "name": "by_dictionary"
# CHECK: "heuristics": {
# CHECK-NEXT: "BLOCK": {"argument": "args", "expression": "32"}
@triton.heuristics(LATER)
@triton.jit
def by_dictionary(x: "*fp32", BLOCK: tl.constexpr):
    pass


LATER["BLOCK"] = lambda args: 32
