# A function of the host may replace a kernel by another one.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


# CHECK: [[#@LINE+2]]:5: warning: host code decides what 'k' is; it is taken as the kernel of this line
@triton.jit
def k(x: "*fp32"):
    tl.store(x, 1.0)


@triton.jit
def other(x: "*fp32"):
    tl.store(x, 2.0)


def swap():
    # CHECK: [[#@LINE+1]]:12: note: host code may set it here
    global k
    k = other


swap()
