# What files ask about the release of Triton is answered: its number, as text
# and as a version of `packaging`.
# RUN: tilec %s --kernel=asks --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=mixed -o - 2>&1 | FileCheck %s --check-prefix=MIXED
import packaging.version
import triton
import triton.language as tl
from packaging import version
from packaging.version import Version, parse as parse_version

IS_NEW = version.parse(triton.__version__) >= version.parse("3.6.0")
IS_LATE = Version(triton.__version__) > parse_version("99")
NUMBERS = tuple(int(part) for part in triton.__version__.split(".")[:2])
AT_LEAST = NUMBERS >= (3, 5)
PRECISION = tl.constexpr("tf32x3" if IS_NEW and not IS_LATE else "ieee")
SAME = packaging.version.parse("3.7.0+git1") == Version("3.7")


# CHECK-LABEL: kernel @asks
# CHECK: constant {value = 1} : i32
# CHECK-NEXT: store
# CHECK: return
@triton.jit
def asks(x: "*i32"):
    tl.static_assert(IS_NEW and not IS_LATE and AT_LEAST and SAME)
    tl.static_assert(PRECISION == "tf32x3")
    tl.static_assert(triton.__version__.startswith("3."))
    tl.static_assert((1, 2) < (1, 2, 0) and (1, 9) < (2, 0) and (2,) >= (2,))
    tl.static_assert(not (1, 2) > (1, 2) and ("a", 2) < ("b", 1))
    tl.store(x, 1)


# MIXED: error: '<' cannot combine tuple of 2 and tuple of 2
@triton.jit
def mixed(x: "*i32"):
    tl.store(x, (1, 2) < (1, "b"))
