"""Modules that bind names by their text: the third generator of random_modules.py.

There are many ways to the names of a module: globals(), sys.modules, a function, a
frame.  A module uses one or two of them, in a statement, a function or a class,
under another name; further names are computed from the values that it binds.
"""
from module_gen import Generator

EITHER = "if os.environ.get('TILE_RANDOM') else"  # always the first, which is unknown
TABLES = ["globals()", "vars()", "locals()", "[globals][0]()", "(lambda: globals())()", "globals_too()",
          "sys.modules[__name__].__dict__", "vars(sys.modules[__name__])", "noop.__globals__",
          "(lambda: 0).__globals__", "K.method.__globals__", "K().method.__func__.__globals__",
          "K.__dict__['method'].__globals__", "vars(K)['method'].__globals__", "K.static.__globals__",
          "sys._getframe().f_globals", "inspect.currentframe().f_globals", "inspect.stack()[0].frame.f_globals",
          "(x for x in ()).gi_frame.f_globals", "getattr(sys, 'modules')[__name__].__dict__",
          "getattr(sys, 'mod' + 'ules')[__name__].__dict__", "logging.sys.modules[__name__].__dict__",
          "builtins.globals()", "importlib.import_module(__name__).__dict__", "__import__(__name__).__dict__",
          "operator.attrgetter('__globals__')(noop)", "eval('globals()')", "TABLE", "MODULES[__name__].__dict__",
          "wrapped.__wrapped__.__globals__", "getattr(noop, '__glo' + 'bals__')", "types.ModuleType.__dict__ and globals()",
          f"(sys {EITHER} os)._getframe().f_globals", f"(inspect {EITHER} logging).currentframe().f_globals",
          f"(builtins {EITHER} os).globals()", "ALL()", "noop.__getattribute__('__globals__')", "object.__getattribute__(noop, '__globals__')"]
MODULES = ["sys.modules[__name__]", "sys.modules.get(__name__)", "importlib.import_module(__name__)", "__import__(__name__)",
           "MODULES[__name__]", "sys.modules['module']", "sys.modules.get('module', os)", "importlib.import_module('module')",
           f"(sys.modules {EITHER} {{}})[__name__]", f"(sys {EITHER} os).modules[__name__]", "getattr(sys, 'modules', None)[__name__]",
           f"(importlib.import_module {EITHER} print)(__name__)", "LOAD('module')", "LOAD(__name__)", "[m for k, m in list(sys.modules.items()) if k == __name__][0]", "SELF"]
HEADER = ["import os", "import sys", "import opaque", "import builtins", "import functools", "import importlib", "import inspect",
          "import logging", "import operator", "import types", "def noop():\n    pass",
          "class K:\n    def method(self):\n        pass\n    @staticmethod\n    def static():\n        pass",
          "wrapped = functools.lru_cache(noop)"]
ALIASES = ["LOAD = importlib.import_module", "TABLE = globals()", "MODULES = sys.modules", "SELF = sys.modules[__name__]", "ALL = globals",
           "def globals_too():\n    return globals()"]


class Ways(Generator):
    def __init__(self, seed):
        super().__init__(seed, helpers=False)
        self.chunks, rest = HEADER + [a for a in ALIASES if self.chance(0.3)], self.chunks[:7]
        self.chunks += rest
        for _ in range(self.r.randint(1, 2)):
            self.chunks.append(self.way())
            for _ in range(3):
                self.chunks.append(self.bind(self.top, self.r.choice("NNLDT")))

    def way(self):
        n, value = self.r.choice(self.top.all("N")), self.r.choice(["7", "opaque.value()", self.integer(self.top, 2)])
        table, module = self.r.choice(TABLES), self.r.choice(MODULES)
        text = self.r.choice([
            f"{table}['{n}'] = {value}", f"{table}['{n}'] = {value}", f"{table}.update({n}={value})",
            f"{table}.update({{'{n}': {value}}})", f"{table}.__setitem__('{n}', {value})", f"{table}['{n}'] += 1",
            f"dict.update({table}, {n}={value})", f"operator.setitem({table}, '{n}', {value})",
            f"table = {table}\ntable['{n}'] = {value}", f"for {table}['{n}'] in (1, {value}):\n    pass",
            f"[{table}.update({n}=i) for i in ({value},)]", f"kept = [{table}]\nkept[0]['{n}'] = {value}",
            f"{module}.{n} = {value}", f"setattr({module}, '{n}', {value})", f"{module}.__setattr__('{n}', {value})",
            f"module = {module}\nmodule.{n} = {value}", f"put = setattr\nput({module}, '{n}', {value})",
            f"object.__setattr__({module}, '{n}', {value})", f"for module in ({module},):\n    module.{n} = {value}",
            f"exec('{n} = 5')", f"run = exec\nrun('{n} = 5')", f"exec('{n} = 5', {table})", f"list(map(exec, ['global {n}; {n} = 5']))",
            f"functools.partial(exec, '{n} = 5', {table})()", f"eval(\"globals().update({n}=5)\")",
            f"look = eval\nlook(\"globals().update({n}=5)\")", f"exec(compile('{n} = 5', 'x', 'exec'), {table})",
            f"try:\n    raise ValueError\nexcept ValueError as e:\n    e.__traceback__.tb_frame.f_globals['{n}'] = {value}",
            f"(lambda t: t.update({n}={value}))({table})", f"def set_in(t):\n    t['{n}'] = {value}\nset_in({table})",
            f"def set_of(m):\n    m.{n} = {value}\nset_of({module})", f"@(lambda f: f.__globals__.update({n}={value}) or f)\ndef marked():\n    pass"])
        return self.r.choice([
            text, text, "try:\n" + self.indent(text) + "\nexcept* KeyError:\n    pass", "def do():\n" + self.indent(text) + "\ndo()", "class Do:\n" + self.indent(text),
            "class Do:\n    def __init__(self):\n" + self.indent(self.indent(text)) + "\nDo()",
            "class Meta(type):\n    def __new__(c, *args):\n" + self.indent(self.indent(text)) +
            "\n        return type.__new__(c, *args)\nclass Made(metaclass=Meta):\n    pass",
            "def do():\n" + self.indent(text) + "\nopaque.touch(do)" if "opaque" not in text else text,
            "if os.environ['TILE_RANDOM'] == '1':\n" + self.indent(text)])
