"""Modules as packages have them: the second generator of random_modules.py.

Tables of configurations, data classes, switches in the environment, imports that
are tried, registries of decorators, classes with protocols, `match`, the usual
functions of itertools, functools and collections.  Expressions and the names in
them are those of module_gen.py.
"""
from module_gen import Generator

HEADER = ["import os", "import sys", "import opaque", "import math", "import itertools", "import functools",
          "import dataclasses", "import collections", "import enum", "import copy", "import operator",
          "from dataclasses import dataclass, field, replace", "from functools import partial, lru_cache, reduce",
          "from itertools import product, chain", "from typing import NamedTuple, Optional, Dict, List, TYPE_CHECKING",
          "from collections import defaultdict, OrderedDict, Counter", "from contextlib import contextmanager, suppress"]


class Shapes(Generator):
    def __init__(self, seed, helpers=True):
        super().__init__(seed, helpers=False)
        self.modules, self.helpers = {}, []
        bases, self.chunks = self.chunks[:14], list(HEADER)
        if helpers:
            self.make_package(seed)
        self.chunks += bases
        shapes = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("shape_")]
        for _ in range(self.r.randint(8, 18)):
            made = self.r.choice(shapes)(self.top)
            self.chunks += made if isinstance(made, list) else [made]
            if self.chance(0.5):
                self.chunks.append(self.change(self.top, 0))

    def fresh(self, kind):
        return self.top.add(kind, self.new(self.top, kind))

    def word(self):
        self.count += 1
        return f"w{self.count}"

    def n(self):
        return self.integer(self.top, 2)

    def l(self):
        return self.list(self.top, 2)

    def d(self):
        return self.dict(self.top, 2)

    def one(self, *forms):
        return self.r.choice(forms)

    # -- Packages ----------------------------------------------------------------

    def make_package(self, seed):
        """Make helper0, and helper1 that uses helper0, like the files of a
        package."""
        L = "[1, 2]"
        self.modules["helper0"] = (
            f"import os\n__all__ = ['SIZES', 'limit', 'WIDTH']\nSIZES = {L}\nWIDTH = {self.small()}\n_HIDDEN = 3\nTABLE = {{}}\n"
            "def limit(n=WIDTH):\n    return n + len(SIZES)\n"
            "def register(key):\n    def deco(f):\n        TABLE[key] = f\n        return f\n    return deco\n"
            "class Settings:\n    block: int = 4\n    names = []\nsettings = Settings()\n")
        if self.chance(0.1):  # too long to be read: nothing is known of it
            self.modules["helper0"] += "#" * 50000 + "\n"
        self.modules["helper1"] = self.one(
            "import helper0\nhelper0.SIZES.append(7)\nfrom helper0 import *\nTOTAL = limit()\n",
            "from helper0 import register, settings, SIZES\n@register('a')\ndef first(x):\n    return x + 1\n"
            "settings.block = 9\nTOTAL = len(SIZES)\n",
            "import helper0 as h\nh.WIDTH = 5\nTOTAL = h.limit() + h.WIDTH\n"
            "def __getattr__(name):\n    return 11\n",
            "from helper0 import SIZES as S\nTOTAL = S[0]\ndef grow():\n    global TOTAL\n    TOTAL += 1\n    S.append(TOTAL)\n"
            "    return TOTAL\n")

    def shape_use_package(self, s):
        if not self.modules:
            return f"{self.fresh('N')} = {self.n()}"
        L, N, M = self.fresh("L"), self.fresh("N"), self.fresh("N")
        return self.one(
            [f"from helper0 import SIZES as {L}", f"import helper1", f"{N} = helper1.TOTAL + len({L})"],
            [f"import helper0", f"{N} = helper0.settings.block", "import helper1", f"{M} = helper0.settings.block"],
            [f"import helper0, helper1", f"{N} = helper0.TABLE['a'](3)"],
            [f"from helper0 import *", f"{N} = limit() + len(SIZES) + WIDTH"],
            [f"import helper0", f"helper0.settings.names.append({self.n()})", f"{N} = len(helper0.Settings.names)"],
            [f"from helper1 import grow", f"{N} = grow()", f"import helper1", f"{M} = helper1.TOTAL"],
            [f"from helper1 import nothing as {N}"],
            [f"import helper0", f"{N} = helper0.limit()", f"helper0.SIZES += {self.l()}", f"{M} = helper0.limit()"],
            [f"from importlib import import_module", f"{N} = import_module('helper0').WIDTH"],
            [f"try:\n    from helper0 import missing\nexcept ImportError:\n    {N} = 1\nelse:\n    {N} = 2"],
            [f"try:\n    from helper0 import WIDTH as {N}\nexcept ImportError:\n    {N} = None"])

    # -- Configurations ----------------------------------------------------------

    def shape_configs(self, s):
        w, N = self.word(), self.fresh("N")
        table = self.one(
            f"{w} = [dict(m=m, n=n, w=w) for m in [16, 32] for n in {self.l()} for w in (4, 8) if m * n < 4096]",
            f"{w} = [{{'m': m, 'n': n, 'w': 4}} for m, n in product([16, 32], {self.l()})]",
            f"{w} = []\nfor m, n, w in product((16, 32), (64, 128), [4]):\n    {w} += [dict(m=m, n=n, w=w)]",
            f"{w} = list(map(lambda t: dict(zip('mnw', t)), product([1, 2], [3], {self.l()})))",
            f"{w} = [dict(zip(('m', 'n', 'w'), v)) for v in itertools.product(*[[1, 2], {self.l()}, [4]])]")
        use = self.one(
            f"{N} = len({w})", f"{N} = sum(c['m'] for c in {w})", f"{N} = {w}[-1]['m'] if {w} else 0",
            f"{N} = max({w}, key=lambda c: c['m'] * 100 + c['n'])['n'] if {w} else 0",
            f"{N} = sorted({w}, key=lambda c: (c['w'], -c['m']))[0]['m'] if {w} else 1",
            f"{N} = len([c for c in {w} if c['m'] > 16]) + len({w})",
            f"{w}.sort(key=operator.itemgetter('m'), reverse=True)\n{N} = {w}[0]['m'] if {w} else 7",
            f"for c in {w}:\n    c['w'] *= 2\n{N} = sum(c.get('w', 0) for c in {w})")
        return [table, use]

    def shape_dataclass(self, s):
        w, k, N, M = self.word(), self.word().upper(), self.fresh("N"), self.fresh("N")
        options = self.one("", "(frozen=True)", "(order=True)", "(eq=False)")
        body = self.one("def area(self):\n    return self.m * self.n",
                        "def __post_init__(self):\n    self.names.append(self.m)\ndef area(self):\n    return len(self.names)",
                        "@property\ndef half(self):\n    return self.m // 2\ndef area(self):\n    return self.half",
                        "@classmethod\ndef make(cls, m):\n    return cls(m, m)\ndef area(self):\n    return self.make(self.m).n")
        made = [f"@dataclass{options}\nclass {k}:\n    m: int\n    n: int = {self.small()}\n"
                f"    names: list = field(default_factory=list)\n" + self.indent(body)]
        made.append(f"{w} = {{'a': {k}({self.n()}), 'b': {k}(m=2, n={self.n()}), 'c': {k}(1, 2, [3])}}")
        made.append(self.one(
            f"{N} = {w}['a'].area()", f"{N} = sum(x.m + x.n for x in {w}.values())", f"{N} = {w}['b'].n + len({w}['c'].names)",
            f"{w}['a'].names.append(4)\n{N} = len({w}['b'].names)", f"{N} = replace({w}['a'], m=9).area()",
            f"{N} = dataclasses.asdict({w}['c'])['m']", f"{N} = int({k}(1, 2) == {k}(1, 2))", f"{N} = len(dataclasses.fields({k}))",
            f"{w}['a'].m = {self.n()}\n{N} = {w}['a'].m", f"{N} = int({k}(1, 2) < {k}(1, 3))",
            f"try:\n    {w}['b'].n = 5\nexcept Exception as e:\n    {M} = type(e).__name__\n{N} = {w}['b'].n",
            f"{N} = getattr({w}.get('a'), 'n', 3)"))
        return made

    def shape_record(self, s):
        k, w, N, M = self.word().upper(), self.word(), self.fresh("N"), self.fresh("N")
        made = self.one(
            [f"class {k}(NamedTuple):\n    m: int\n    n: int = 3\n    def area(self):\n        return self.m * self.n"],
            [f"{k} = collections.namedtuple('{k}', ['m', 'n'], defaults=[3])"],
            [f"{k} = collections.namedtuple('{k}', 'm, n')"])
        made.append(f"{w} = {k}({self.n()}, {self.n()})")
        made.append(self.one(f"{N}, {M} = {w}", f"{N} = {w}[0] + {w}.n", f"{N} = {w}._replace(m=4).m", f"{N} = sum({w})",
                             f"{N} = len({w}._fields)", f"{N} = {w}._asdict()['n']", f"{N} = int({w} == ({w}.m, {w}.n))",
                             f"{N} = {w}.area()", f"{N} = {k}._make([1, 2]).n", f"{N} = len({w} + (1,))",
                             f"{N} = {w}.count({w}.m)"))
        return made

    def shape_enum(self, s):
        k, N = self.word().upper(), self.fresh("N")
        base = self.one("enum.Enum", "enum.IntEnum", "str, enum.Enum", "enum.Flag", "enum.IntFlag")
        values = self.one("A = 1\nB = 2\nC = 4", "A = enum.auto()\nB = enum.auto()", "A = 1\nB = 1", "A = 2\nB = A + 1")
        if base.startswith("str"):
            values = "A = 'a'\nB = 'b'"
        return [f"class {k}({base}):\n" + self.indent(values + self.one("", "\ndef twice(self):\n    return self.value * 2",
                                                                        "\n@property\ndef low(self):\n    return self.name.lower()")),
                self.one(f"{N} = {k}.A.value", f"{N} = len({k})", f"{N} = {k}.B.twice()", f"{N} = [x.value for x in {k}]",
                         f"{N} = {k}['A'].value", f"{N} = {k}(1).name", f"{N} = int({k}.A is {k}.B)", f"{N} = int({k}.A < {k}.B)",
                         f"{N} = {k}.A.low", f"{N} = {{{k}.A: 1, {k}.B: 2}}[{k}.B]", f"{N} = int({k}.A == 1)",
                         f"{N} = str({k}.A)", f"{N} = f'{{{k}.A}}'", f"{N} = list({k}.__members__)", f"{N} = {k}.A + 1",
                         f"{N} = '%s' % {k}.A", f"{N} = int({k}.A in (1, 2))", f"{N} = ({k}.A | {k}.B).value")]

    # -- Facts that only the machine knows --------------------------------------------

    def shape_environment(self, s):
        N, B, L = self.fresh("N"), self.fresh("B"), self.pick(s, "L")
        return self.one(
            [f"{B} = os.environ.get('TILE_RANDOM', '0') == '1'", f"{N} = 64 if {B} else 64"],
            [f"{B} = bool(int(os.getenv('TILE_RANDOM', '0')))", f"if {B}:\n    {L}.append(1)\n    {N} = 1\nelse:\n    {N} = 2",
             f"{self.fresh('N')} = len({L})"],
            [f"{N} = int(os.environ['TILE_RANDOM']) + 5 if 'TILE_RANDOM' in os.environ else 3"],
            [f"try:\n    {N} = int(os.environ['TILE_NOT_SET'])\nexcept KeyError:\n    {N} = {self.n()}"],
            [f"{N} = {self.n()}", f"if os.environ.get('TILE_RANDOM') == '1' and {N} > 3:\n    {N} = 9",
             f"{self.fresh('N')} = {N} - {N}"],
            [f"{B} = opaque.value() > 3", f"{N} = {self.n()}", f"def pick(x=None):\n    if {B}:\n        return x\n    return {self.n()}",
             f"{N} = pick({N})"],
            [f"os.environ.setdefault('TILE_OTHER', '1')", f"{N} = {self.n()}"])

    def shape_platform(self, s):
        N = self.fresh("N")
        return self.one(
            f"if sys.platform.startswith('linux'):\n    {N} = 1\nelse:\n    {N} = 2",
            f"{N} = 3 if sys.version_info >= (3, 8) else 4", f"{N} = int(sys.version_info[:2] < (3, 0))",
            f"import platform\n{N} = int(platform.system() == 'Windows') + {self.n()}",
            f"if os.name == 'nt':\n    {N} = 1\nelif sys.byteorder == 'little':\n    {N} = 2\nelse:\n    {N} = 3",
            f"{N} = 1 if sys.maxsize > 2 ** 32 else 0",
            f"if TYPE_CHECKING:\n    {N} = 1\nelse:\n    {N} = {self.n()}")

    def shape_tried(self, s):
        N, B, w = self.fresh("N"), self.fresh("B"), self.word()
        return self.one(
            [f"try:\n    import no_such_thing as {w}\n    {B} = True\nexcept ImportError:\n    {w} = None\n    {B} = False",
             f"{N} = 8 if {B} else {self.n()}", f"if {w} is not None:\n    {self.pick(s, 'L')}.append(3)"],
            [f"try:\n    from opaque import value as {w}\nexcept ImportError:\n    {w} = lambda: 3", f"{N} = {w}() * 0"],
            [f"try:\n    import no_such_thing\nexcept (ImportError, RuntimeError):\n    pass\n{N} = {self.n()}"],
            [f"try:\n    opaque.maybe()\n    {N} = 1\nexcept ValueError:\n    {N} = 1\nfinally:\n    {self.pick(s, 'L')}.append(2)"],
            [f"with suppress(ImportError, KeyError):\n    {N} = 1\n    {self.d()}['zz']\n    {N} = 2"],
            [f"{B} = importlib.util.find_spec('no_such_thing') is not None if 'importlib' in globals() else False",
             f"{N} = int({B})"],
            [f"for {w} in ['no_such_thing', 'math']:\n    try:\n        __import__({w})\n        {N} = 1\n        break\n"
             f"    except ImportError as {self.fresh('E')}:\n        {N} = 2\n        continue"])

    # -- Functions ----------------------------------------------------------------

    def shape_partial(self, s):
        w, N = self.word(), self.fresh("N")
        made = [f"def {w}(a, b=2, *rest, c=3, **more):\n    return a + b * 10 + c * 100 + len(rest) + len(more)"]
        return made + [self.one(
            f"{N} = partial({w}, 1)({self.n()})", f"{N} = partial({w}, c={self.n()})(1)", f"P{N} = partial({w}, 1, b=4)\n{N} = P{N}(c=1)",
            f"{N} = partial(partial({w}, 1), 2)(3)", f"{N} = partial({w}, 1, c=2)(c=5)", f"{N} = partial({w}, 1).args[0]",
            f"{N} = reduce(lambda a, b: a * 2 + b, {self.l()}, 1)", f"{N} = reduce(operator.add, [1, 2, {self.n()}])",
            f"{N} = {w}(*[1, 2, 3], **{{'c': {self.n()}, 'z': 1}})", f"{N} = {w}(b=1, a={self.n()})", f"{N} = {w}(1, *{self.l()})",
            f"{N} = len({w}.__defaults__) + {w}.__code__.co_argcount", f"{w}.calls = {self.n()}\n{N} = {w}.calls",
            f"{N} = {w}.__kwdefaults__['c']", f"{N} = ({w}.__name__ + 'x')[-1:]")]

    def shape_cache(self, s):
        w, N, M, L = self.word(), self.fresh("N"), self.fresh("N"), self.fresh("L")
        deco = self.one("@lru_cache", "@lru_cache(maxsize=None)", "@functools.cache", "@lru_cache()")
        return [f"{L} = []", f"{deco}\ndef {w}(x=1):\n    {L}.append(x)\n    return x + len({L})",
                f"{N} = {w}(3) + {w}(3)", f"{M} = " + self.one(f"{w}()", f"{w}(x=3)", f"len({L})", f"{w}(True) + {w}(1)",
                                                             f"{w}.cache_info().hits", f"({w}.cache_clear(), {w}(3))[1]")]

    def shape_registry(self, s):
        w, D, N = self.word(), self.word().upper(), self.fresh("N")
        return [f"{D} = {{}}", self.one(
            f"def {w}(name, **options):\n    def deco(f):\n        {D}[name or f.__name__] = (f, options)\n        return f\n    return deco",
            f"class {w}:\n    def __init__(self, name, **options):\n        self.name, self.options = name, options\n"
            f"    def __call__(self, f):\n        {D}[self.name or f.__name__] = (f, self.options)\n        return f",
            f"def {w}(name, **options):\n    return lambda f: {D}.setdefault(name, (f, options))[0]"),
            f"@{w}('a', n={self.n()})\ndef {w}_a(x):\n    return x + 1",
            f"@{w}('b')\n@{w}('c', n=2)\ndef {w}_b(x):\n    return x * 2",
            self.one(f"{N} = {D}['a'][0]({self.n()})", f"{N} = sum(o.get('n', 1) for _, o in {D}.values())", f"{N} = len({D})",
                     f"{N} = sorted({D})[0]", f"{N} = [f(2) for f, _ in {D}.values()]", f"{N} = {w}_b(3)",
                     f"{N} = {{k: v[0].__name__[-1] for k, v in {D}.items()}}")]

    def shape_closure(self, s):
        w, N, M = self.word(), self.fresh("N"), self.fresh("N")
        return self.one(
            [f"def {w}(n):\n    def get():\n        return n\n    def put(x):\n        nonlocal n\n        n = x\n    return get, put",
             f"{w}_get, {w}_put = {w}({self.n()})", f"{w}_put({self.n()})", f"{N} = {w}_get()"],
            [f"{w} = [lambda x, i=i: x + i for i in {self.l()}]", f"{N} = [f(1) for f in {w}]"],
            [f"{w} = [lambda: i for i in {self.l()}]", f"{N} = [f() for f in {w}]"],
            [f"{w} = []", f"for i in range(3):\n    {w}.append(lambda: i)", f"i = 7", f"{N} = [f() for f in {w}]"],
            [f"def {w}(x, seen=[]):\n    seen.append(x)\n    return seen", f"{w}({self.n()})", f"{N} = len({w}(1))",
             f"{M} = {w}(2)[0]"],
            [f"def {w}():\n    {w}.count = getattr({w}, 'count', 0) + 1\n    return {w}.count", f"{w}()", f"{N} = {w}()"],
            [f"def {w}(n):\n    return 1 if n < 2 else n * {w}(n - 1)", f"{N} = {w}(5)"],
            [f"def {w}():\n    try:\n        return 1\n    finally:\n        {self.pick(s, 'L')}.append(4)", f"{N} = {w}()"],
            [f"def {w}(x):\n    for i in x:\n        try:\n            if i > 2:\n                return i\n        finally:\n"
             f"            {self.pick(s, 'L')}.append(i)\n    return -1", f"{N} = {w}({self.l()})"],
            [f"def {w}():\n    global {N}\n    {N} = {self.n()}\n{w}()", f"{M} = {N}"],
            [f"def {w}(a, /, b, *, c=2):\n    return a - b + c", f"{N} = {w}({self.n()}, b=1)"],
            [f"{w} = (lambda f: (lambda *a: f(*a) + 1))", f"@{w}\ndef {w}_f(x):\n    return x", f"{N} = {w}_f({self.n()})"])

    def shape_generator(self, s):
        w, N, L, M = self.word(), self.fresh("N"), self.pick(s, "L"), self.fresh("N")
        text = self.one(
            f"def {w}(n):\n    while n > 0:\n        yield n\n        n -= 1",
            f"def {w}(n):\n    for i in range(n):\n        got = yield i\n        {L}.append(i if got is None else got)",
            f"def {w}(n):\n    yield from range(n)\n    yield from [{self.n()}, 2]\n    return 5",
            f"def {w}(n):\n    try:\n        yield 1\n        yield n\n    finally:\n        {L}.append(9)",
            f"class {w}:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        return self\n"
            f"    def __next__(self):\n        if self.n <= 0:\n            raise StopIteration\n        self.n -= 1\n        return self.n",
            f"class {w}:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        yield self.n\n        yield 3",
            f"class {w}:\n    def __init__(self, n):\n        self.n = n\n    def __len__(self):\n        return 3\n"
            f"    def __getitem__(self, i):\n        if i > 2:\n            raise IndexError\n        return self.n + i")
        use = self.one(
            f"{N} = list({w}(3))", f"{N} = next(iter({w}(3)))", f"{N} = sum({w}(4))", f"{N} = [*{w}(2), 1]", f"{N}, *{M} = {w}(3)",
            f"it = {w}(3)\n{N} = next(it)\n{M} = list(it)", f"it = iter({w}(3))\n{N} = next(it) + next(it)", f"{N} = max({w}(3))",
            f"for {N} in {w}(5):\n    if {N} == 2:\n        break\nelse:\n    {N} = -1", f"{N} = list(zip({w}(3), 'ab'))",
            f"{N} = dict(enumerate({w}(2)))", f"{N} = 2 in {w}(3)", f"{N} = sorted({w}(3))", f"{N} = tuple(map(str, {w}(3)))",
            f"{N} = list(itertools.islice({w}(9), 2))", f"{N} = [x for x in {w}(3) if x != 1]")
        return [text, use]

    def shape_manager(self, s):
        w, N, L = self.word(), self.fresh("N"), self.pick(s, "L")
        return self.one(
            [f"@contextmanager\ndef {w}(x):\n    {L}.append(x)\n    try:\n        yield x + 1\n    finally:\n        {L}.append(0)",
             f"with {w}({self.n()}) as {N}:\n    {N} += 1"],
            [f"class {w}:\n    depth = 0\n    def __enter__(self):\n        {w}.depth += 1\n        return self\n"
             f"    def __exit__(self, *args):\n        {w}.depth -= 1\n        return args[0] is KeyError",
             f"with {w}() as a, {w}() as b:\n    {N} = {w}.depth\n    {self.one('pass', 'raise KeyError(1)')}",
             f"{self.fresh('N')} = {w}.depth"],
            [f"for i in range(3):\n    with suppress(ValueError):\n        if i == 1:\n            raise ValueError\n        {L}.append(i)",
             f"{N} = len({L})"])

    # -- Libraries of Python's -----------------------------------------------------------

    def shape_collections(self, s):
        w, N = self.word(), self.fresh("N")
        return self.one(
            [f"{w} = defaultdict(list)", f"for x in {self.l()}:\n    {w}[x % 2].append(x)",
             self.one(f"{N} = dict({w})", f"{N} = len({w}[0])", f"{N} = len({w})", f"{w}[5]\n{N} = 5 in {w}", f"{N} = {w}.get(7)")],
            [f"{w} = defaultdict(int)", f"for x in {self.text(s, 2)}:\n    {w}[x] += 1", f"{N} = {w}['a'] + len({w})"],
            [f"{w} = OrderedDict([('a', 1), ('b', {self.n()})])", f"{w}.move_to_end('a')", f"{N} = list({w})"],
            [f"{w} = OrderedDict(a=1)", f"{w}['b'] = 2", f"{N} = {w}.popitem(last=False)[1] + len({w})"],
            [f"{w} = Counter({self.text(s, 2)})", f"{N} = {w}['a']"],
            [f"{w} = collections.deque({self.l()}, maxlen=2)", f"{w}.append(3)", f"{N} = list({w})"],
            [f"{w} = collections.ChainMap({{'a': 1}}, {{'b': 2}})", f"{N} = {w}['b']"],
            [f"import types\n{w} = types.SimpleNamespace(a=1, b={self.n()})", f"{w}.a += 1", f"{N} = {w}.a + {w}.b"],
            [f"import types\n{w} = types.MappingProxyType({{'a': {self.n()}}})", f"{N} = {w}['a']"])

    def shape_itertools(self, s):
        N = self.fresh("L")
        return self.one(
            f"{N} = list(chain({self.l()}, {self.l()}))", f"{N} = list(chain.from_iterable([{self.l()}, [1]]))",
            f"{N} = [a * b for a, b in product({self.l()}, repeat=2)]", f"{N} = list(itertools.accumulate({self.l()}))",
            f"{N} = [k for k, g in itertools.groupby(sorted({self.l()}))]", f"{N} = list(itertools.repeat(3, 2))",
            f"{N} = list(itertools.islice(itertools.count({self.n()}), 3))", f"{N} = list(itertools.zip_longest({self.l()}, [1]))",
            f"{N} = list(itertools.combinations({self.l()}, 2))", f"{N} = list(itertools.permutations([1, 2]))",
            f"{N} = list(itertools.takewhile(lambda x: x < 9, {self.l()}))", f"{N} = list(itertools.starmap(pow, [(2, 3)]))",
            f"{N} = list(zip(*[[1, 2], [3, 4]]))", f"a, b = itertools.tee({self.l()})\n{N} = list(a) + list(b)",
            f"{N} = list(map(operator.mul, {self.l()}, [2, 2, 2]))", f"{N} = [x for x in iter({self.l()}.copy().pop, 3)][:4]",
            f"{N} = list(map(int, '1 2 3'.split()))", f"{N} = list(map(None.__eq__, {self.l()}))[:0]",
            f"{N} = sorted(set({self.l()}) | {{1, 2}})", f"{N} = sorted({{1, 2, 3}} - set({self.l()}))",
            f"{N} = list(dict.fromkeys({self.l()}))", f"{N} = list(dict.fromkeys('abca', 1).items())")

    def shape_text(self, s):
        N = self.fresh("S")
        return self.one(
            f"{N} = f'{{{self.n()}:04d}}|{{{self.n()}:>6}}|{{{self.n()}:x}}'", f"{N} = f'{{{self.float(s, 2)}:.2f}}'",
            f"{N} = 'BLOCK_{{:02}}'.format({self.n()} % 97)", f"{N} = '{{a}}-{{b}}'.format(a={self.n()}, **{{'b': 2}})",
            f"{N} = '%s_%03d' % ('k', {self.n()} % 97)", f"{N} = 'a,b,,c'.split(',')[{self.small()} % 4]",
            f"{N} = '_'.join(sorted({self.d()}))", f"{N} = {self.text(s, 2)}.title().center(9, '*')",
            f"{N} = {self.text(s, 2)}.ljust(6) + '|' + {self.text(s, 2)}.zfill(5)", f"{N} = 'ab cd'.partition(' ')[2]",
            f"{N} = repr({self.value(s, 'T')}) + str({self.value(s, 'D')})", f"{N} = f'{{{self.l()}}}'",
            f"{N} = f'{{{self.n()}=}}'", f"{N} = str({self.float(s, 2)}) + repr({self.text(s, 2)})",
            f"{N} = 'x'.encode().decode() + chr(97) + str(ord('a'))", f"{N} = 'aXbX'.rsplit('X', 1)[0].swapcase()",
            f"{N} = ''.join(reversed({self.text(s, 2)}))", f"{N} = str(None) + str({self.test(s, 2)}) + str(1e16) + str(-0.0)",
            f"{N} = 'abcabc'.find({self.key()}) + 'abc'.rfind('z')", f"{N} = 'Abc'.isupper() or 'abc'.islower()",
            f"import re\n{N} = re.sub('[0-9]+', '#', 'a12')", f"import json\n{N} = json.dumps({{'a': [1, None]}})",
            f"import textwrap\n{N} = textwrap.dedent('  a').removeprefix('a')")

    def shape_numbers(self, s):
        N = self.fresh("N")
        return self.one(
            f"{N} = math.ceil({self.float(s, 2)}) + math.floor(-0.5)", f"{N} = round({self.float(s, 2)}, 1)", f"{N} = 7 // -2 + -7 % 3",
            f"{N} = 2 ** {self.small()} + (1 << {self.small()})", f"{N} = int('0x1f', 16) + int(' 12 ')", f"{N} = round(2.5) + round(-1.5)",
            f"{N} = math.prod({self.l()})", f"{N} = int(math.log2(64)) + math.isqrt(17)", f"{N} = ~{self.n()} & 0xff",
            f"{N} = ({self.n()}).bit_length()", f"{N} = max({self.l()}, default=5)", f"{N} = min({self.d()}.values(), default=2)",
            f"{N} = divmod(-7, 2)[0] + pow(3, 4, 5)", f"{N} = sum([[1], [2]], [])", f"{N} = 1_000 + 0b11 + 0o7",
            f"{N} = True + True * {self.n()}", f"{N} = {self.n()} / 2 == {self.n()} * 0.5", f"{N} = 1e3 // 7 + 5 % 1.5",
            f"{N} = float('inf') > 1 and float('1.5') * 2", f"{N} = -2 ** 2 + (-8) ** 2", f"{N} = math.inf if {self.test(s, 2)} else math.pi",
            f"{N} = 0.1 + 0.2", f"{N} = int(-2.7) + int(True)", f"{N} = 10 ** 20 % 97", f"{N} = hash(5)", f"{N} = 3 .real + (5).__add__(2)",
            f"{N} = complex(1, 2).imag", f"{N} = 1 if {self.n()} else 0 or 2", f"{N} = not {self.l()} == []")

    def shape_copy(self, s):
        N, M, L = self.fresh("N"), self.pick(s, "M"), self.fresh("M")
        return [f"{L} = copy.{self.one('copy', 'deepcopy')}({M})", self.one(f"{L}[0].append(5)", f"{L}.append([])", f"{M}.append([1])"),
                f"{N} = [len({L}), len({M}), sum(map(len, {M}))]"]

    # -- Classes -----------------------------------------------------------------------

    def shape_protocol(self, s):
        k, w, N, M = self.word().upper(), self.word(), self.fresh("N"), self.fresh("N")
        L = self.pick(s, "L")
        return self.one(
            [f"class {k}:\n    def __getattr__(self, name):\n        return len(name)", f"{w} = {k}()", f"{w}.b = {self.n()}",
             f"{N} = {w}.abc + {w}.b"],
            [f"class {k}:\n    all = []\n    def __init_subclass__(cls, n=1, **kw):\n        super().__init_subclass__(**kw)\n"
             f"        {k}.all.append(n)\n        cls.n = n", f"class {k}1({k}, n={self.n()}):\n    pass", f"{N} = {k}1.n + len({k}.all)"],
            [f"class {k}:\n    __slots__ = ('a', 'b')\n    def __init__(self):\n        self.a = {self.n()}", f"{w} = {k}()",
             f"try:\n    {w}.c = 1\n    {N} = 1\nexcept AttributeError:\n    {N} = {w}.a"],
            [f"class {k}(type):\n    def __new__(mcs, name, bases, ns):\n        ns['made'] = ns.get('made', 0) + 1\n"
             f"        return super().__new__(mcs, name, bases, ns)\n    def twice(cls):\n        return cls.made * 2",
             f"class {k}1(metaclass={k}):\n    made = {self.n()}", f"{N} = {k}1.made + {k}1.twice()"],
            [f"class {k}:\n    def __new__(cls, *args):\n        if not hasattr(cls, 'only'):\n            cls.only = super().__new__(cls)\n"
             f"        return cls.only\n    def __init__(self, n):\n        self.n = n", f"{w} = {k}(1)", f"{k}({self.n()})", f"{N} = {w}.n"],
            [f"class {k}:\n    def __get__(self, obj, kind=None):\n        return {self.n()}\n    def __set__(self, obj, value):\n"
             f"        {L}.append(value)", f"class {k}1:\n    x = {k}()", f"{w} = {k}1()", f"{w}.x = 3", f"{N} = {w}.x"],
            [f"class {k}:\n    def __set_name__(self, owner, name):\n        self.name = name\n        owner.n = len(name)",
             f"class {k}1:\n    abc = {k}()", f"{N} = {k}1.n"],
            [f"class {k}:\n    def __init__(self, n):\n        self._n = n\n    @property\n    def n(self):\n        return self._n\n"
             f"    @n.setter\n    def n(self, x):\n        self._n = x * 2", f"{w} = {k}(1)", f"{w}.n = {self.n()}", f"{N} = {w}.n"],
            [f"class {k}:\n    def __contains__(self, x):\n        return x == 3\n    def __bool__(self):\n        return False\n"
             f"    def __add__(self, o):\n        return 5\n    __radd__ = __add__\n    def __lt__(self, o):\n        return True",
             f"{N} = (3 in {k}()) + (4 in {k}()) + ({k}() + 1) + (1 + {k}())", f"{M} = 1 if {k}() else 2"],
            [f"class {k}:\n    __n = {self.n()}\n    def get(self):\n        return self.__n", f"{N} = {k}().get() + {k}._{k}__n"],
            [f"class {k}:\n    def __hash__(self):\n        return 1\n    def __eq__(self, o):\n        return True",
             f"{N} = len({{{k}(): 1, {k}(): 2}})"],
            [f"class {k}:\n    def __repr__(self):\n        return 'r'\n    def __str__(self):\n        return 's'\n"
             f"    def __format__(self, spec):\n        return 'f' + spec", f"{N} = str({k}()) + repr([{k}()]) + f'{{{k}():z}}' + '%s' % {k}()"],
            [f"class {k}:\n    @functools.cached_property\n    def n(self):\n        {L}.append(1)\n        return len({L})",
             f"{w} = {k}()", f"{N} = {w}.n - {w}.n"],
            [f"class {k}:\n    @staticmethod\n    def make(n):\n        return n + 1\n    table = {{'a': make}}\n    value = {self.n()}",
             f"{N} = {k}.make({k}.value) + {k}().make(1)"])

    def shape_inherit(self, s):
        k, w, N, M = self.word().upper(), self.word(), self.fresh("N"), self.fresh("N")
        return [f"class {k}A:\n    x = {self.n()}\n    log = []\n    def __init__(self):\n        self.log.append('A')\n        self.n = 1\n"
                f"    def go(self):\n        return 'a'",
                f"class {k}B({k}A):\n    def __init__(self):\n        super().__init__()\n        self.n += 1\n    def go(self):\n"
                f"        return 'b' + super().go()",
                f"class {k}C({k}A):\n    x = {self.n()}\n    def go(self):\n        return 'c' + super().go()",
                f"class {k}D({k}B, {k}C):\n    pass", f"{w} = {k}D()",
                self.one(f"{N} = {w}.go()", f"{N} = {w}.x + {w}.n", f"{N} = len({k}A.log)", f"{N} = [c.__name__[-1] for c in {k}D.__mro__]",
                         f"{N} = issubclass({k}D, {k}C)", f"{k}A.y = {self.n()}\n{N} = {w}.y", f"{k}C.x = 1\n{N} = {w}.x",
                         f"{N} = {k}D.go is {k}B.go", f"{N} = type({w}).__bases__[0].__name__[-1]", f"{N} = {k}B().go()",
                         f"{N} = isinstance({w}, ({k}B, int))", f"{w}.go = lambda: 'z'\n{N} = {w}.go()", f"{N} = vars({w})['n']",
                         f"{N} = {w}.__dict__.get('n')", f"{N} = {w}.__class__.__name__[-1]", f"del {k}C.x\n{N} = {k}D.x")]

    def shape_abstract(self, s):
        k, N = self.word().upper(), self.fresh("N")
        return [f"from abc import ABC, abstractmethod", f"class {k}(ABC):\n    block = {self.n()}\n    @abstractmethod\n"
                f"    def run(self):\n        ...\n    @property\n    def size(self):\n        return self.block * self.run()",
                f"class {k}1({k}):\n    def run(self):\n        return 3",
                self.one(f"{N} = {k}1().size", f"{N} = {k}1.block", f"try:\n    {k}()\n    {N} = 1\nexcept TypeError:\n    {N} = 2")]

    # -- Statements --------------------------------------------------------------------

    def shape_match(self, s):
        w, N = self.word(), self.fresh("N")
        cases = [
            f"case [a, b]:\n            return a + b", f"case [a, *rest]:\n            return len(rest)",
            f"case {{'a': x, **more}}:\n            return (x, len(more))", f"case str() as t:\n            return t + '!'",
            f"case int(n) if n > 5:\n            return n", f"case 0 | 1:\n            return 'small'", f"case None:\n            return 'none'",
            f"case (1, _):\n            return 'one'", f"case {{}}:\n            return 'dict'", f"case 'a' | 'b':\n            return 'ab'",
            f"case True:\n            return 'yes'", f"case -1:\n            return 'minus'", f"case float():\n            return 'float'"]
        chosen = self.r.sample(cases, self.r.randint(2, 5))
        return [f"def {w}(v):\n    match v:\n" + "\n".join("        " + case for case in chosen)
                + "\n        case _:\n            return 'other'",
                f"{N} = [{w}(v) for v in ({self.n()}, {self.l()}, {self.d()}, {self.text(s, 2)}, {self.test(s, 2)}, None, 1.5, (1, 2))]"]

    def shape_flow(self, s):
        w, N, L = self.word(), self.fresh("N"), self.pick(s, "L")
        return self.one(
            f"for {w} in {self.l()}:\n    if {w} == 3:\n        {N} = 'found'\n        break\nelse:\n    {N} = 'none'",
            f"{N} = 0\nwhile True:\n    {N} += 3\n    if {N} > {self.small()}:\n        break",
            f"{N} = 5\ntry:\n    raise ValueError('x', 1)\nexcept ValueError as {N}:\n    {L}.append(len({N}.args))",
            f"for {N} in [1, 2, 3]:\n    try:\n        raise KeyError({N})\n    except KeyError as {w}:\n        if {N} == 2:\n            break\n"
            f"try:\n    {w}\nexcept NameError:\n    {N} = 'gone'",
            f"{w} = {self.n()}\ndel {w}\ntry:\n    {N} = {w}\nexcept NameError:\n    {N} = 1",
            f"{N} = [y := {self.n()}, y ** 2, y]", f"{N} = [last := x for x in {self.l()}][-1:] + [0]",
            f"if (m := len({self.l()})) > 1:\n    {N} = m\nelse:\n    {N} = -m",
            f"a, (b, *c), d = 1, {self.l()} or [1], 3\n{N} = len(c) + d", f"*{w}, {N} = {self.l()} or [2]",
            f"{w} = [[0] * 2] * 2\n{w}[0][0] = {self.n()}\n{N} = {w}", f"{w} = {self.l()}[:]\nfor x in {w}:\n    if x % 2:\n        {w}.remove(x)\n{N} = {w}",
            f"{w} = {{}}\n{w}['a'], {w}['b'] = 1, {self.n()}\n{N} = {w}", f"{w} = [1, 2, 3]\ni = 0\ni, {w}[i] = 1, 9\n{N} = {w}",
            f"{w} = list(range(9))\n{w}[1:8:2] = [0] * 4\ndel {w}[::3]\n{N} = {w}", f"{N} = [i for i in range(5) if i % 2 for _ in range(i)]",
            f"{N} = {{k: [v] for k, v in {self.d()}.items()}}\n{N}.update(zip('xy', [1, 2]))",
            f"assert {self.n()} is not None, 'never'\n{N} = 1", f"{w} = {self.l()}\n{w}.sort(key=lambda v: -v)\n{N} = {w}",
            f"{w} = {self.l()}\n{w}.sort(key=lambda v: len({w}) * v)\n{N} = {w}",
            f"{N} = 1\ndef {w}():\n    return {N}\n{N} = {self.n()}\n{N} = {w}() + 1",
            f"class {w}:\n    a = [1, 2]\n    b = [x * 2 for x in a]\n    c = len(b)\n    a.append(3)\n{N} = {w}.c + len({w}.a)")

    def shape_dynamic(self, s):
        N, w = self.fresh("N"), self.word()
        return self.one(
            f"for {w} in ('X', 'Y'):\n    globals()[{w} + '{N}'] = {self.n()}\n{N} = X{N}",
            f"setattr(sys.modules[__name__], '{N}', {self.n()})", f"{N} = globals().get('{w}', 5)", f"{N} = '{w}' in globals()",
            f"vars()['{N}'] = 4", f"globals().update({N}=3)", f"{N} = len([k for k in globals() if k == '{N}'])",
            f"{N} = type('T{w}', (), {{'a': {self.n()}}}).a", f"{N} = eval('1 + 2')", f"{N} = (lambda: __name__)() == '__main__'",
            f"if __name__ == '__main__':\n    {N} = 1\nelse:\n    {N} = 2", f"{N} = getattr({w} if '{w}' in globals() else 5, 'real')",
            f"{N} = __name__ != '__main__'", f"{N} = [n for n in ('abs', 'zzz') if n in dir(__builtins__) or hasattr(__builtins__, n)][:0]")
