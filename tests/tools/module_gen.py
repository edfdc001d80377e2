"""The modules of random_modules.py: a list of statements, and other modules to import.

The first letter of a name tells the usual kind of its value: N an integer, B a truth,
S a text, L a list of integers, M a list of lists, D a dictionary from texts to integers,
T a tuple, F a float, O an object, K a class.  A statement may fail; the caller who runs
the module removes it.
"""
import contextlib
import functools
import random
import signal
import sys
from importlib.machinery import ModuleSpec

KEYS = ["a", "b", "c", "d"]
ERRORS = ["ValueError", "KeyError", "IndexError", "ZeroDivisionError", "TypeError", "Exception",
          "LookupError", "ArithmeticError", "AttributeError", "NameError", "AssertionError"]
OPS = ["+", "-", "*", "//", "%", "&", "|", "^", "+", "-"]
COMPARES = ["<", "<=", ">", ">=", "==", "!="]


class Scope:
    """The names that statements see: of a module, or of a function in it."""

    def __init__(self, outer=None):
        self.outer, self.names, self.locals = outer, {}, []
        self.in_loop = False

    def all(self, kind):
        return self.names.get(kind, []) + (self.outer.all(kind) if self.outer else [])

    def add(self, kind, name):
        own = self.names.setdefault(kind, [])
        if name not in own:
            own.append(name)
        return name


