#!/usr/bin/env python3
"""Compares the values of names of random modules with Python itself.

    random_modules.py TILEC SEED COUNT [probe [large]] [shapes|small|ways|branches]

A module binds names in every way that host code has: lists and dictionaries that
are changed under other names, closures, loops, `:=`, `try`, classes, imports,
decorators, comprehensions.  The module also reads two things that the compiler
cannot know: the environment, and a module `opaque` that only Python finds.  Python
runs each module several times, with other values of these two each time; a value is
determined if all runs agree on it.  The compiler may know only determined values,
and each value that it knows must be right.  Kernels are compiled as if no variable of
the environment were set (docs/language.md): they may also know a value on which only
all runs without the variable agree.

`--emit=module` prints the values; with `probe`, a kernel prints them while it is
compiled; with `large`, the kernel also imports a long file, so that its files leave
each other's names alone, as far as their lines tell.  With `shapes`, modules are
those of module_shapes.py; with `small`, of module_small.py; with `ways`, of
module_ways.py; with `branches`, of module_branches.py, which also asks a kernel for
expressions.

Backs I4 and I6 of frontend/run and I3 of frontend/thing.
"""
import ast
import os
import resource
import subprocess
import sys
import tempfile
import types
import warnings

from module_branches import Branches
from module_gen import Generator, Importer, TooLong, compiled, timed
from module_shapes import Shapes
from module_small import Small, SmallForKernels
from module_ways import Ways

# The environment variable of each run, and whether `opaque` has effects in it.
RUNS = [(0, 0), (1, 1), (1, 0), (0, 1)]
UNSET_RUNS = [(None, 0), (None, 1)]  # as kernels are compiled
MOST = 1 << 62  # integers beyond are not compared
SECONDS = 0.25  # limit of a module's run
# The generator of each kind, and the least percentages of the determined values that
# must be known: by `--emit=module`, which prints the values of the run, and by
# kernels, which know fewer, since functions may change some later.
KINDS = {"names": [(Generator, 70), (Generator, 30)], "shapes": [(Shapes, 30), (Shapes, 30)],
         "small": [(Small, 85), (SmallForKernels, 85)], "ways": [(Ways, 20), (Ways, 15)],
         "branches": [(Branches, 30), (Branches, 30)]}


class Opaque(types.ModuleType):
    """A module that changes its arguments in every way that is possible."""

    def __init__(self, acts):
        super().__init__("opaque")
        self.acts, self.kept = acts, []

    def change(self, x, depth=0):
        if depth > 2 or not self.acts:
            return
        if isinstance(x, list):
            for item in list(x):
                self.change(item, depth + 1)
            x.append(99)
        elif isinstance(x, dict):
            x["opaque"] = 1
        elif isinstance(x, set):
            x.add(99)
        elif isinstance(x, types.FunctionType):
            try:
                x(*[5] * x.__code__.co_argcount)
            except Exception:
                pass
        elif type(x).__module__ not in ("builtins", "opaque") and not isinstance(x, type):
            for name in list(vars(x)) if hasattr(x, "__dict__") else []:
                setattr(x, name, 77)

    def touch(self, *args):
        for x in args:
            self.change(x)
        return 7 + self.acts

    def keep(self, x):
        self.kept.append(x)
        return x

    def poke(self):
        for x in self.kept:
            self.change(x)

    def get(self):
        return self.kept[-1] if self.kept else [self.acts]

    def value(self):
        return 3 + 2 * self.acts

    def maybe(self):
        if self.acts:
            raise ValueError("opaque")
        return 1


def run(chunks, texts, flag, acts, probes=()):
    """The names of the module and the values of the probes, or the number of the chunk
    that fails."""
    sys.modules["opaque"] = Opaque(acts)
    os.environ.pop("TILE_RANDOM", None)
    if flag is not None:
        os.environ["TILE_RANDOM"] = str(flag)
    module = types.ModuleType("module")
    sys.modules["module"] = module
    k = -1
    try:
        with Importer(texts), timed(SECONDS):
            for k, chunk in enumerate(chunks):
                exec(compiled(chunk, "module", "exec"), module.__dict__)
        names = {n: x for n, x in module.__dict__.items() if n[0].isupper()}
        names.update((probe, outcome(probe, module.__dict__)) for probe in probes)
    except (Exception, TooLong):
        return k, None
    finally:
        del sys.modules["opaque"], sys.modules["module"]
    return -1, names


