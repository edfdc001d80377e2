#!/usr/bin/env python3
"""Compares the values of expressions of small grammars with Python itself.

    python_values.py TILEC [GRAMMAR...]

The grammars have every operator with every pair of some values, and every slice, format,
method and function with every argument of a few. Of a large grammar a fixed sample is
checked, or all with TILE_TEST_FULL. A module has each expression in a `try`, so that the
name of an exception is a value, too; a kernel prints them with `static_print`. The compiler
may know no value but Python's. LEAST has the percentage of values that it knows, which may
not fall.
"""
import ast
import itertools
import os
import random
import re
import sys
import tempfile
import warnings

from random_modules import ask_kernel, ask_module, canon, read_value

CHUNK = 1200  # expressions of one module
SAMPLE = 2400  # of a grammar
# The least percentage of the values that a module, and a kernel, must know.
LEAST = {"past": (80, 50), "numbers": (85, 81), "order": (87, 81), "literals": (97, 94), "slices": (85, 78),
         "formats": (40, 40), "texts": (82, 83), "containers": (81, 42), "calls": (100, 2)}
# In kernels methods of strings know ASCII letters only, and a range is a tuple.
NOT_IN_KERNELS = re.compile(r"\\u.*\.(upper|title|capitalize|swapcase|islower)\(|str\(range|repr\(range")
INTS = ["0", "1", "-1", "2", "-3", "7", "255", "-256", "2147483647", "-2147483648", "4294967296",
        "9223372036854775807", "True", "False"]
FLOATS = ["0.0", "-0.0", "0.5", "-2.5", "3.0", "1e16", "1e308", "5e-324", "float('inf')", "float('nan')"]
TEXTS = ["''", "'a'", "'ab'", "'aXbXc'", "' x\\ty '", "'\\u00e4\\u03b2\\U0001f600'", "'12'", "'Ab cD'"]
LISTS = ["[]", "[1]", "[2, 1]", "[1, 2, 1]", "[3, 1, 2, 1]"]
DICTS = ["{}", "{'a': 1}", "{'b': 2, 'a': 1}", "{1: 'x', 2: 'y', True: 'z'}"]
SETS = ["set()", "{1}", "{1, 2}", "{2, 3}", "{'a', 'b'}"]
ARITHMETIC = ["+", "-", "*", "/", "//", "%", "&", "|", "^"]
COMPARES = ["<", "<=", ">", ">=", "==", "!="]


def numbers():
    pairs = list(itertools.product(INTS + FLOATS, repeat=2))
    for op in ARITHMETIC + COMPARES + ["and", "or"]:
        yield from (f"({x}) {op} ({y})" for x, y in pairs)
    for op, y in itertools.product(["<<", ">>", "**"], ["0", "1", "-1", "3", "31", "0.5", "-2.0", "True"]):
        yield from (f"({x}) {op} ({y})" for x in INTS[:9] + ["True"] + FLOATS)
    for f in ["-({})", "+({})", "~({})", "not ({})", "abs({})", "int({})", "float({})", "bool({})", "str({})",
              "repr({})", "round({})", "hex({})", "bin({})", "oct({})", "chr({})", "hash({})",
              "({}).bit_length()", "isinstance({}, int)", "isinstance({}, (float, bool))", "type({}).__name__"]:
        yield from (f.format(x) for x in INTS + FLOATS)
    yield from (f"({x}).is_integer()" for x in FLOATS)
    for f in ["divmod({}, {})", "min({}, {})", "max({}, {})", "round({}, {})", "pow({}, {}, 7)"]:
        yield from (f.format(x, y) for x, y in itertools.product(INTS[:8] + FLOATS, ["0", "1", "-1", "3", "2.5"]))


