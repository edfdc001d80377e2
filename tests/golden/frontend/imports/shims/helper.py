import somewhere

import shims

try:
    shim = somewhere.get_module()
except ImportError:
    import triton

    try:
        shim = triton.language.extra.libdevice
    except AttributeError:
        shim = triton.language.math

if shims.is_large:
    SIZE = 64
else:
    SIZE = 32


def patch(module, names):
    for name in names:
        if not hasattr(module, name):
            setattr(module, name, None)
    return module


patched = somewhere.get_module()
patched = patch(patched, ["other"])

WIDTH = 1
WIDTH = 2