def outcome(probe, names):
    try:
        return eval(probe, names)
    except Exception:
        return None


def canon(x, depth=0):
    """The text of a value, with its type; None: it is not compared."""
    if x is None or isinstance(x, bool):
        return repr(x)
    if type(x) is int:
        return repr(x) if abs(x) < MOST else None
    if type(x) in (float, str):
        return repr(x)
    if depth > 6 or type(x) not in (list, tuple, dict, set, frozenset) or len(x) > 200:
        return None
    items = list(x.items()) if type(x) is dict else list(x)
    texts = [canon(item, depth + 1) for item in items]
    if None in texts:
        return None
    if isinstance(x, (set, frozenset)):
        texts.sort()
    return f"{type(x).__name__}({', '.join(texts)})"


class Module:
    """A module that runs to its end, and the values of its names."""

    def __init__(self, seed, generator=Generator):
        generator = generator(seed)
        self.chunks, self.texts = generator.chunks, generator.modules
        self.probes = getattr(generator, "probes", ())
        self.values = self.settle()
        self.through = through(self.chunks)

    def settle(self):
        """Take out failing chunks, until the module runs through with all of
        RUNS."""
        k = 0
        while k < len(RUNS):
            failed, names = run(self.chunks, self.texts, *RUNS[k], self.probes)
            if failed >= 0:
                del self.chunks[failed]
                k = 0
                values = []
                continue
            if k == 0:
                values = []
            values.append({n: canon(x) for n, x in names.items()})
            k += 1
        return values

    def unset(self):
        """Map each name to its text if the environment variable is not set, or to
        None where runs differ; no name if the module fails then."""
        values = [run(self.chunks, self.texts, *how)[1] for how in UNSET_RUNS]
        if None in values:
            return {}
        texts = [{n: canon(x) for n, x in v.items() if n[0].isupper()} for v in values]
        return {n: agreed([t.get(n) for t in texts]) for n in texts[0]}

    def text(self):
        return "\n".join(self.chunks) + "\n"

    def expected(self, probe):
        """Map each name to its text, or to None where the runs differ. With `probe`,
        runs that do not bind the name do not count: a kernel that uses it fails in
        them (docs/language.md)."""
        names = {n for v in self.values for n in v}
        return {n: agreed([v.get(n) for v in self.values if n in v or not probe]) for n in sorted(names)
                if any(v.get(n) is not None for v in self.values)}


def agreed(texts):
    return texts[0] if all(t == texts[0] for t in texts) else None


def through(chunks):
    """The names whose values pass through a call, an alias or a loop."""
    plain = {"len", "range", "int", "str", "float", "bool", "list", "dict", "set", "tuple", "min", "max",
             "sum", "abs", "sorted"}
    found, containers = set(), set()
    for chunk in chunks:
        nodes = list(ast.walk(ast.parse(chunk)))
        loads = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        stores = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        calls = any(isinstance(n, ast.Call) and not (isinstance(n.func, ast.Name) and n.func.id in plain)
                    for n in nodes)
        loops = any(isinstance(n, (ast.For, ast.While, ast.comprehension)) for n in nodes)
        alias = any(isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id in containers
                    for n in nodes)
        containers |= {t.id for n in nodes if isinstance(n, ast.Assign) for t in n.targets
                       if isinstance(t, ast.Name) and not isinstance(n.value, ast.Constant)}
        if calls or loops or alias or loads & found:
            found |= stores
        if calls or loops:
            found |= {n.value.id for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript))
                      and isinstance(n.value, ast.Name)}
    return found


def read_value(text):
    return canon(eval(text, {"__builtins__": {}}, {
        "inf": float("inf"), "nan": float("nan"), "set": set, "frozenset": frozenset}))


MOST_MEMORY = resource.getrlimit(resource.RLIMIT_AS)[1]


