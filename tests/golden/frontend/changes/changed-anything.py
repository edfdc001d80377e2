# A name may be changed through another name of unknown value, an exception's
# argument here: the name has the value that a run of the module finds.
# RUN: tilec %s --error-limit=100 -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl

raised = [1]
copied = tuple(raised)
number = len(raised)
try:
    raise ValueError(raised)
except ValueError as error:
    caught = error.args[0]
caught.append(2)


# CHECK: remark: [1, 2]
# CHECK: remark: (1,) 1
@triton.jit
def k(x: "*fp32"):
    tl.static_print(raised)
    tl.static_print(copied, number)
