# In host code the type of a constant is Python's; a constant without one gives a message.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=told -o - 2>&1 | FileCheck %s --check-prefix=TOLD
import triton
import triton.language as tl


def name_of(x):
    if type(x) is bool: return "bool"
    if type(x) == int: return "int"
    if type(x) in (list, tuple): return "items"
    return "other"


LIST = [4, 1]
NAMES = [name_of(x) for x in (True, 1, 1.5, LIST, (1,), {}, "a")]
SAME = type(1.5) is float and type({}) is dict and type("") is not list
MADE = type(LIST)((1, 2))
APPEND = type(LIST).append
LAMBDA = type(lambda: 1) is int


# KNOWN: remark: ['bool', 'int', 'other', 'items', 'items', 'other', 'other'] True [1, 2]
@triton.jit
def known(x: "*fp32"):
    tl.static_print(NAMES, SAME, MADE)
    tl.static_assert(type(NAMES) is list)


# CHECK: error: function 'list' has no attribute 'append'
# CHECK: error: 'type' is a function of Python's; host code is not run here
@triton.jit
def unknown(x: "*fp32"):
    tl.static_print(APPEND)
    tl.static_print(LAMBDA)


# In a kernel the type of any constant is tl.constexpr, so that Python's answer
# to the next question cannot be given.
# TOLD: error: in a kernel the class of a constant is tl.constexpr, and no 'float': ask 'isinstance(x, float)'
# TOLD: error: in a kernel the class of a constant is tl.constexpr, and no 'str'
# TOLD: error: in a kernel the class of a constant is tl.constexpr, and no 'int'
# TOLD-NOT: error
@triton.jit
def told(x: "*fp32"):
    tl.static_print(type(3) == type(3.0))
    tl.static_print(type(3) in (type(4), type("a")))
    tl.static_print(type(None) is not type(3))
    tl.static_assert(type(3) == type(4) and type((1,)) == type((2, 3)))
    tl.static_assert(type(3) == tl.constexpr)
    tl.static_assert(isinstance(4, type(3)) and not isinstance(4.0, type(3)))