def order():
    """Yield sequences of operators without parentheses, and comparisons in
    chains."""
    r = random.Random(1)
    for _ in range(700):
        ops = r.choices(ARITHMETIC + ["<<", ">>", "**"] + COMPARES + ["and", "or", "in (1, 2) and", "is None or"],
                        k=r.randint(2, 6))
        terms = [r.choice(["", "", "-", "~", "not ", "+", "- -"]) + r.choice("0123457") for _ in range(len(ops) + 1)]
        terms = [t.replace("not ", "") if k and ops[k - 1] not in ("and", "or") else t for k, t in enumerate(terms)]
        yield " ".join(t + " " + o for t, o in zip(terms, ops + [""]))
    for _ in range(200):
        a, b, c, d = (r.choice(["0", "1", "2", "''", "[]", "(1,)", "None"]) for _ in range(4))
        yield r.choice([f"{a} if {b} else {c} if {d} else 9", f"{a} or {b} and {c} or not {d}",
                        f"not {a} == {b} and {c} != {d}", f"({a}, *[{b}, {c}], {d})", f"(lambda x, y={a}: (x, y))({b})",
                        f"[x for x in ({a}, {b}, {c}) if x != {d}]", f"(x := {a}, x or {b}, {c} is not None)"])


def literals():
    numbers = ["0x1F", "0XaB_c", "0b1_01", "0o17", "1_000", "00", "1e3", "1E+3", "1e-3", ".5", "5.", "1_0.2_5e1_0",
               "0.1", "123456789.123456789", "1e400", "0xFFFFFFFFFFFFFFFF", "9007199254740993.0", "2.5e-324"]
    yield from numbers
    yield from (f"-{n}" for n in numbers)
    bodies = ["", "a", "\\n", "\\\\", "\\'", '\\"', "\\x41", "\\101", "\\u00e9", "\\U0001F600", "\\0", "\\a\\b\\f\\v\\r",
              "{7}", "{{}}", "%d", "\\\n", "#", "\\77x", "\\1234"]
    for prefix, quote in itertools.product(["", "r", "u", "R", "f", "rf", "b", "rb"], ["'", '"', "'''", '"""']):
        for body in bodies:
            yield f"{prefix}{quote}{body}{quote}"
    yield from ["'a' 'b'", "'a' f'{1}' r'\\n'", "('a'\n    'b')", "b'a' b'b'", "f'{1}{{' '}'", "f'{1!r:>{4}}|'",
                "f'{[1, 2][0]}'", "f'{ {1: 2}[1] }'", "f'{1 if 0 else 2}'", "f'{3=}'", "f'{3 = !s:>4}'", "f'{(lambda: 4)()}'"]


def slices():
    ends = ["", "0", "1", "2", "4", "5", "-1", "-2", "-4", "-5"]
    for x in ["'abcd'", "[1, 2, 3, 4]", "(1, 2, 3, 4)", "list(range(1, 9, 2))"]:
        for a, b, c in itertools.product(ends, ends, ["", "1", "2", "-1", "-3", "0"]):
            yield f"{x}[{a}:{b}:{c}]"
        yield from (f"{x}[{a}]" for a in ends[1:] + ["True", "None", "1.0"])
    for a, b, c in itertools.product(["0", "3", "-4"], ["0", "5", "-5"], ["1", "2", "-1", "-3", "0"]):
        yield from (f.format(f"range({a}, {b}, {c})") for f in ["list({})", "len({})", "sum({})", "({})[1]", "({})[-1]",
                                                                "2 in ({})", "list(reversed({}))", "max({})"])


def formats():
    r = random.Random(2)
    specs = ["".join(p) for p in itertools.product(["", "*<", "^", "=", "0>"], ["", "+", " "], ["", "#"], ["", "0"],
                                                   ["", "9"], ["", ",", "_"], ["", ".0", ".3"],
                                                   ["", "d", "x", "b", "e", "f", "g", "s", "%", "X", "G", "c", "n"])]
    values = ["0", "-5", "1234567", "True", "0.0", "-2.5", "1234567.891", "1e-7", "float('inf')", "'ab'", "None"]
    for spec in r.sample(specs, 1500):
        numbers = values[:4] if spec[-1:] in ("d", "x", "b", "X", "c") else values[4:9] if spec[-1:] != "s" else values[9:]
        yield f"'{{:{spec}}}'.format({r.choice(numbers)})"
        yield f"f'{{{r.choice(values[:8])}:{spec}}}'"
    for spec, x in itertools.product(["%d", "%5d", "%-5d|", "%05d", "%+d", "%x", "%#x", "%o", "%c", "%s", "%r", "%5s",
                                      "%-5s|", "%.2s", "%f", "%.0f", "%8.3f", "%e", "%g", "%G", "%%", "%i", "%a", "%5%"],
                                     values + ["65", "(1,)", "(1, 2)", "[1]", "'a\\n'", "{'k': 1}"]):
        yield f"'{spec}' % {x}"
    for text, arguments in itertools.product(
            ["{}", "{0}{0}", "{1}{0}", "{x}", "{0[1]}", "{x!r}", "{:>{}}", "{x:{y}}", "{0.real}", "{{}}", "{", "}", "{}{}"],
            ["1", "1, 2", "'ab'", "[1, 2]", "'a', 5", "x=1", "3, x='b', y=4"]):
        yield f"'{text}'.format({arguments})"


