# A changed object may be any list that unseen code can reach; a list that no
# line passes on is changed only through its own name.
# RUN: tilec %s --kernel=known -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown --error-limit=100 -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

import opaque

WARPS = [2, 4]
TABLE = {"a": 1, "b": 2}
COUNTS = [1, 2] if len(WARPS) == 2 else [3]
passed = [1]
named = [2]
held = [3]
other = held
boxes = [[4]]
first = boxes[0]
global_list = [5]
raised = [6]


def give():
    return passed


def reset():
    global global_list
    global_list = [6]


def carry():
    return 0


carry.list = raised
try:
    raise ValueError(getattr(carry, "list"))
except ValueError as error:
    caught = error.args[0]
caught.append(2)

given = opaque.choose(give, named, [held], boxes)
given.append(2)

TOTAL = sum(WARPS) + len(WARPS)


# KNOWN: remark: 2 4 8 2 1 (1, 2)
@triton.jit
def known(x: "*fp32"):
    tl.static_print(WARPS[0], WARPS[1], TOTAL, TABLE.get("b"), min(COUNTS), [q for q in COUNTS])


# CHECK: error: 'passed' is computed by host code
# CHECK: error: 'named' is computed by host code
# CHECK: error: 'held' is computed by host code
# CHECK: error: 'boxes' is computed by host code
# CHECK: error: 'global_list' is computed by host code
# CHECK: remark: [6, 2]
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(passed[0])
    tl.static_print(named[0])
    tl.static_print(held[0])
    tl.static_print(boxes[0])
    tl.static_print(global_list[0])
    tl.static_print(raised)
