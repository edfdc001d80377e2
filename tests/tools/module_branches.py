"""Definitions below conditions: the fourth generator of random_modules.py.

A file `config` has values; files that are only imported change them; and conditions
of the module, or of a file `part`, ask for them.  Each branch defines the same names,
as functions, classes, values, imports or other names of these.  A kernel is asked for
what the names stand for: `probes` are its expressions.
"""
import random
import sys
import types

CONFIG = ["L = [1]", "N = 1", "FLAG = False", "D = {'a': 1}", "MODE = 'slow'", "class O:\n    x = 1",
          "def f():\n    return 1", "T = (1, 2)", "def grow():\n    L.append(7)", "o = O()", "G = None"]
# Each is a statement of a file that is only imported, and a condition that it decides.
CHANGES = [
    ("config.L.append(2)", "len(L) > 1"), ("config.L.append(2)", "L[-1] == 2"), ("config.L.clear()", "L"),
    ("config.L = [1, 2, 3]", "len(config.L) == 3"), ("config.L[0] = 5", "L[0] == 5"), ("config.L += [8]", "8 in L"),
    ("config.grow()", "len(L) != 1"), ("from config import L\nL.append(3)", "L[-1] > 2"), ("from config import grow\ngrow()", "L[1:]"),
    ("config.N = 3", "N == 3"), ("config.N += 1", "N > 1"), ("setattr(config, 'N', 4)", "N >= 4"),
    ("config.FLAG = True", "FLAG"), ("config.FLAG = True", "not FLAG"), ("config.FLAG = not config.FLAG", "FLAG is True"),
    ("config.MODE = 'fast'", "MODE == 'fast'"), ("config.D['b'] = 2", "'b' in D"), ("config.D.update(b=2)", "len(D) == 2"),
    ("config.D.pop('a')", "D.get('a')"), ("config.O.x = 2", "O.x == 2"), ("config.O.y = 2", "hasattr(O, 'y')"),
    ("config.o.x = 2", "o.x == 2"), ("config.EXTRA = 1", "hasattr(config, 'EXTRA')"), ("del config.G", "hasattr(config, 'G')"),
    ("config.f = lambda: 2", "f() == 2"), ("config.T += (3,)", "len(T) == 3"), ("config.__dict__['N'] = 5", "N == 5"),
    ("vars(config).update(N=6)", "N == 6"), ("import sys\nsys.modules['config'].N = 7", "N == 7"), ("exec('config.N = 8')", "N == 8"),
    ("for name in ['FLAG', 'G']:\n    setattr(config, name, 1)", "FLAG and G"), ("config.G = config.N", "G is not None"),
    ("if config.N == 1:\n    config.FLAG = 1", "FLAG == 1"), ("def act():\n    config.N = 9\nact()", "N == 9"),
    ("q = config\nq.N = 10", "N == 10"), ("table = config.D\ntable['c'] = 1", "sorted(D) == ['a', 'c']"),
    ("import opaque\nif opaque.value() > 3:\n    config.N = 2", "N == 2"), ("import opaque\nopaque.touch(config.L)", "len(L) == 1"),
]
UNSURE = ["os.environ.get('TILE_RANDOM') == '1'", "opaque.value() > 3"]
NAMES = ["L", "N", "FLAG", "D", "MODE", "O", "f", "T", "o", "G"]


def stand_ins():
    """Modules that Python finds for `triton` and `triton.language`."""
    triton, language = types.ModuleType("triton"), types.ModuleType("triton.language")
    triton.jit = triton.constexpr_function = lambda f: f
    triton.language = language
    return {"triton": triton, "triton.language": language}


sys.modules.update(stand_ins())


