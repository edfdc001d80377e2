# Questions of files about the release of Triton are answered: its number, as text
# and as a version of `packaging`; so are questions with one answer on every machine.
# RUN: tilec %s --kernel=asks --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=mixed -o - 2>&1 | FileCheck %s --check-prefix=MIXED
import importlib.metadata
import importlib.util
import os
import packaging.version
import platform
import sys
import torch
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

RELEASE = version.parse(triton.__version__).release
IS_PYTHON3 = sys.version_info.major == 3 and sys.version_info >= (3, 9)
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_OTHER = importlib.util.find_spec("no_such_package") is not None
HAS_FILE = importlib.util.find_spec("plain_functions") is not None
WANTED = os.environ.get("KERNELS_OURS", "1") == "1" and not os.getenv("KERNELS_OTHER")
IS_HIP = getattr(torch.version, "hip", None) is not None
INSTALLED = importlib.metadata.version("triton") == triton.__version__
PAIR = tuple(map(int, triton.__version__.split(".")[:2]))

if "KERNELS_OTHER" in os.environ or IS_HIP or torch.version.cuda is None:
    helper = None
elif platform.system() == "Linux" and hasattr(triton, "set_allocator"):

    @triton.jit
    def helper(x):
        tl.store(x, 2)

else:
    helper = 3


# CHECK-LABEL: kernel @asks
# CHECK: constant {value = 1} : i32
# CHECK-NEXT: store
# CHECK: constant {value = 2} : i32
# CHECK-NEXT: store
# CHECK: return
@triton.jit
def asks(x: "*i32"):
    tl.static_assert(IS_NEW and not IS_LATE and AT_LEAST and SAME)
    tl.static_assert(PRECISION == "tf32x3")
    tl.static_assert(triton.__version__.startswith("3."))
    tl.static_assert((1, 2) < (1, 2, 0) and (1, 9) < (2, 0) and (2,) >= (2,))
    tl.static_assert(not (1, 2) > (1, 2) and ("a", 2) < ("b", 1))
    tl.static_assert(RELEASE >= (3, 9) and PAIR == (3, 9) and INSTALLED)
    tl.static_assert(IS_PYTHON3 and HAS_NUMPY and HAS_FILE and not HAS_OTHER)
    tl.static_assert(WANTED and not IS_HIP)
    tl.static_assert(version.parse(torch.__version__).major == 2)
    tl.store(x, 1)
    helper(x)


# MIXED: error: '<' cannot combine tuple of 2 and tuple of 2
@triton.jit
def mixed(x: "*i32"):
    tl.store(x, (1, 2) < (1, "b"))
