# REQUIRES: tilec
# RUN: tilec --emit=reflect-json -o - %s | FileCheck %s

# jit() called on a plain function keeps what it is given besides.
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
