# What absent-members.py has kernels use.
import importlib


def find():
    return importlib.import_module("triton.language.extra.libdevice")


def patch(module, names, spare):
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


def patch_exp(module):
    setattr(module, "exp", lambda x: x)
    return module


again = find()
again = patch(again, ["mine"], [])
within = find()
patch_within(within, ["mine"])

inner = find()
patch_inner(inner, ["mine"], False)
renamed = find()
patch_renamed(renamed, ["mine"])
after = find()
patch_after(after, ["mine"])
exp_set = patch_exp(find())
