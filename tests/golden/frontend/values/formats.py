# Formats are Python's: a float with a precision and no type is like 'g' with a
# digit after the point, a zero before the width fills, also between separators.
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
    tl.static_assert(f"{'ab':05}" == "ab000")
    tl.static_assert(f"{1234:09,}" == "0,001,234")
    tl.static_assert(f"{60910:09_x}" == "0000_edee")
    tl.static_assert(f"{12.5:,.0%}" == "1,250%")
    tl.static_assert(f"{float('nan'):,}" == "nan")
    tl.static_assert(f"{-0.001:z.1f}" == "0.0")