def texts():
    two = list(itertools.product(TEXTS, ["''", "'a'", "'X'", "' '", "'ab'", "'b'"]))
    for m in ["count", "find", "rfind", "index", "startswith", "endswith", "strip", "lstrip", "rstrip", "split", "rsplit",
              "partition", "rpartition", "removeprefix", "removesuffix", "join", "__contains__"]:
        yield from (f"{x}.{m}({y})" for x, y in two)
    yield from (f"{x} {op} {y}" for (x, y), op in itertools.product(two, COMPARES + ["in", "not in", "+"]))
    for m in ["upper()", "lower()", "title()", "capitalize()", "swapcase()", "strip()", "split()", "splitlines()",
              "isdigit()", "isalpha()", "isalnum()", "isupper()", "islower()", "isspace()", "isidentifier()", "zfill(5)",
              "center(7)", "center(6, '*')", "ljust(5, '.')", "rjust(5)", "expandtabs(4)", "casefold()", "split(None, 1)",
              "rsplit(None, 1)", "split('X', 1)", "rsplit('X', 1)", "replace('X', '-')", "replace('X', '', 1)", "replace('', '-')",
              "encode()", "isnumeric()", "isdecimal()", "istitle()", "isascii()", "isprintable()", "find('X', 2)",
              "find('X', -3, -1)", "count('X', 2)", "startswith(('A', 'a'))", "endswith('b', 0, 2)"]:
        yield from (f"{x}.{m}" for x in TEXTS)
    for f in ["len({})", "repr({})", "ascii({})", "list({})", "tuple({})", "sorted({})", "bool({})", "int({})", "float({})",
              "ord({})", "{} * 2", "{} * -1", "max({})", "'-'.join({})", "list(enumerate({}))", "list(reversed({}))", "set({})"]:
        yield from (f.format(x) for x in TEXTS)
    for x, base in itertools.product(["'12'", "' -7 '", "'0x1f'", "'1_0'", "'z'", "''", "'+ 1'", "'0b11'", "'1e3'", "'٣'"],
                                     ["", ", 16", ", 0", ", 2", ", 36", ", 1"]):
        yield f"int({x}{base})"
    yield from (f"float({x})" for x in ["'1e3'", "' .5'", "'-inf'", "'NaN'", "'1_0.0'", "'1__0'", "'infinity '", "'0x1'", "''"])


