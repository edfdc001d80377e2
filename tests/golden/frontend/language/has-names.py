# hasattr() of Triton's modules: the names that Triton has there, and supported
# names of other releases; no names of another module.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


# CHECK: kernel @k
@triton.jit
def k(o: "*fp32"):
    tl.static_assert(hasattr(tl, "load"))
    tl.static_assert(hasattr(tl.core, "_aggregate"))
    tl.static_assert(hasattr(tl.extra, "hip"))
    tl.static_assert(hasattr(tl, "_experimental_descriptor_load"))
    tl.static_assert(hasattr(tl, "atomic_poll") and hasattr(tl.core, "atomic_load"))
    tl.static_assert(hasattr(tl.math, "tanh"))
    tl.static_assert(not hasattr(tl, "tanh"))
    tl.static_assert(not hasattr(tl, ""))
    tl.static_assert(not hasattr(tl, "load store"))
    tl.static_assert(not hasattr(tl, "logical_and"))
    tl.static_assert(not hasattr(tl, "next_power_of_2"))
    tl.static_assert(not hasattr(tl.math, "load"))
    tl.static_assert(not hasattr(tl.standard, "load"))
    tl.static_assert(not hasattr(tl.core, "sigmoid"))
    tl.static_assert(not hasattr(tl.extra.cuda.libdevice, "load"))
    tl.static_assert(getattr(tl.standard, "load", 3) == 3)
