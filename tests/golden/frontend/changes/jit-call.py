# REQUIRES: tilec
# RUN: tilec --emit=reflect-json -o - %s | FileCheck %s
# RUN: tilec --kernel=calls --signature="*i32, i32" --stop-after=frontend -o - %s | FileCheck %s --check-prefix=CODE

# jit() called on a plain function keeps its other arguments.
import triton
import triton.language as tl


def body(p, n, m):
    tl.store(p, n + m)


# CHECK-LABEL: "name": "both"
# CHECK: "name": "n", "constexpr": false, "do_not_specialize": true
# CHECK: "name": "m", "constexpr": false}
both = triton.jit(body, do_not_specialize=["n"])
# CHECK-LABEL: "name": "first"
# CHECK: "name": "n", "constexpr": false}
# CHECK: "name": "m", "constexpr": false, "do_not_specialize": true
first = triton.jit(do_not_specialize=("m",))(body)
# CHECK-LABEL: "name": "tuned"
# CHECK: "do_not_specialize": true
# CHECK: "num_warps": 8
tuned = triton.autotune(configs=[triton.Config({}, num_warps=8)], key=[])(both)

# Functions of another file, too; names in the call are looked up in this file.
import plain_functions as plain
from plain_functions import filled, twice

SIZE = 64
# CHECK-LABEL: "name": "imported"
# CHECK: "file": "{{.*}}plain_functions.py"
# CHECK: "name": "n", "constexpr": false, "do_not_specialize": true
imported = triton.jit(plain.fill, do_not_specialize=["n"])
# CHECK-LABEL: "name": "filled"
# CHECK: "constants": {"B": 64}, "num_warps": 2
filled = triton.autotune([triton.Config({"B": SIZE}, num_warps=2)], key=[])(filled)
# CHECK-LABEL: "name": "nested"
# CHECK: "num_warps": 1
# CHECK: "expression": "args['n'] > SIZE"
nested = triton.autotune([triton.Config({}, num_warps=1)], key=["n"])(
    triton.heuristics({"MANY": lambda args: args["n"] > SIZE})(triton.jit(plain.fill))
)
# Uses of a kernel by host code, under its own name, do not change the kernel.
# CHECK-LABEL: "name": "kept"
# CHECK: "num_warps": 4
kept = triton.autotune([triton.Config({}, num_warps=4)], key=[])(triton.jit(body))
kept = plain.tuned_by_host()(kept)
kept = plain.observed(kept, times=3)
double = triton.jit(twice)
# CHECK-NOT: "name": "double"
# CHECK-LABEL: "name": "calls"
# CODE: muli


@triton.jit
def calls(p, n):
    tl.store(p, double(n))