class Generator:
    def __init__(self, seed, helpers=True):
        self.r = random.Random(seed)
        self.count = 0
        self.unsure = self.r.random() < 0.4   # has it values that only the host knows?
        self.strange = self.r.random() < 0.2  # and rare constructs?
        self.modules = {}
        self.top = Scope()
        self.chunks = ["import os", "import opaque"] if helpers else []
        self.helpers = []
        if helpers:
            self.make_helpers(seed)
        for kind in "NLLMDSB":
            self.chunks.append(self.bind(self.top, kind))
        for _ in range(self.r.randint(10, 36)):
            text = self.statement(self.top, 0)
            self.chunks += text if isinstance(text, list) else [text]
        self.stir()

    def stir(self):
        """Change most of the values once more, under other names."""
        s, r = self.top, self.r
        self.chunks += ["def grow(x, n):\n    x.append(n)\n    return x",
                        "def put(d, k, v=1):\n    d[k] = d.get(k, 0) + v\n    return d",
                        "BOX = []", "def keep(x):\n    BOX.append(x)\n    return BOX[-1]",
                        "class Cell:\n    def __init__(self, x):\n        self.x = x\n"
                        "    def step(self, n):\n        self.x = self.x + n\n        return self.x"]
        names = [(kind, name) for kind, names in s.names.items() if kind in "NLDSMBF" for name in names]
        for kind, name in names + names[::-1]:
            if self.chance(0.8):
                self.chunks.append(self.stirred(s, kind, name))

    def stirred(self, s, kind, x):
        n, k, L, D = self.integer(s, 2), str(self.r.randint(1, 4)), self.pick(s, "L"), self.pick(s, "D")
        return self.r.choice({
            "N": [f"for _ in range({k}):\n    {x} += len({L})", f"{x} = Cell({x}).step({n})",
                  f"for V in grow({L}, {k}):\n    {x} = ({x} * 3 + V) % 1009",
                  f"{x} = sum(put({D}, 'a', {x} % 7).values()) + len(BOX)",
                  f"while {x} > 10:\n    {x} //= 3\n    BOX.append({k})",
                  f"def set{x}():\n    global {x}\n    {x} = {x} + len(BOX)\nset{x}()",
                  f"try:\n    {x} += {L}[{k}]\nexcept IndexError:\n    {x} = len(grow({L}, {k}))"],
            "L": [f"keep({x}).append({n})", f"grow({x}, {n}).reverse()", f"for _ in range({k}):\n    grow({x}, _)",
                  f"for V in [{x}, {L}]:\n    V.append(len(BOX))", f"BOX.append([{x}])\nBOX[-1][0].append({k})",
                  f"put({D}, 'b', len(keep({x})))"],
            "D": [f"put({x}, {self.key()})", f"for V in {self.text(s, 3)}:\n    put({x}, V)",
                  f"keep({x})['c'] = {n}", f"Cell({x}).x.update(d={n})"],
            "S": [f"for V in {L}[:3]:\n    {x} += str(V)", f"{x} = ''.join(map(str, grow({L}, {k})))[:9]",
                  f"{x} = Cell({x}).step({self.text(s, 2)})"],
            "M": [f"keep({x})[-1].append({n})", f"for V in {x}:\n    V.append({k})", f"grow({x}, {L})"],
            "F": [f"for _ in range({k}):\n    {x} = {x} / 2 + len({L})", f"{x} = Cell({x}).step(0.5)"],
            "B": [f"for V in {L}:\n    {x} = not {x}", f"{x} = len(grow({L}, {k})) % 2 == 0"],
        }[kind])

    # -- Names -----------------------------------------------------------------

    def new(self, scope, kind):
        self.count += 1
        name = f"{kind}{self.count}"
        return name if scope is self.top else name.lower()

    def pick(self, scope, kind):
        names = scope.all(kind)
        return self.r.choice(names) if names else None

    def chance(self, p):
        return self.r.random() < p

    def indent(self, text):
        return "\n".join("    " + s for s in text.split("\n"))

    def key(self):
        return repr(self.r.choice(KEYS))

    def small(self):
        return str(self.r.randint(0, 6))

    # -- Expressions -----------------------------------------------------------

    def value(self, scope, kind, depth=0):
        return {"N": self.integer, "L": self.list, "M": self.nest, "D": self.dict, "S": self.text,
                "B": self.test, "T": self.tuple, "F": self.float}[kind](scope, depth)

    def integer(self, s, d=0):
        r = self.r
        name = self.pick(s, "N")
        if d > 2 or self.chance(0.25):
            return name if name and self.chance(0.75) else str(r.randint(-3, 40))
        forms = [
            lambda: f"({self.integer(s, d + 1)} {r.choice(OPS)} {self.integer(s, d + 1)}) % 1009",
            lambda: f"len({self.value(s, r.choice('LMDST'), d + 1)})",
            lambda: f"sum({self.list(s, d + 1)})",
            lambda: f"{r.choice(['min', 'max'])}({self.integer(s, d + 1)}, {self.integer(s, d + 1)})",
            lambda: f"({self.integer(s, d + 1)} if {self.test(s, d + 1)} else {self.integer(s, d + 1)})",
            lambda: f"{self.list(s, d + 1)}[{r.choice(['0', '-1', '1'])}]",
            lambda: f"{self.dict(s, d + 1)}.get({self.key()}, {self.small()})",
            lambda: f"{self.dict(s, d + 1)}[{self.key()}]",
            lambda: f"{self.nest(s, d + 1)}[{r.choice(['0', '-1'])}][{r.choice(['0', '-1'])}]",
            lambda: f"sum({self.integer(s, 2)} + x for x in {self.list(s, d + 1)} if x {r.choice(COMPARES)} {self.small()})",
            lambda: f"-{self.integer(s, d + 1)}",
            lambda: f"abs({self.integer(s, d + 1)})",
            lambda: f"{self.text(s, d + 1)}.count({self.key()})",
            lambda: f"{self.list(s, d + 1)}.count({self.small()})",
            lambda: f"int({self.text(s, 3)} == {self.text(s, 3)})",
            lambda: f"(lambda x, y={self.integer(s, 3)}: x {r.choice('+-*')} y)({self.integer(s, d + 1)})",
            lambda: f"int({self.float(s, d + 1)})",
            lambda: self.called(s, "N", d),
            lambda: self.called(s, "N", d),
            lambda: self.member(s, "N"),
            lambda: self.member(s, "N"),
        ]
        if s is self.top:
            forms.append(lambda: f"({self.new(s, 'N')} := {self.integer(s, d + 1)}) + 1")
        return r.choice(forms)()

    def called(self, s, kind, d):
        """A call of a function of the module whose result has that kind."""
        name = self.pick(s, "f" + kind)
        if not name:
            return self.value(s, kind, d + 1)
        name, kinds = name
        args = [self.value(s, k, d + 1) for k in kinds]
        if args and self.chance(0.1):
            args = [f"*({', '.join(args)},)"]
        return f"{name}({', '.join(args)})"

    def member(self, s, kind):
        name = self.pick(s, "m" + kind)
        return name if name else self.value(s, kind, 3)

    def list(self, s, d=0):
        r = self.r
        name = self.pick(s, "L")
        if name and (d > 2 or self.chance(0.4)):
            return name
        if d > 2 or self.chance(0.3):
            return f"[{', '.join(self.integer(s, d + 1) for _ in range(r.randint(0, 4)))}]"
        return r.choice([
            lambda: f"[x {r.choice('+*-')} {self.integer(s, 3)} for x in {self.list(s, d + 1)}]",
            lambda: f"[x for x in range({self.small()}) if x % 2 == {r.randint(0, 1)}]",
            lambda: f"list(range({self.small()}))",
            lambda: f"list({self.list(s, d + 1)})",
            lambda: f"{self.list(s, d + 1)}[{r.choice(['1:', ':2', '::-1', '::2', ':-1', ':'])}]",
            lambda: f"({self.list(s, d + 1)} + {self.list(s, d + 1)})",
            lambda: f"sorted({self.list(s, d + 1)}, reverse={self.test(s, 3)})",
            lambda: f"{self.nest(s, d + 1)}[{r.choice(['0', '-1'])}]",
            lambda: f"list({self.dict(s, d + 1)}.values())",
            lambda: f"[*{self.list(s, d + 1)}, {self.integer(s, d + 1)}]",
            lambda: f"[a + b for a, b in zip({self.list(s, d + 1)}, {self.list(s, d + 1)})]",
            lambda: f"[i * x for i, x in enumerate({self.list(s, d + 1)})]",
            lambda: f"list(map(lambda x: x + {self.small()}, {self.list(s, d + 1)}))",
            lambda: f"list(filter(lambda x: x > {self.small()}, {self.list(s, d + 1)}))",
            lambda: f"list(reversed({self.list(s, d + 1)}))",
            lambda: f"{self.list(s, d + 1)}.copy()",
            lambda: f"[{self.integer(s, 3)}] * {r.randint(0, 3)}",
            lambda: f"({self.list(s, d + 1)} or {self.list(s, d + 1)})",
            lambda: self.called(s, "L", d),
            lambda: self.called(s, "L", d),
            lambda: self.member(s, "L"),
        ])()

    def nest(self, s, d=0):
        name = self.pick(s, "M")
        if name and (d > 1 or self.chance(0.6)):
            return name
        return self.r.choice([
            lambda: f"[{self.list(s, d + 1)}, {self.list(s, d + 1)}]",
            lambda: f"[[x, {self.integer(s, 3)}] for x in {self.list(s, d + 1)}]",
            lambda: f"[{self.list(s, d + 1)}] * 2",
            lambda: f"[{self.list(s, 3)} for _ in range({self.r.randint(1, 3)})]",
            lambda: f"[a for a in {self.nest(s, d + 1)}]",
        ])()

    def dict(self, s, d=0):
        r = self.r
        name = self.pick(s, "D")
        if name and (d > 1 or self.chance(0.5)):
            return name
        return r.choice([
            lambda: "{" + ", ".join(f"{self.key()}: {self.integer(s, d + 1)}" for _ in range(r.randint(0, 3))) + "}",
            lambda: f"{{k: {self.integer(s, 3)} for k in {self.text(s, 3)}}}",
            lambda: f"dict(a={self.integer(s, 3)}, b={self.integer(s, 3)})",
            lambda: f"{{**{self.dict(s, d + 1)}, {self.key()}: {self.integer(s, 3)}}}",
            lambda: f"dict({self.dict(s, d + 1)})",
            lambda: f"({self.dict(s, d + 1)} | {self.dict(s, d + 1)})",
            lambda: f"dict(zip({self.text(s, 3)}, {self.list(s, d + 1)}))",
            lambda: f"{{k: v + 1 for k, v in {self.dict(s, d + 1)}.items()}}",
            lambda: self.called(s, "D", d),
        ])()

    def text(self, s, d=0):
        r = self.r
        name = self.pick(s, "S")
        if d > 2 or self.chance(0.4):
            return name if name and self.chance(0.7) else repr("".join(r.choices("abcd", k=r.randint(0, 4))))
        return r.choice([
            lambda: f"({self.text(s, d + 1)} + {self.text(s, d + 1)})[:12]",
            lambda: f"f'{{{self.integer(s, 3)}}}-{{{self.pick(s, 'S') or 1}!r}}'",
            lambda: f"{self.text(s, d + 1)}.upper()",
            lambda: f"{self.text(s, d + 1)}.replace({self.key()}, {self.key()})",
            lambda: f"','.join(str(x) for x in {self.list(s, d + 1)})",
            lambda: f"'%d:%s' % ({self.integer(s, 3)}, {self.text(s, 3)})",
            lambda: f"str({self.integer(s, d + 1)})",
            lambda: f"{self.text(s, d + 1)}.strip({self.key()})",
            lambda: f"''.join(sorted({self.text(s, d + 1)}))",
            lambda: f"'{{}}.{{}}'.format({self.integer(s, 3)}, {self.integer(s, 3)})",
            lambda: self.called(s, "S", d),
        ])()

    def tuple(self, s, d=0):
        name = self.pick(s, "T")
        if name and self.chance(0.5):
            return name
        return self.r.choice([
            lambda: f"({self.integer(s, d + 1)}, {self.integer(s, d + 1)})",
            lambda: f"({self.integer(s, d + 1)}, {self.text(s, d + 1)}, {self.test(s, d + 1)})",
            lambda: f"tuple({self.list(s, d + 1)})",
            lambda: f"divmod({self.integer(s, 2)}, {self.r.randint(1, 7)})",
            lambda: f"tuple(sorted({self.dict(s, d + 1)}))",
        ])()

    def float(self, s, d=0):
        name = self.pick(s, "F")
        if name and self.chance(0.5):
            return name
        return self.r.choice([
            lambda: f"{self.integer(s, d + 1)} / {self.r.randint(1, 8)}",
            lambda: f"{self.r.randint(0, 99) / 8}",
            lambda: f"float({self.integer(s, d + 1)})",
            lambda: f"{self.integer(s, d + 1)} * 0.5",
        ])()

    def unknown(self):
        return self.r.choice(["os.environ.get('TILE_RANDOM') == '1'", "os.getenv('TILE_RANDOM', '0') != '0'",
                              "opaque.value() > 3", "opaque.value() == 3"])

    def test(self, s, d=0):
        r = self.r
        name = self.pick(s, "B")
        if d > 2 or self.chance(0.2):
            return name if name and self.chance(0.6) else r.choice(["True", "False"])
        return r.choice([
            lambda: f"({self.integer(s, d + 1)} {r.choice(COMPARES)} {self.integer(s, d + 1)})",
            lambda: f"({self.integer(s, d + 1)} {r.choice(COMPARES)} {self.integer(s, 3)} {r.choice(COMPARES)} {self.integer(s, 3)})",
            lambda: f"(not {self.test(s, d + 1)})",
            lambda: f"({self.test(s, d + 1)} {r.choice(['and', 'or'])} {self.test(s, d + 1)})",
            lambda: f"({self.integer(s, 3)} {r.choice(['in', 'not in'])} {self.list(s, d + 1)})",
            lambda: f"({self.key()} in {self.value(s, r.choice('DS'), d + 1)})",
            lambda: f"({self.list(s, d + 1)} {r.choice(['==', '!=', 'is', 'is not'])} {self.list(s, 3)})",
            lambda: f"isinstance({self.value(s, r.choice('NLS'), d + 1)}, {r.choice(['int', 'list', '(str, int)'])})",
            lambda: f"{r.choice(['any', 'all'])}(x > {self.small()} for x in {self.list(s, d + 1)})",
            lambda: f"bool({self.value(s, r.choice('LDSN'), d + 1)})",
            lambda: f"({self.pick(s, 'x') or 'None'} is {r.choice(['None', 'not None'])})",
        ])()

    # -- Statements ------------------------------------------------------------

    def bind(self, s, kind=None):
        kind = kind or self.r.choice("NNNLLMDSTBF")
        old = self.pick(s, kind) if self.chance(0.25) and s is self.top else None
        text = self.value(s, kind)
        name = old or s.add(kind, self.new(s, kind))
        return f"{name}: int = {text}" if self.chance(0.05) else f"{name} = {text}"

    def statement(self, s, d):
        return self.r.choice(self.forms(s, d))(s, d)

    def forms(self, s, d):
        rare = [self.dynamic, self.match] if self.strange else []
        forms = [self.plain] * (1 if s is self.top else 3) + [self.alias] * 3 + [self.change] * 8 + [self.update] * 3 + [
            self.unpack]
        if s.in_loop:
            forms += [self.leave]
        if d < 3:
            forms += [self.branch] * 2 + [self.loop] * 4 + [self.trying] * 3 + [self.mystery] * self.unsure
        if s is self.top and d == 0:
            forms += [self.function] * 6 + [self.closure] * 2 + [self.class_] * 3 + [self.decorator] + [
                self.use_object] * 3 + [self.use_helper] * 2 + [self.generator_function, self.manager,
                self.missing, self.inherit, self.special, self.record] + rare
        elif d < 2:
            forms += [self.inner]
        return forms

    def block(self, s, d, least=1):
        lines = [self.statement(s, d + 1) for _ in range(self.r.randint(least, 3))]
        return self.indent("\n".join(lines))

    def plain(self, s, d):
        if d > 0 and self.chance(0.6):
            kind = self.r.choice("NNLDSB")
            name = self.pick(s, kind)
            own = s.names.get(kind, [])
            if s is not self.top and name not in own:
                name = self.r.choice(own) if own else None
            if name:
                return f"{name} = {self.value(s, kind, 1)}"
        return self.bind(s)

    def alias(self, s, d):
        kind = self.r.choice("LLMD")
        source = self.pick(s, kind)
        if not source:
            return self.bind(s, kind)
        name = self.new(s, kind)
        text = f"{name} = {source}"
        if self.chance(0.2):
            other = self.new(s, kind)
            text = f"{name} = {other} = {self.value(s, kind, 2)}"
            s.add(kind, other)
        s.add(kind, name)
        return text

    def change(self, s, d):
        r = self.r
        L, M, D = self.pick(s, "L"), self.pick(s, "M"), self.pick(s, "D")
        n = lambda: self.integer(s, 2)
        x = L if self.chance(0.5) else self.list(s, 1)
        return r.choice([
            lambda: f"{x}.append({n()})",
            lambda: f"{x}.append({n()})",
            lambda: f"{x}.extend({self.list(s, 2)})",
            lambda: f"{x}.insert({self.small()}, {n()})",
            lambda: f"{x}.pop({r.choice(['', '0', '-1'])})",
            lambda: f"{x}.remove({self.small()})",
            lambda: f"{x}.sort()",
            lambda: f"{x}.reverse()",
            lambda: f"{x}.clear()",
            lambda: f"{L}[{r.choice(['0', '-1', '1'])}] = {n()}",
            lambda: f"{L}[{r.choice(['1:', ':1', ':'])}] = {self.list(s, 2)}",
            lambda: f"{L}[{r.choice(['0', '-1'])}] {r.choice('+-*')}= {n()}",
            lambda: f"del {L}[{r.choice(['0', '-1', ':1'])}]",
            lambda: f"{M}.append({self.list(s, 2)})",
            lambda: f"{M}[{r.choice(['0', '-1'])}].append({n()})",
            lambda: f"{M}[{r.choice(['0', '-1'])}] = {self.list(s, 2)}",
            lambda: f"{M}[0][0] = {n()}",
            lambda: f"{D}[{self.key()}] = {n()}",
            lambda: f"{D}[{self.key()}] = {D}.get({self.key()}, 0) + {n()}",
            lambda: f"{D}.update({self.dict(s, 2)})",
            lambda: f"{D}.setdefault({self.key()}, {n()})",
            lambda: f"{D}.pop({self.key()}, None)",
            lambda: f"del {D}[{self.key()}]",
            lambda: f"{D}.update(a={n()})",
            lambda: f"({L} if {self.test(s, 1)} else {self.list(s, 2)}).append({n()})",
            lambda: f"for x in [{L}, {self.list(s, 2)}]: x.append({n()})",
            lambda: f"{self.called(s, 'L', 1)}.append({n()})",
            lambda: f"[x.append({n()}) for x in {self.nest(s, 1)}]",
        ])()

    def update(self, s, d):
        kind = self.r.choice("NNLSD")
        own = s.names.get(kind)
        if not own:
            return self.bind(s, kind)
        name = self.r.choice(own)
        if kind == "N":
            return f"{name} {self.r.choice(['+', '-', '^', '|', '//', '%', '*'])}= {self.integer(s, 2)}"
        if kind == "D":
            return f"{name} |= {self.dict(s, 1)}"
        return f"{name} += {self.value(s, kind, 1)}" if kind == "L" else f"{name} += {self.key()}"

    def unpack(self, s, d):
        a, b = self.new(s, "N"), self.new(s, "N")
        old = s.names.get("N", [])
        text = self.r.choice([
            lambda: f"{a}, {b} = {self.integer(s, 1)}, {self.integer(s, 1)}",
            lambda: f"{a}, *{self.new(s, 'L')}, {b} = {self.list(s, 1)}",
            lambda: f"({a}, {b}), *_ = {self.nest(s, 1)}",
            lambda: f"{a}, {b} = divmod({self.integer(s, 1)}, 3)",
            lambda: f"[{a}, {b}] = sorted({self.list(s, 1)})[:2]",
            lambda: f"{a} = {b} = {self.integer(s, 1)}",
        ])()
        if len(old) > 1 and self.chance(0.3):
            return "{0}, {1} = {1}, {0}".format(*self.r.sample(old, 2))
        s.add("N", a)
        s.add("N", b)
        return text

    def leave(self, s, d):
        word = self.r.choice(["break", "continue"])
        return f"if {self.test(s)}:\n    {word}"

    def condition(self, s):
        return self.unknown() if self.unsure and self.chance(0.12) else self.test(s)

    def branch(self, s, d):
        text = f"if {self.condition(s)}:\n{self.block(s, d)}"
        if self.chance(0.3):
            text += f"\nelif {self.condition(s)}:\n{self.block(s, d)}"
        if self.chance(0.5):
            text += f"\nelse:\n{self.block(s, d)}"
        return text

    def loop(self, s, d):
        r = self.r
        i = self.new(s, "N")
        inside, s.in_loop = s.in_loop, True
        header, before, tail = r.choice([
            lambda: (f"for {i} in range({self.small()}):", "", ""),
            lambda: (f"for {i} in {self.list(s, 1)}:", "", ""),
            lambda: (f"for {i} in {self.list(s, 1)}[:]:", "", ""),
            lambda: (f"for _, {i} in enumerate({self.list(s, 1)}):", "", ""),
            lambda: (f"for _, {i} in {self.dict(s, 1)}.items():", "", ""),
            lambda: (f"for {i} in {self.dict(s, 1)}.values():", "", ""),
            lambda: (f"for {i} in {self.nest(s, 1)}:", "", ""),
            lambda: (f"for {i} in sorted({self.text(s, 2)}):", "", ""),
            lambda: (f"while {i} < {self.small()}:", f"{i} = 0\n", f"\n    {i} += 1"),
            lambda: (f"while len({self.pick(s, 'L')}) > {self.small()}:", "", f"\n    {self.pick(s, 'L')}.pop()"),
        ] + [lambda: (f"for {i} in range(opaque.value()):", "", "")] * self.unsure)()
        if header.startswith("while len") or "continue" in header:
            s.in_loop = False
        s.add("N", i)
        body = self.block(s, d)
        s.in_loop = inside
        if header.startswith("while"):  # the end of the loop comes first
            body = (tail.lstrip("\n") + "\n" if tail else "") + body
            tail = ""
        text = before + header + "\n" + body + tail
        if self.chance(0.15):
            text += f"\nelse:\n{self.block(s, d)}"
        return text

    def raising(self, s):
        return self.r.choice([
            lambda: f"raise {self.r.choice(ERRORS)}({self.key()})",
            lambda: f"{self.new(s, 'N')} = {{}}[{self.key()}]",
            lambda: f"{self.new(s, 'N')} = {self.list(s, 1)}[{self.small()}]",
            lambda: f"{self.new(s, 'N')} = {self.integer(s, 1)} // {self.small()}",
            lambda: f"assert {self.test(s)}, {self.key()}",
            lambda: f"{self.new(s, 'N')} = nothing_{self.small()}",
            lambda: f"{self.pick(s, 'N') or 5}.missing",
            lambda: f"{self.new(s, 'N')} = int({self.text(s, 1)})",
            lambda: f"{self.list(s, 1)}.remove({self.small()})",
            lambda: f"{self.new(s, 'N')} = {self.text(s, 2)} + {self.integer(s, 3)}",
            lambda: f"{self.dict(s, 1)}.pop({self.key()})",
            lambda: f"if {self.condition(s)}:\n    raise {self.r.choice(ERRORS)}()",
        ] + [lambda: "opaque.maybe()"] * self.unsure)()

    def trying(self, s, d):
        r = self.r
        lines = [self.statement(s, d + 1) for _ in range(r.randint(0, 2))]
        lines.insert(r.randint(0, len(lines)), self.raising(s))
        lines += [self.statement(s, d + 1) for _ in range(r.randint(0, 1))]
        text = "try:\n" + self.indent("\n".join(lines))
        handlers = r.choice([
            lambda: f"\nexcept {r.choice(ERRORS)}:\n{self.block(s, d)}",
            lambda: f"\nexcept ({r.choice(ERRORS)}, {r.choice(ERRORS)}) as e:\n{self.block(s, d)}",
            lambda: f"\nexcept {r.choice(ERRORS)}:\n{self.block(s, d)}\nexcept Exception as e:\n{self.block(s, d)}",
            lambda: f"\nexcept Exception as e:\n    {s.add('S', self.new(s, 'S'))} = type(e).__name__",
            lambda: f"\nexcept:\n{self.block(s, d)}",
        ])()
        text += handlers
        if self.chance(0.3):
            text += f"\nelse:\n{self.block(s, d)}"
        if self.chance(0.3):
            text += f"\nfinally:\n{self.block(s, d)}"
        return text

    def mystery(self, s, d):
        """A statement whose effect only the host can tell."""
        r = self.r
        if self.chance(0.4):
            return f"if {self.unknown()}:\n{self.block(s, d)}"
        thing = self.pick(s, r.choice("LLMDN"))
        name = self.new(s, "N")
        return r.choice([
            lambda: f"opaque.touch({thing})",
            lambda: f"{name} = opaque.touch({self.pick(s, 'N')})",
            lambda: f"{self.new(s, 'L')} = opaque.keep({self.pick(s, 'L')})",
            lambda: "opaque.poke()",
            lambda: f"{name} = opaque.value()",
            lambda: f"opaque.get().append({self.small()})",
            lambda: f"opaque.touch(lambda: {self.pick(s, 'L')}.append(1))",
            lambda: f"opaque.touch({(self.pick(s, 'fN') or ('len', []))[0]})",
        ])()

    # -- Functions -------------------------------------------------------------

    def params(self, count=None):
        kinds = [self.r.choice("NNLDS") for _ in range(self.r.randint(0, 3) if count is None else count)]
        return kinds, [self.new(None, k).lower() for k in kinds]

    def inside(self, s, kinds, names):
        scope = Scope(s)
        for kind, name in zip(kinds, names):
            scope.add(kind, name)
        return scope

    def function(self, s, d):
        r = self.r
        kind = r.choice("NNNLLSD")
        self.count += 1
        name = f"f{self.count}"
        kinds, names = self.params()
        scope = self.inside(s, kinds, names)
        lines = []
        if self.chance(0.3) and s.names.get("N"):
            target = r.choice(s.names["N"])
            lines.append(f"global {target}")
            scope.add("N", target)
        lines += [self.statement(scope, 1) for _ in range(r.randint(0, 3))]
        if self.chance(0.25):
            lines.append(f"if {self.condition(scope)}:\n    return {self.value(scope, kind, 1)}")
            lines += [self.statement(scope, 1)]
        lines.append(f"return {self.value(scope, kind, 1)}")
        shown = list(names)
        required = len(kinds)
        if shown and self.chance(0.3):
            shown[-1] += f"={self.value(s, kinds[-1], 3)}"
            required -= self.chance(0.5)
        if self.chance(0.1):
            shown.append("*rest")
            lines.insert(0, f"{scope.add('N', 'extra')} = len(rest)")
        elif self.chance(0.1):
            shown.append("**more")
        s.add("f" + kind, (name, kinds[:required]))
        text = f"def {name}({', '.join(shown)}):\n" + self.indent("\n".join(lines))
        if kind == "N" and self.chance(0.15):
            text = f"{name} = lambda {', '.join(shown)}: {self.integer(scope, 1)}"
        result = [text]
        if self.chance(0.7):
            args = ", ".join(self.value(s, k, 2) for k in kinds)
            result.append(f"{s.add(kind, self.new(s, kind))} = {name}({args})")
        return result

    def inner(self, s, d):
        self.count += 1
        name = f"g{self.count}"
        kinds, names = self.params(self.r.randint(0, 2))
        scope = self.inside(s, kinds, names)
        lines = []
        own = s.names.get("N")
        if own and s is not self.top and self.chance(0.5):
            lines.append(f"nonlocal {own[-1]}")
        lines += [self.statement(scope, 3), f"return {self.integer(scope, 1)}"]
        s.add("fN", (name, kinds))
        return f"def {name}({', '.join(names)}):\n" + self.indent("\n".join(lines))

    def closure(self, s, d):
        r = self.r
        self.count += 1
        name, made = f"make{self.count}", f"h{self.count}"
        inside = r.choice([
            f"def step(x):\n    nonlocal count\n    count += x\n    return count",
            f"def step(x):\n    seen.append(x)\n    return len(seen) + count",
            f"step = lambda x: x * count + len(seen)",
            f"def step(x):\n    if x in seen:\n        return -1\n    seen.append(x)\n    return sum(seen)",
        ])
        text = (f"def {name}(count, seen={self.list(s, 3)}):\n" + self.indent(inside) + "\n    return step")
        result = [text, f"{made} = {name}({self.integer(s, 2)})"]
        if self.chance(0.5):
            result[-1] = f"{made} = {name}({self.integer(s, 2)}, {self.pick(s, 'L')})"
        s.add("fN", (made, ["N"]))
        for _ in range(r.randint(1, 3)):
            result.append(f"{s.add('N', self.new(s, 'N'))} = {made}({self.integer(s, 2)})")
        if self.chance(0.3):
            fs = self.new(s, "P").lower()
            result += [f"{fs} = [lambda x: x + i for i in range(3)]", f"{s.add('N', self.new(s, 'N'))} = {fs}[0](1)"]
        return result

    def decorator(self, s, d):
        self.count += 1
        n = self.count
        table = s.add("L", self.new(s, "L"))
        wrap = self.r.choice([
            f"def w{n}(f):\n    {table}.append(len({table}))\n    return f",
            f"def w{n}(f):\n    def inner(*args, **kwargs):\n        {table}.append(1)\n"
            f"        return f(*args, **kwargs)\n    return inner",
            f"def w{n}(f):\n    return lambda *a: f(*a) + {self.integer(s, 2)}",
            f"def w{n}(f):\n    import functools\n    @functools.wraps(f)\n    def inner(x):\n        return f(x) * 2\n"
            f"    return inner",
        ])
        use = f"@w{n}"
        if self.chance(0.3):
            wrap = f"def w{n}(k):\n    def deco(f):\n        return lambda x: f(x) + k\n    return deco"
            use = f"@w{n}({self.integer(s, 2)})"
        name = f"d{n}"
        s.add("fN", (name, ["N"]))
        return [f"{table} = []", wrap, f"{use}\ndef {name}(x):\n    return x + {self.integer(s, 2)}",
                f"{s.add('N', self.new(s, 'N'))} = {name}({self.integer(s, 2)})"]

    def generator_function(self, s, d):
        self.count += 1
        name = f"gen{self.count}"
        tally = self.pick(s, "L")
        text = (f"def {name}(n):\n    for i in range(n):\n        {tally}.append(i)\n        yield i * {self.small()}")
        return [text, self.r.choice([
            f"{s.add('L', self.new(s, 'L'))} = list({name}({self.small()}))",
            f"{s.add('N', self.new(s, 'N'))} = sum({name}({self.small()}))",
            f"{s.add('N', self.new(s, 'N'))} = next({name}({self.small()}))",
            f"for x in {name}(3):\n    {self.pick(s, 'L')}.append(x)\n    break",
            f"{name}(3)",
        ])]

    # -- Classes ---------------------------------------------------------------

    def class_(self, s, d):
        r = self.r
        self.count += 1
        name, obj = f"K{self.count}", f"O{self.count}"
        scope = self.inside(s, [], [])
        lines = [f"SIZES = {self.list(s, 1)}", f"WIDTH = {self.integer(s, 1)}", "NEXT = WIDTH + len(SIZES)"]
        if self.chance(0.3):
            lines.append(f"for I in range({self.small()}):\n    WIDTH += I")
        if self.chance(0.4):
            lines.append(f"if {self.condition(s)}:\n    WIDTH = {self.integer(s, 1)}")
        lines.append(f"def __init__(self, n={self.small()}):\n    self.n = n\n    self.items = "
                     + r.choice([self.list(s, 2), "[]", "self.SIZES"]))
        lines.append(f"def add(self, x):\n    self.items.append(x)\n    self.n += x\n    return "
                     + r.choice(["self", "self.n", "len(self.items)", "self.SIZES"]))
        lines.append(r.choice([
            "@property\ndef total(self):\n    return self.n + self.WIDTH",
            "@staticmethod\ndef total(x=3):\n    return x + 1",
            "@classmethod\ndef total(cls):\n    cls.WIDTH += 1\n    return cls.WIDTH",
            "def total(self):\n    return sum(self.items) + type(self).WIDTH",
            "def __len__(self):\n    return self.n",
            "def __call__(self, x):\n    return self.n + x",
            "def __getitem__(self, k):\n    return self.items[k]",
            "def __eq__(self, other):\n    return self.n == other.n",
        ]))
        text = f"class {name}:\n" + self.indent("\n".join(lines))
        s.add("K", name)
        s.add("O", obj)
        for member in (f"{obj}.n", f"{obj}.WIDTH", f"{name}.WIDTH", f"{name}.NEXT"):
            s.add("mN", member)
        for member in (f"{obj}.items", f"{name}.SIZES", f"{obj}.SIZES"):
            s.add("mL", member)
        return [text, f"{obj} = {name}({self.integer(s, 2)})"]

    def use_object(self, s, d):
        r = self.r
        obj, cls = self.pick(s, "O"), self.pick(s, "K")
        if not obj:
            return self.class_(s, d)
        n = s.add("N", self.new(s, "N"))
        other = s.add("O", self.new(s, "O"))
        return r.choice([
            lambda: f"{obj}.add({self.integer(s, 2)})",
            lambda: f"{obj}.n += {self.integer(s, 2)}",
            lambda: f"{obj}.WIDTH = {self.integer(s, 2)}",
            lambda: f"{cls}.WIDTH = {self.integer(s, 2)}",
            lambda: f"{cls}.SIZES.append({self.integer(s, 2)})",
            lambda: f"{obj}.items.append({self.integer(s, 2)})",
            lambda: f"{other} = {obj}",
            lambda: f"{other} = {cls}({self.integer(s, 2)})",
            lambda: f"{n} = {obj}.total",
            lambda: f"{n} = {obj}.total()",
            lambda: f"{n} = {cls}.total()",
            lambda: f"{n} = len({obj})",
            lambda: f"{n} = {obj}({self.integer(s, 2)})",
            lambda: f"{n} = {obj}[0]",
            lambda: f"{n} = int({obj} == {self.pick(s, 'O')})",
            lambda: f"{n} = len({obj}.SIZES) + {obj}.n + {cls}.NEXT",
            lambda: f"{s.add('L', self.new(s, 'L'))} = {obj}.items",
            lambda: f"{s.add('L', self.new(s, 'L'))} = {cls}.SIZES",
            lambda: f"setattr({obj}, 'n', {self.integer(s, 2)})",
            lambda: f"{n} = getattr({obj}, 'n', 5) + getattr({cls}, 'none', 5)",
            lambda: f"{n} = int(hasattr({obj}, '{r.choice(['n', 'total', 'nothing'])}'))",
            lambda: f"{n} = int(isinstance({obj}, {cls}))",
            lambda: f"for x in [{obj}, {self.pick(s, 'O')}]:\n    x.add({self.integer(s, 2)})",
            lambda: f"del {obj}.n",
        ] + [lambda: f"opaque.touch({obj})"] * self.unsure)()

    def inherit(self, s, d):
        base = self.pick(s, "K")
        if not base:
            return self.class_(s, d)
        self.count += 1
        name, obj = f"K{self.count}", f"O{self.count}"
        lines = self.r.choice([
            "pass",
            f"WIDTH = {base}.WIDTH + 1",
            "def __init__(self, n):\n    super().__init__(n + 1)\n    self.more = n",
            "def add(self, x):\n    super().add(x)\n    return super().add(x + 1)",
            "SIZES = [1]\ndef __init__(self, n):\n    self.n = n\n    self.items = self.SIZES",
        ])
        s.add("K", name)
        s.add("O", obj)
        s.add("mN", f"{obj}.n")
        s.add("mN", f"{name}.WIDTH")
        return [f"class {name}({base}):\n" + self.indent(lines), f"{obj} = {name}({self.integer(s, 2)})",
                f"{s.add('N', self.new(s, 'N'))} = {obj}.n + {name}.WIDTH"]

    def special(self, s, d):
        """An exception of the module's own."""
        self.count += 1
        name = f"E{self.count}"
        n = s.add("N", self.new(s, "N"))
        return [f"class {name}({self.r.choice(ERRORS)}):\n    code = {self.small()}",
                f"try:\n    if {self.test(s)}:\n        raise {name}({self.integer(s, 2)})\n    {n} = 0\n"
                f"except {self.r.choice([name, self.r.choice(ERRORS)])} as e:\n    {n} = "
                + self.r.choice([f"{name}.code", "e.code", "e.args[0]", "len(e.args)"])]

    def record(self, s, d):
        self.count += 1
        name, r = f"R{self.count}", self.r
        made = r.choice([
            [f"from typing import NamedTuple", f"class {name}(NamedTuple):\n    x: int\n    y: int = {self.small()}"],
            [f"from collections import namedtuple", f"{name} = namedtuple('{name}', 'x y')"],
            [f"from dataclasses import dataclass", f"@dataclass\nclass {name}:\n    x: int\n    y: int = {self.small()}"],
            [f"import enum", f"class {name}(enum.IntEnum):\n    x = {self.small()}\n    y = 9"],
        ])
        n = s.add("N", self.new(s, "N"))
        if "Enum" in made[1]:
            return made + [f"{n} = {name}.x + {name}.y.value"]
        return made + [f"Q{n} = {name}({self.integer(s, 2)}, {self.integer(s, 2)})", f"{n} = Q{n}.x + Q{n}.y"]

    # -- Modules and rare constructs ----------------------------------------------

    def make_helpers(self, seed):
        for k in range(self.r.randint(0, 2)):
            made = Generator(seed * 7 + k, helpers=False)
            chunks = made.chunks
            if k and self.chance(0.3):
                shared = self.r.choice(self.helpers[0][1].names["L"])
                chunks.insert(self.r.randint(0, len(chunks)), f"import helper0\nhelper0.{shared}.append(5)")
            safe = [chunk for chunk in chunks if "opaque" not in chunk and "os." not in chunk]
            self.modules[f"helper{k}"] = "\n".join(without_failing(safe, self.modules)) + "\n"
            self.helpers.append((f"helper{k}", made.top))

    def use_helper(self, s, d):
        r = self.r
        if not self.helpers:
            return self.bind(s)
        module, names = r.choice(self.helpers)
        kind = r.choice("NLLD")
        name = r.choice(names.names[kind]) if names.names.get(kind) else "N1"
        mine = self.new(s, kind)
        function = r.choice(names.names.get("fN", [("f0", [])]))
        n = self.new(s, "N")
        text = r.choice([
            lambda: [f"from {module} import {name} as {mine}"],
            lambda: [f"import {module}", f"{mine} = {module}.{name}"],
            lambda: [f"import {module} as H{n}", f"{mine} = H{n}.{name}"],
            lambda: [f"from {module} import *", f"{mine} = {name}"],
            lambda: [f"import {module}", f"{module}.{name} = {self.value(s, kind, 2)}", f"{mine} = {module}.{name}"],
            lambda: [f"from {module} import {function[0]}",
                     f"{n} = {function[0]}({', '.join(self.value(s, k, 2) for k in function[1])})",
                     f"from {module} import {name} as {mine}"],
        ])()
        s.add(kind, mine)
        return text

    def missing(self, s, d):
        n = s.add("N", self.new(s, "N"))
        return self.r.choice([
            f"try:\n    import no_such_module_{self.small()}\n    {n} = 1\nexcept ImportError:\n    {n} = 2",
            f"try:\n    from math import floor as {n.lower()}\n    {n} = {n.lower()}(2.5)\nexcept ImportError:\n    {n} = 0",
            f"import math\n{n} = math.gcd({self.integer(s, 2)}, 12) + int(math.sqrt(16))",
            f"import sys\n{n} = int(sys.version_info[0] >= 3)",
        ])

    def manager(self, s, d):
        self.count += 1
        name = f"W{self.count}"
        swallow = self.r.choice(["None", "False", "True"])
        log = self.pick(s, "L")
        text = (f"class {name}:\n    def __enter__(self):\n        {log}.append(1)\n        return {self.integer(s, 2)}\n"
                f"    def __exit__(self, kind, value, trace):\n        {log}.append(0 if kind is None else 2)\n"
                f"        return {swallow}")
        n = s.add("N", self.new(s, "N"))
        body = self.raising(s) if swallow == "True" and self.chance(0.5) else f"{n} += 1"
        return [text, f"with {name}() as {n}:\n" + self.indent(body)]

    def dynamic(self, s, d):
        n = self.new(s, "N")
        old = self.pick(s, "N") or "N1"
        s.add("N", n)
        return self.r.choice([
            f"globals()['{n}'] = {self.integer(s, 1)}",
            f"exec('{n} = 5')",
            f"{n} = eval('{old} + 1')",
            f"{n} = globals()['{old}']",
            f"del {old}",
            f"{n} = locals().get('{old}', 0)",
            f"import sys\nsetattr(sys.modules['module'], '{n}', 4)",
            f"{n} = vars().get('{old}', 1)",
        ])

    def match(self, s, d):
        n = s.add("N", self.new(s, "N"))
        return (f"match {self.integer(s, 1)} % 3:\n    case 0:\n        {n} = {self.integer(s, 1)}\n"
                f"    case 1 | 2:\n        {n} = {self.integer(s, 1)}\n    case _:\n        {n} = 0")