def containers():
    for x, y in itertools.product(LISTS, LISTS + ["(1, 2)", "1", "None"]):
        yield from (f"{x} {op} {y}" for op in COMPARES + ["+", "*", "in", "not in", "and", "is not"])
    for x, y in itertools.product(["()", "(1,)", "(1, 2)", "(2, 1)", "(1, 'a')"], repeat=2):
        yield from (f"{x} {op} {y}" for op in COMPARES + ["+"])
    for x, y in itertools.product(SETS, repeat=2):
        yield from (f"{x} {op} {y}" for op in COMPARES + ["&", "|", "^", "-"])
        yield from (f"{x}.{m}({y})" for m in ["union", "intersection", "difference", "symmetric_difference", "issubset",
                                              "issuperset", "isdisjoint"])
    for x, y in itertools.product(DICTS, repeat=2):
        yield from (f"{x} {op} {y}" for op in ["==", "!=", "|", "<"])
    for m in ["pop()", "pop(0)", "pop(-2)", "pop(9)", "index(1)", "index(2, 1)", "count(1)", "remove(1)", "insert(1, 9)",
              "insert(-1, 9)", "append([])", "extend((7, 8))", "reverse()", "sort()", "sort(reverse=True)", "copy()", "clear()",
              "sort(key=lambda v: -v)", "__len__()", "insert(99, 0)"]:
        yield from (f"(lambda v: (v.{m}, v))({x})" for x in LISTS)
    for m in ["pop('a')", "pop('q', 5)", "get('a')", "get('q')", "get(1, 2)", "setdefault('a', 9)", "setdefault('n', [])",
              "update({'a': 5})", "update(z=1)", "items()", "keys()", "values()", "popitem()", "clear()", "copy()"]:
        yield from (f"(lambda v: (list(v.{m}) if v.{m}.__class__.__name__.startswith('dict_') else v.{m}, v))({x})"
                    for x in DICTS[:3])
        yield from (f"(lambda v: (str(v.{m}), len(v)))({x})" for x in DICTS)
    for f in ["len({})", "sum({})", "min({})", "max({})", "sorted({})", "list({})", "tuple({})", "set({})", "bool({})", "any({})",
              "all({})", "list(reversed({}))", "list(enumerate({}, 1))", "list(zip({}, 'abc'))", "str({})", "repr({})",
              "list(map(lambda v: v * 2, {}))", "list(filter(None, {}))", "max({}, default=4)", "min({}, key=lambda v: -v)",
              "sum({}, 10)", "[*{}, 0]", "dict.fromkeys({}, 0)", "next(iter({}))", "next(iter({}), None)", "frozenset({})"]:
        yield from (f.format(x) for x in LISTS + ["(0, 1)", "''", "{}", "{0: 1}", "range(3)", "'ba'", "5", "[0, 0.5]"])
    for x in LISTS:
        yield from (f"(lambda v: {f})({x})" for f in [
            "[a + b for a in v for b in v if a != b]", "{a: b for a, b in zip(v, v[1:])}", "[(i, a) for i, a in enumerate(v)]",
            "(v.__setitem__(0, 5), v)", "(v.__delitem__(slice(0, 2)), v)", "[a, *b] if (a := v[0]) or (b := v[1:]) else 0",
            "[[j for j in range(i)] for i in v]", "sorted(v, key=lambda w: (w % 2, -w))", "sum(a * b for a, b in zip(v, v))"])


def calls():
    """Yield calls: parameters of every kind by arguments of every kind."""
    heads = ["a", "a, b=2", "a, *b", "a, *, b", "a, /, b", "*a, b=3", "**a", "a=1, *b, c=4, **d", "a, /, b=5, *, c"]
    names = {"a": "a", "b": "b", "c": "c", "d": "sorted(d.items())"}
    gives = ["", "1", "1, 2", "1, 2, 3", "b=7, a=8", "1, b=9", "*[1, 2]", "*(1,), b=3", "**{'a': 1}", "1, c=2", "1, a=2",
             "1, **{'b': 6, 'c': 7}", "*[], *[4, 5]", "1, b=2, c=3", "*'ab', *'c'", "c=1, **{'c': 2}"]
    for head, give in itertools.product(heads, gives):
        used = [n for n in names if any(p.strip().lstrip("*").split("=")[0] == n for p in head.split(","))]
        parts = [names[n] if not (n == "a" and head == "**a") else "sorted(a.items())" for n in used]
        yield f"(lambda {head}: ({', '.join(parts)},))({give})"
    for give in ["a=1, **{'a': 2}", "{'a': 1}, a=2", "{'a': 1}, **{'b': 2}", "[('a', 1)], b=2", "**{'a': 1}, **{'a': 2}", ""]:
        yield f"sorted(dict({give}).items())"


class Tuples(ast.NodeTransformer):
    """Replace lists by tuples, as kernels have them."""

    def visit_List(self, node):
        self.generic_visit(node)
        return ast.Tuple(node.elts, node.ctx)

    def visit_ListComp(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("tuple", ast.Load()), [ast.GeneratorExp(node.elt, node.generators)], [])

    def visit_Name(self, node):
        return ast.Name("tuple", node.ctx) if node.id == "list" else node


