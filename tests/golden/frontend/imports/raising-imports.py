# An import below a `try` fails if its file, or a file that it imports, raises
# at its end: then the names of the handler count.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
import triton
import triton.language as tl

try:
    from .raising_imports_absent import *
    ABSENT = 100
except ImportError:
    ABSENT = 7

try:
    from raising_imports import ASKED
except ImportError:
    ASKED = 1

try:
    from raising_imports_deep import DEEP
except ImportError:
    DEEP = 2

KEPT = 6
try:
    from raising_imports import ASKED as KEPT
except ImportError:
    pass

try:
    from raising_imports import *
except ImportError:
    STARRED = 3

try:
    from raising_imports_caught import *
except ImportError:
    CAUGHT = 100

try:
    from raising_imports_lacking import *
except AttributeError:
    LISTED = 5

try:
    from raising_imports_caught import CAUGHT as NAMED
except ImportError:
    NAMED = 100

try:
    import raising_imports_host
    HOST = 101
except ImportError:
    HOST = 100


# CHECK: constant {value = 1} : i32
# CHECK: constant {value = 2} : i32
# CHECK: constant {value = 3} : i32
# CHECK: constant {value = 4} : i32
# CHECK: constant {value = 4} : i32
# CHECK: constant {value = 6} : i32
# CHECK: constant {value = 5} : i32
@triton.jit
def known(x: "*i32"):
    tl.store(x, ASKED)
    tl.store(x, DEEP)
    tl.store(x, STARRED)
    tl.store(x, CAUGHT)
    tl.store(x, NAMED)
    tl.store(x, KEPT)
    tl.store(x, LISTED)


# UNKNOWN: [[@LINE+4]]:17: error: 'HOST' is computed by host code
# UNKNOWN: error: 'ABSENT' is computed by host code
@triton.jit
def unknown(x: "*i32"):
    tl.store(x, HOST)
    tl.store(x, ABSENT)
