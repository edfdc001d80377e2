# Modules of Triton that a function imports by their names.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>&1 | FileCheck %s
import importlib

from elsewhere import load


def safe_import(module, *, alt=None):
    try:
        found = importlib.import_module(module)
        if getattr(found, "__file__", None) is None:
            raise ImportError(module)
        return True, found
    except ImportError:
        return False, alt


_found, triton = safe_import("triton")
try:
    found, tl = safe_import("triton.language")
except ImportError:
    tl = None
libdevice = safe_import("triton.language.extra.libdevice")[1]
tldevice = load("triton.language.extra.libdevice")


# CHECK-NOT: warning
# CHECK: kernel @k
# CHECK: rsqrt
# CHECK: tanh
@triton.jit
def k(x: "*fp32"):
    i = tl.arange(0, 16)
    tl.store(x + i, libdevice.tanh(tldevice.rsqrt(tl.load(x + i))))
