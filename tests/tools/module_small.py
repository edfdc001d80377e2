"""Enumerated modules of random_modules.py: sequences of three of a few statements.

Each module has some sequences, each over names of its own: an integer X, lists L
and M, which start as the same list, a dictionary D, functions f and g, a class O
and an object o. Sequence k is the same in every run.
"""
import re

BEFORE = ["X = 0", "L = [1]", "M = L", "D = {'a': 1}", "def f():\n    return X", "g = f",
          "class O:\n    x = 1", "o = O()"]
AFTER = ["P = O.x", "Q = o.x", "R = g()", "S = (X, len(L), len(M), sorted(D))"]
UNKNOWN = "opaque.value() > 3"
STATEMENTS = [
    "X = 1", "X += 2", "X = opaque.value()", "X = X if UNKNOWN else 7", "X = (UNKNOWN and 1) or 1",
    "X = len(L)", "X = L[-1] if L else 0", "X = f()", "X = o.x", "X = D.get('a', 5)", "X = sum(V for V in L)",
    "L.append(X)", "M = [X]", "L = L + [2]", "L += [3]", "L = M[:]", "M = L", "L.sort()", "L[0] = 5", "X, *L = L + [1, 2]",
    "D['a'] = X", "D['b'] = L", "D = dict(a=X)", "del D['a']", "D.pop('a', 0)", "D = {**D, 'c': 1}", "M = D.setdefault('m', [])",
    "if UNKNOWN:\n    X = 2", "if UNKNOWN:\n    L.append(9)", "if UNKNOWN:\n    M = [4]", "if UNKNOWN:\n    D['a'] = 6",
    "if UNKNOWN:\n    X = 3\nelse:\n    X = 3", "if UNKNOWN:\n    O.x = 6", "if UNKNOWN:\n    f = g",
    "if X:\n    L.append(X)\nelif UNKNOWN:\n    X = 1",
    "try:\n    opaque.maybe()\n    X = 3\nexcept ValueError:\n    X = 4",
    "try:\n    opaque.maybe()\n    X = 4\nexcept ValueError:\n    X = 4",
    "try:\n    X = D['b']\nexcept KeyError:\n    X = -1",
    "try:\n    L.append(X // len(M))\nexcept ZeroDivisionError:\n    M = L\nelse:\n    X = 5\nfinally:\n    X += 1",
    "try:\n    raise ValueError(X)\nexcept (KeyError, ValueError) as E:\n    X = E.args[0] + 1",
    "try:\n    if UNKNOWN:\n        raise KeyError\n    X = 6\nexcept LookupError:\n    L.append(6)",
    "for V in L:\n    X += V", "for V in list(L):\n    if UNKNOWN:\n        break\n    X += V",
    "for V in range(3):\n    if V == 1:\n        continue\n    X += V\nelse:\n    L.append(V)",
    "for V in (1, 2):\n    if UNKNOWN:\n        break\nelse:\n    X = 7", "while X < 3:\n    X += 1\n    M.append(X)",
    "for V in range(2):\n    if UNKNOWN:\n        continue\n    D['a'] = V",
    "def f():\n    global X\n    X = 5\n    return X", "def f(n=X):\n    return n + len(L)", "f = lambda: len(M)",
    "def f(a=[]):\n    a.append(X)\n    return len(a)", "def f():\n    if UNKNOWN:\n        return 1\n    return 2",
    "def f():\n    L.append(8)\n    return L[0]", "f()", "X = f() + g()", "g = f",
    "def make():\n    n = X\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step\ng = make()",
    "O.x = 4", "o.x = X", "o.x += 1", "del o.x", "o = O()", "setattr(O, 'x', X)", "X = getattr(o, 'y', 2)", "o.y = L",
    "class O:\n    x = X\n    def __init__(self):\n        self.x = self.x + 1", "class O(O):\n    pass", "P = o\no = P",
    "L = [V * 2 for V in L if V]", "M = list(map(lambda V: V + X, L))", "L, M = M, L", "L.extend(M)", "L.clear()",
    "(lambda V: V.append(X))(L)", "X = [V for V in (1, 2) if UNKNOWN or V]", "X = any(UNKNOWN for V in L)",
    "X = (Y := len(L)) + 1", "assert X >= 0 or L", "import opaque as z", "L = z = M", "match X:\n    case 0:\n        L.append(0)\n    case _:\n        X = 0"]
# Calls of unseen code, which may change its arguments; kernels assume that it changes nothing.
UNSEEN = ["opaque.touch(L)", "opaque.keep(M)", "opaque.poke()", "opaque.touch(f)", "opaque.touch(D)", "opaque.touch(o)",
          "opaque.touch(O)"]
NAMES = ["X", "L", "M", "D", "P", "Q", "R", "S", "V", "Y", "E", "f", "g", "o", "O", "z", "make", "step"]
LENGTH, IN_MODULE = 3, 12


def own(text, number):
    """Give the names of a sequence its number."""
    words = []
    for word in re.split(r"(\w+)", text.replace("UNKNOWN", UNKNOWN)):
        words.append(f"{word}_{number}" if word in NAMES else word)
    return "".join(words)


def sequence(number, statements):
    """Yield sequence `number` of len(statements) ** LENGTH, in a mixed order.
    """
    number = number * 7919 % len(statements) ** LENGTH
    for _ in range(LENGTH):
        yield statements[number % len(statements)]
        number //= len(statements)


class Small:
    """A generator for random_modules.py."""

    statements = STATEMENTS + UNSEEN

    def __init__(self, seed):
        self.modules, self.chunks = {}, ["import opaque"]
        for k in range(seed * IN_MODULE, (seed + 1) * IN_MODULE):
            self.chunks += [own(text, k) for text in [*BEFORE, *sequence(k, self.statements), *AFTER]]


class SmallForKernels(Small):
    statements = STATEMENTS
