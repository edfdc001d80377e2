import importlib
import sys

import import_effects_table as table
import import_effects_text as text


def put(module, value):
    module.BY_ARGUMENT = value


def put_names():
    vars(text)["BY_VARS"] = 2
    text.__dict__["BY_DICT"] += 2
    text.__dict__.update(BY_UPDATE=2)
    other = sys.modules["import_effects_text"]
    other.BY_MODULES = 2
    importlib.import_module("import_effects_text").BY_IMPORT = 2
    exec("text.BY_CODE = 2")
    getattr(text, "BY_GETATTR").append(2)
    put(text, getattr(text, "READ"))
    for module in (text,):
        module.BY_LOOP = 2
    for name in ("ANY",):
        vars(table)[name] = 2