class Branches:
    """A generator for random_modules.py."""

    def __init__(self, seed):
        self.r, self.count, self.probes = random.Random(seed), 0, []
        self.changes = self.r.sample(CHANGES, self.r.randint(1, 3))
        self.modules = {"config": "\n".join(CONFIG) + "\n", "changes": self.changing(),
                        "one": "W = 1\nV = 1\nimport triton\n@triton.jit\ndef act():\n    return 1\n",
                        "two": "W = 2\nV = 2\nimport triton\n@triton.jit\ndef act():\n    return 2\n",
                        "gate": f"import config\nfrom config import *\nif {self.condition()}:\n    raise ImportError\nW = 3\n"}
        if self.r.random() < 0.3:
            self.modules["changes"], self.modules["deep"] = "import deep\n", self.modules["changes"]
        self.chunks = ["import os", "import opaque", "import triton", "import triton.language as tl"]
        whole = self.r.random() < 0.5  # is `part` imported as a module?
        self.prefix = "part." if whole else ""
        self.modules["part"] = "\n".join(["import os", "import opaque", "import triton", *self.body()]) + "\n"
        self.prefix = ""
        self.chunks += self.body() + ["import part" if whole else "from part import *"]

    def changing(self):
        return "import config\n" + "\n".join(text for text, _ in self.changes) + "\n"

    def condition(self):
        texts = [test for _, test in self.changes] + [self.r.choice(CHANGES)[1]]
        text = self.r.choice(texts)
        if self.r.random() < 0.15:
            text = f"{text} {self.r.choice(['and', 'or'])} {self.r.choice(texts + UNSURE)}"
        return self.r.choice([text, text, text, f"not ({text})", f"bool({text})"])

    def body(self):
        """Statements that import, and define names below conditions."""
        ways = self.r.choice([["import config", "from config import *"],
                              ["import config", "from config import " + ", ".join(NAMES)],
                              ["import config", *(f"{n} = config.{n}" for n in NAMES)]])
        early = ways if self.r.random() < 0.5 else ways[:1] if self.r.random() < 0.5 else []
        lines = early + ["import changes"] + ([] if early == ways else ways)
        for _ in range(self.r.randint(2, 4)):
            lines.append(self.construct())
        return lines

    def indent(self, text):
        return "\n".join("    " + line for line in text.split("\n"))

    def name(self):
        self.count += 1
        return f"{self.r.choice(['h', 'K', 'X', 'host', 'm', 'Y', 'a', 'act'])}_{self.count}"

    def define(self, name):
        """A definition of the name, and the value of its probe."""
        k, kind = self.r.randint(1, 5), name.split("_")[0]
        return {"h": f"@triton.jit\ndef {name}():\n    return {k}", "K": f"class {name}:\n    V = {k}",
                "X": f"{name} = {k}", "host": f"def {name}():\n    return {k}",
                "m": f"import {self.r.choice(['one', 'two'])} as {name}",
                "Y": f"from {self.r.choice(['one', 'two'])} import W as {name}", "a": f"{name} = {self.r.choice([1, 2])} + {k}",
                "act": f"from {self.r.choice(['one', 'two'])} import act as {name}"}[kind]

    def ask(self, probe):
        self.probes.append(self.prefix + probe)

    def probe(self, name):
        kind = name.split("_")[0]
        if kind == "host":
            self.ask(f"c{name}(1)")
            return f"@triton.constexpr_function\ndef c{name}(x):\n    return {name}()"
        self.ask({"h": f"{name}()", "K": f"{name}.V", "m": f"{name}.W", "act": f"{name}()"}.get(kind, name))
        return ""

    def construct(self):
        names = [self.name() for _ in range(self.r.randint(1, 2))]
        block = lambda: self.indent("\n".join(self.define(n) for n in names))
        before = "\n".join(self.define(n) for n in names)
        c, d = self.condition(), self.condition()
        text = self.r.choice([
            f"if {c}:\n{block()}\nelse:\n{block()}", f"if {c}:\n{block()}\nelse:\n{block()}", f"{before}\nif {c}:\n{block()}",
            f"if {c}:\n{block()}\nelif {d}:\n{block()}\nelse:\n{block()}",
            f"if {c}:\n    if {d}:\n{self.indent(block())}\n    else:\n{self.indent(block())}\nelse:\n{block()}",
            f"{before}\nwhile {c}:\n{block()}\n    break", f"while {c}:\n{block()}\n    break\nelse:\n{block()}",
            f"{before}\nfor item in config.L[1:]:\n{block()}", f"for item in config.L[1:]:\n{block()}\n    break\nelse:\n{block()}",
            f"try:\n    config.EXTRA\n{block()}\nexcept AttributeError:\n{block()}", f"try:\n    config.D['b']\n{block()}\nexcept KeyError:\n{block()}",
            f"try:\n    import gate\n{block()}\nexcept ImportError:\n{block()}", f"try:\n    from config import EXTRA\nexcept ImportError:\n{block()}\nelse:\n{block()}",
            f"try:\n    assert {c}\nexcept AssertionError:\n{block()}\nelse:\n{block()}",
            f"try:\n    if {c}:\n        raise ValueError\n{block()}\nexcept ValueError:\n{block()}\nfinally:\n    pass",
            f"match len(config.L):\n    case 1:\n{self.indent(block())}\n    case _:\n{self.indent(block())}",
            f"from {'one' if self.r.random() < 0.5 else 'two'} import *\nif {c}:\n    from one import *\nelse:\n    from two import *\n" + before,
            self.ternary(names, c)])
        if "import *" in text:
            self.ask("act()" if self.r.random() < 0.5 else "W")
        return "\n".join([text, *(p for p in map(self.probe, names) if p)])

    def ternary(self, names, condition):
        lines = []
        for n in names:
            kind, rest = n.split("_")
            other = [f"{kind}_{rest}{k}" for k in "89"]
            lines += [self.define(o) for o in other] + [f"{n} = {other[0]} if {condition} else {other[1]}"]
        return "\n".join(lines)
