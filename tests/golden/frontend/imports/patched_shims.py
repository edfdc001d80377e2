# Modules that kernels of patched-modules.py use.
import importlib

import triton


def find():
    return importlib.import_module("triton.language.extra.libdevice")


def patch(module):
    setattr(module, "mine", None)


def patch_exp(module):
    setattr(module, "exp", lambda x: x)
    return module


def patch_by_name(module, names):
    for name in names:
        setattr(module, name, None)


def patch_more(module):
    setattr(module, "mine", None)
    module.exp2 = None


def patch_absent(module, names, spare):
    for name in names:
        if hasattr(module, name):
            continue
        for other in spare:
            if hasattr(other, name):
                setattr(module, name, getattr(other, name))
                break
    return module


def patch_within(module, names):
    for name in names:
        if not hasattr(module, name):
            setattr(module, name, None)


def patch_inner(module, names, strict):
    for name in names:
        if strict:
            if hasattr(module, name):
                continue
        setattr(module, name, None)


def patch_renamed(module, names):
    for name in names:
        if hasattr(module, name):
            continue
        name = "exp2"
        setattr(module, name, None)


def patch_after(module, names):
    for name in names:
        if not hasattr(module, name):
            pass
        setattr(module, name, None)


def patch_listed(module):
    for name in ("mine", "yours"):
        setattr(module, name, None)


patched = importlib.import_module("triton.language.extra.libdevice")
patch(patched)
set_here = importlib.import_module("triton.language.extra.libdevice")
setattr(set_here, "mine", None)
alias = triton.language.extra.libdevice
patch(alias)
again = find()
again = patch_absent(again, ["mine"], [])
within = find()
patch_within(within, ["mine"])

listed = importlib.import_module("triton.language.extra.libdevice")
for name in ("mine", "yours"): setattr(listed, name, None)
for name in ["mine", "yours"]:
    setattr(listed, name, None)
patch_listed(listed)

exp_set = importlib.import_module("triton.language.extra.libdevice")
patch_exp(exp_set)
returned = patch_exp(find())
by_name = find()
patch_by_name(by_name, ["mine"])
more = find()
patch_more(more)
inner = find()
patch_inner(inner, ["mine"], False)
renamed = find()
patch_renamed(renamed, ["mine"])
after = find()
patch_after(after, ["mine"])
numbers = [1, 2]
patch(numbers)
exp_listed = importlib.import_module("triton.language.extra.libdevice")
for name in ("mine", "exp"):
    setattr(exp_listed, name, None)
letters = importlib.import_module("triton.language.extra.libdevice")
for name in ("exp"):
    setattr(letters, name, None)
other_name = importlib.import_module("triton.language.extra.libdevice")
for name in ("mine", "yours"):
    name = "exp2"
    setattr(other_name, name, None)
behind = importlib.import_module("triton.language.extra.libdevice")
for name in ("mine", "yours"):
    pass
setattr(behind, name, None)