def past():
    """Yield expressions that had wrong values once."""
    yield from ["1e16 // 3.0", "1e16 // -3", "divmod(1e16, 3)", "f'{0.0:^ #.0}'", "f'{-2.5:#.0}'", "f'{1e-7:#}'",
                "f'{100.0:#.3}'", "'%s' % [1]", "'%s %s' % [1, 2]", "'%r' % ([1],)", "'%d' % [1]", "max('ab')", "min('')",
                "max(5)", "max([3, 4])", "(lambda **a: a)(c=1, **{'c': 2})", "dict(a=1, **{'a': 2})"]


GRAMMARS = {"past": past, "numbers": numbers, "order": order, "literals": literals, "slices": slices, "formats": formats,
            "texts": texts, "containers": containers, "calls": calls}


def python(expression):
    """The text of the value, or the name of the exception; None for a syntax
    error."""
    try:
        return canon(eval(compile(expression, "e", "eval"), {}))
    except SyntaxError:
        return None
    except Exception as error:
        return repr(type(error).__name__)


def in_kernels(expression):
    """The texts of the values that are right in a kernel."""
    tree = ast.fix_missing_locations(Tuples().visit(ast.parse(expression, mode="eval")))
    texts = {python(expression), python(ast.unparse(tree))} - {None}
    return {text.replace("list(", "tuple(") for text in texts}


def module(expressions):
    lines = []
    for k, x in enumerate(expressions):
        lines += [f"try:\n    V{k} = {x}", f"except Exception as e:\n    V{k} = type(e).__name__"]
    return "\n".join(lines) + "\n"


def ask(tilec, expressions, folder):
    """Ask for each value in a module and in a kernel, by number; None if
    unknown."""
    path = os.path.join(folder, "module.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(module(expressions))
    told = ask_module(tilec, path)
    in_module = [told.get(f"V{k}") for k in range(len(expressions))]
    with open(path, "w", encoding="utf-8") as file:
        file.write("")
    told = ask_kernel(tilec, path, [x for x in expressions if "\n" not in x])
    in_kernel = [told.get(x) for x in expressions]
    return in_module, [t and read_value(t) for t in in_kernel]


def read(grammar):
    """The grammar's expressions, and the texts of their values."""
    all = list(dict.fromkeys(GRAMMARS[grammar]()))
    if len(all) > SAMPLE and not os.environ.get("TILE_TEST_FULL"):
        all = random.Random(3).sample(all, SAMPLE)
    texts = map(python, all)
    return [(x, text) for x, text in zip(all, texts) if text is not None]


def check(tilec, grammar):
    """Count the wrong values, and those that tilec knows."""
    pairs, known, wrong = read(grammar), [0, 0], 0
    for k in range(0, len(pairs), CHUNK):
        part = pairs[k:k + CHUNK]
        with tempfile.TemporaryDirectory() as folder:
            answers = ask(tilec, [x for x, _ in part], folder)
        for (x, text), in_module, in_kernel in zip(part, *answers):
            if in_module not in (None, text):
                print(f"a module: {x} is {text}, found {in_module}")
                wrong += 1
            told = in_kernel and in_kernel.replace("list(", "tuple(")
            if told and told not in in_kernels(x) and not NOT_IN_KERNELS.search(x):
                print(f"a kernel: {x} is {text}, found {in_kernel}")
                wrong += 1
            known[0] += in_module is not None
            known[1] += in_kernel is not None
    shares = [100 * n // len(pairs) for n in known]
    print(f"{grammar}: {len(pairs)} values; a module knows {shares[0]} %, a kernel {shares[1]} %; {wrong} are wrong")
    for share, least in zip(shares, LEAST[grammar]):
        if share < least:
            print(f"at least {least} % were to be known")
            wrong += 1
    return wrong


def main():
    if sys.version_info < (3, 9):
        print("SKIP: this Python has not all of these methods")
        return 77
    warnings.simplefilter("ignore")
    return any([check(sys.argv[1], grammar) for grammar in sys.argv[2:] or GRAMMARS])


if __name__ == "__main__":
    sys.exit(main())