class TooLong(BaseException):
    pass


@contextlib.contextmanager
def timed(seconds):
    """Raise TooLong again and again, since an `except:` may take it."""
    late = []

    def give_up(signum, frame):
        late.append(1)
        raise TooLong()

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if late:
        raise TooLong()


class Importer:
    """Find modules in a dictionary of texts, and forget them in the end."""

    def __init__(self, texts):
        self.texts = texts

    def __enter__(self):
        sys.meta_path.insert(0, self)

    def __exit__(self, kind, value, trace):
        sys.meta_path.remove(self)
        for name in self.texts:
            sys.modules.pop(name, None)

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name in self.texts else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compiled(self.texts[module.__name__], module.__name__, "exec"), module.__dict__)


# Statements run again and again, until all statements of a module succeed.
compiled = functools.lru_cache(maxsize=None)(compile)


def without_failing(chunks, texts):
    """The statements of a module, less those that fail behind the others.

    `texts` are modules that it may import.
    """
    chunks = list(chunks)
    while True:
        names, k = {"__name__": "helper"}, -1
        try:
            with Importer(texts), timed(0.25):
                for k, chunk in enumerate(chunks):
                    exec(compiled(chunk, "helper", "exec"), names)
            return chunks
        except (Exception, TooLong):
            del chunks[k]
