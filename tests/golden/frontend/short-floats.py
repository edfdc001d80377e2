# A float with a precision and no type is like 'g' with a digit after the point.
# RUN: tilec %s --stop-after=frontend -o - | FileCheck %s
import triton
import triton.language as tl


# CHECK: kernel @k
@triton.jit
def k(x: "*fp32"):
    tl.static_assert(f"{3.0:.1}" == "3e+00")
    tl.static_assert(f"{-0.0:.1}" == "-0e+00")
    tl.static_assert(f"{123.0:.3}" == "1.23e+02")
    tl.static_assert(f"{120.0:.3}" == "1.2e+02")
    tl.static_assert(f"{12.0:.3}" == "12.0")
    tl.static_assert(f"{0.5:.3}" == "0.5")
    tl.static_assert(f"{5:<08}" == "50000000")
    tl.static_assert(f"{-5:^08}" == "000-5000")
    tl.static_assert(f"{5:*<08}" == "5*******")
