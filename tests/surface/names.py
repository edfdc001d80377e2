"""names.py FILE -- writes every public name of the installed Triton into FILE.

A line has a name with its parameters, the releases with that name and, for
functions of a library, the types of parameters and results, two blanks apart.
Run with each release in turn; FILE keeps the lines of the other releases.
"""

import enum
import importlib
import inspect
import sys
import types
from typing import TypeVar

import triton
import triton.language as tl
from triton.runtime.driver import DriverConfig

MODULES = {"tl": tl}
for path in ("math", "target_info", "extra.cuda", "extra.cuda.libdevice"):
    try:
        module = importlib.import_module("triton.language." + path)
    except ModuleNotFoundError:
        continue  # not in that release
    MODULES["tl." + path] = module
CLASSES = {
    "tensor": tl.tensor,
    "dtype": tl.dtype,
    "block_type": tl.block_type,
    "pointer_type": tl.pointer_type,
    "descriptor": tl.tensor_descriptor,
}
DECORATORS = ("Config", "aggregate", "autotune", "cdiv", "constexpr_function",
              "heuristics", "jit", "must_use_result", "next_power_of_2")


def parameter(p):
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    if p.default is p.empty:
        return stars + p.name
    default = p.default
    if isinstance(default, tl.constexpr):
        default = default.value
    if isinstance(default, tl.dtype) or hasattr(default, "name"):
        default = default.name  # of an enumeration
    return f"{p.name}={default!r}"


def signature(thing):
    if isinstance(thing, (property, enum.EnumMeta)):
        return ""
    thing = getattr(thing, "fn", thing)
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ""
    # Names that begin with _ are the compiler's own.
    shown = [parameter(p) for p in found if not p.name.startswith("_")]
    return "(" + ", ".join(shown) + ")"


class Symbols(dict):
    """By the types that are taken: a name, and the type that is given."""

    def to(self, dtype, **_):
        return Symbols({key: (name, dtype) for key, (name, _) in self.items()})


def overloads(function):
    """The types that a function of a library takes and gives."""
    def note(_library, _path, _args, symbols, **_):
        return Symbols(symbols)

    kept, tl.core.extern_elementwise = tl.core.extern_elementwise, note
    count = sum(not name.startswith("_")
                for name in inspect.signature(function).parameters)
    symbols = function(*[None] * count, _semantic=object())
    tl.core.extern_elementwise = kept
    return " ".join(
        ",".join(t.name for t in taken) + "->" + given.name
        for taken, (_, given) in symbols.items())


def is_ours(thing):
    """Is it of the language, not of typing or functools?"""
    if isinstance(thing, (TypeVar, DriverConfig)):
        return False
    module = getattr(getattr(thing, "fn", thing), "__module__", None) or ""
    return isinstance(thing, (tl.dtype, int)) or module.startswith("triton")


def names_of(prefix, holder):
    # The types below dtype have its methods, too.
    below = inspect.isclass(holder) and issubclass(holder, tl.dtype)
    for name in vars(holder) if below else dir(holder):
        thing = getattr(holder, name)
        if name.startswith("_") or isinstance(thing, types.ModuleType):
            continue
        if not inspect.isclass(holder) and not is_ours(thing):
            continue
        value = isinstance(thing, (tl.dtype, int, list))
        library = prefix.endswith("libdevice")
        yield (prefix + "." + name + ("" if value else signature(thing)),
               overloads(thing) if library else "")


def names():
    for prefix, holder in {**MODULES, **CLASSES}.items():
        yield from names_of(prefix, holder)
    for name in DECORATORS:
        if hasattr(triton, name):
            yield f"triton.{name}{signature(getattr(triton, name))}", ""


def main(path):
    known = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, releases, *types_ = line.rstrip("\n").split("  ")
                known[name] = set(releases.split()), "".join(types_)
    except FileNotFoundError:
        pass
    release = ".".join(triton.__version__.split(".")[:2])
    for name, types_ in names():
        known.setdefault(name, (set(), types_))[0].add(release)
    with open(path, "w", encoding="utf-8") as file:
        for name, (releases, types_) in sorted(known.items()):
            print("  ".join([name, " ".join(sorted(releases))] +
                            [types_] * bool(types_)), file=file)


if __name__ == "__main__":
    main(sys.argv[1])