def unlimited():
    """Lift the limit of memory, since tilec with sanitizers maps more than the
    limit."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def ask_module(tilec, path):
    result = subprocess.run([tilec, "--emit=module", path, "-o", "-"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=unlimited)
    if result.returncode:
        raise SystemExit(f"tilec --emit=module: {result.returncode}\n{result.stderr}")
    found = {}
    for line in result.stdout.splitlines():
        name, equals, value = line.partition(" = ")
        if not equals:
            name, _, value = line.removesuffix(" so far").partition(": ")
        if equals or line.endswith(" so far"):
            found[name] = read_value(value)
    return found


def ask_kernel(tilec, path, names, large=False):
    """Ask for the values that a kernel at the end of the file has, as texts by
    name. Each name is printed by a line of its own; errors of other lines do
    not count."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read() + "\nimport triton as probe_triton\nimport triton.language as probe_tl\n"
    if large:
        text += "import probe_large\n"
        with open(os.path.join(os.path.dirname(path), "probe_large.py"), "w", encoding="utf-8") as file:
            file.write("#" * (70 << 10))
    text += "\n\n@probe_triton.jit\ndef probe_kernel():\n"
    first = text.count("\n") + 1
    probe = os.path.join(os.path.dirname(path), "probe_file.py")
    with open(probe, "w", encoding="utf-8") as file:
        file.write(text + "".join(f"    probe_tl.static_print([{name}])\n" for name in names))
    result = subprocess.run([tilec, "--emit=ir", probe, "--kernel=probe_kernel", "--error-limit=10000",
                             "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            encoding="utf-8", errors="replace", preexec_fn=unlimited)
    os.remove(probe)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{path}: a kernel ends with {result.returncode}\n{result.stderr}")
    lines = {first + k: name for k, name in enumerate(names)}
    found, failed = {}, set()
    for line in result.stderr.splitlines():
        at, _, said = line.removeprefix(probe + ":").partition(": ")
        name = lines.get(int(at.split(":")[0])) if at[:1].isdigit() else None
        if name and said.startswith("remark: ("):
            found[name] = said.removeprefix("remark: (").removesuffix(",)")
        elif name and said.startswith(("error: ", "warning: host code decides ")):
            failed.add(name)
    return {name: text for name, text in found.items() if name not in failed}


def write_files(folder, module):
    for name, text in module.texts.items():
        with open(os.path.join(folder, name.replace(".", "/") + ".py"), "w") as file:
            file.write(text)
    path = os.path.join(folder, "module.py")
    with open(path, "w") as file:
        file.write(module.text())
    return path


def main():
    tilec, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if os.environ.get("TILE_TEST_FULL"):
        count *= 20
    probe, large = "probe" in sys.argv[4:], "large" in sys.argv[4:]
    kind = next((k for k in KINDS if k in sys.argv[4:]), "names")
    generator, least = KINDS[kind][probe]
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None  # errors of generators that end unfinished
    resource.setrlimit(resource.RLIMIT_AS, (1 << 31, MOST_MEMORY))
    asked = known = wrong = passing = undetermined = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(seed, seed + count):
            module = Module(k, generator)
            path = write_files(folder, module)
            expected = module.expected(probe)
            if probe:
                told = ask_kernel(tilec, path, expected, large)
                found = {name: read_value(text) for name, text in told.items()}
            else:
                found = ask_module(tilec, path)
            unset = module.unset() if probe else {}
            for name, value in expected.items():
                undetermined += value is None
                asked += value is not None
                passing += value is not None and name in module.through
                if name not in found:
                    continue
                known += value is not None
                if found[name] != value and (value or found[name] != unset.get(name)):
                    wrong += 1
                    print(f"seed {k}: {name} is {value or 'not determined'}, found {found[name]}")
    share = lambda n: f"{n} ({100 * n / max(asked, 1):.1f} %)"
    print(f"{count} modules: {asked} values, {share(passing)} through a call, an alias or a loop; "
          f"known {share(known)}, wrong {wrong}; {undetermined} that no run decides")
    if 100 * known < least * asked:
        print(f"at least {least} % were to be known")
    return wrong != 0 or 100 * known < least * asked


if __name__ == "__main__":
    sys.exit(main())
