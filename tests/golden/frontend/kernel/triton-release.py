# --triton tells the release whose language a file uses, and `__version__` is
# this release.
#
# RUN: tilec %s --triton=3.8 --emit=ir -D RELEASE="'3.8.0'" | FileCheck %s
# RUN: tilec %s --triton=3.9 --emit=ir -D RELEASE="'3.9.0'" | FileCheck %s --check-prefix=NEW
# RUN: not tilec %s --triton=3.7 2>&1 | FileCheck %s --check-prefix=NONE
# CHECK: kernel @version
# NEW: kernel @version
# NONE: error: --triton wants 3.8 or 3.9, found '3.7'
import triton
import triton.language as tl

NEW = triton.__version__ >= "3.9"


@triton.jit
def version(RELEASE: tl.constexpr):
    tl.static_assert(triton.__version__ == RELEASE)
    tl.static_assert(NEW == (RELEASE == "3.9.0"))
