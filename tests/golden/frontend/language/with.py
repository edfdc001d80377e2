# The scopes of a profiler name parts of the code: statements in them are compiled.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl
import triton.profiler.language as pl


# CHECK: kernel @k
# CHECK: load
# CHECK: constant {value = 3.0}
@triton.jit
def k(x: "*fp32", n: "i32"):
    pl.enter_scope("all")
    with pl.scope("load"), pl.scope("again") as s:
        v = tl.load(x)
        if n == 0:
            return
    pl.exit_scope("all")
    tl.store(x, v + 3.0)
