# What patched-modules.py has kernels use.
import importlib

import triton


def patch(module):
    setattr(module, "mine", None)


def patch_exp(module):
    setattr(module, "exp", lambda x: x)


def patch_by_name(module, names):
    for name in names:
        setattr(module, name, None)


def patch_more(module):
    setattr(module, "mine", None)
    module.exp2 = None


patched = importlib.import_module("triton.language.extra.libdevice")
patch(patched)
set_here = importlib.import_module("triton.language.extra.libdevice")
setattr(set_here, "mine", None)
alias = triton.language.extra.libdevice
patch(alias)

exp_set = importlib.import_module("triton.language.extra.libdevice")
patch_exp(exp_set)
by_name = importlib.import_module("triton.language.extra.libdevice")
patch_by_name(by_name, ["mine"])
more = importlib.import_module("triton.language.extra.libdevice")
patch_more(more)
numbers = [1, 2]
patch(numbers)
