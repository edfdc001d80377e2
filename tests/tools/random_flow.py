#!/usr/bin/env python3
"""Random control flow: kernels that `tilec run` and Python itself execute.

    random_flow.py TILEC SEED COUNT [DEVICE [elements]]

A kernel computes a few scalars, in branches and loops that are left in every way,
calls helpers that return early, and stores the scalars at its end.  With `elements`
it does so for each element of a tile, in map_elementwise().  Python runs the same
text, with stand-ins for `tl` and `triton`.  Values stay within 32 bits, so that
Python's integers are those of a kernel.
"""
import array
import os
import random
import subprocess
import sys
import tempfile

PROGRAMS = 16
NAMES = ["a", "b", "c", "d"]
MASK = 0xFFFF


class Generator:
    def __init__(self, seed, elements=False):
        self.r = random.Random(seed)
        self.elements = elements
        self.lines = []
        self.loops = 0
        self.counters = []
        self.helpers = []
        self.budget = 0
        self.can_return = True

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def atom(self):
        r = self.r
        names = NAMES + self.counters
        return r.choice(names) if r.random() < 0.75 else str(r.randint(0, 9))

    def value(self, depth=0):
        r = self.r
        kind = r.random()
        if depth > 2 or kind < 0.3:
            return self.atom()
        if kind < 0.75:
            op = r.choice(["+", "-", "*", "&", "|", "^", "+", "-"])
            if op == "*":
                return f"(({self.value(depth + 1)} & 255) * ({self.value(depth + 1)} & 255))"
            return f"({self.value(depth + 1)} {op} {self.value(depth + 1)})"
        if kind < 0.83:
            return f"({self.value(depth + 1)} if {self.test(1)} else {self.value(depth + 1)})"
        if kind < 0.9:
            return f"{r.choice(['min', 'max'])}({self.value(2)}, {self.atom()})"
        if self.helpers and kind < 0.97:
            name = r.choice(self.helpers)
            return f"{name}({self.value(2)}, {self.value(2)})"
        return f"(-{self.atom()})"

    def test(self, depth=0):
        r = self.r
        kind = r.random()
        if depth < 2 and kind < 0.2:
            word = r.choice(["and", "or"])
            return f"({self.test(depth + 1)} {word} {self.test(depth + 1)})"
        if depth < 2 and kind < 0.27:
            return f"(not {self.test(depth + 1)})"
        if kind < 0.32:
            return r.choice(["FLAG", "(FLAG and K > 2)", "K == 3", "not FLAG"])
        op = r.choice(["<", "<=", ">", ">=", "==", "!="])
        left, right = self.atom(), self.atom()
        if left.isdigit() and right.isdigit():
            left = "a"
        return f"{left} {op} {right}" if r.random() < 0.7 else f"({left} & 3) {op} ({right} & 3)"

    def assign(self, depth):
        r = self.r
        name = r.choice(NAMES)
        kind = r.random()
        if kind < 0.6:
            self.line(depth, f"{name} = ({self.value()}) & {MASK}")
        elif kind < 0.75:
            self.line(depth, f"{name} {r.choice(['+', '-', '^', '|'])}= {self.atom()}")
            self.line(depth, f"{name} &= {MASK}")
        elif kind < 0.8:
            self.line(depth, f"{name} = {self.assigning()} & {MASK}")
        elif kind < 0.9:
            one, two = r.sample(NAMES, 2)
            self.line(depth, f"{one}, {two} = {two}, ({self.value()}) & {MASK}")
        else:
            self.line(depth, f"if (t := ({self.value()}) & 7) > {self.atom()}:")
            self.line(depth + 1, f"{name} = t")

    def assigning(self):
        """A value that assigns a name on one path, or one on each."""
        name, other = self.r.sample(NAMES, 2)
        given = f"({name} := ({self.value()}) & {MASK})"
        value = f"({other} := ({self.value()}) & {MASK})" if self.r.random() < 0.4 else self.value(1)
        ways = [given, value]
        self.r.shuffle(ways)
        return f"({ways[0]} if {self.test(1)} else {ways[1]})"

    def block(self, depth, size):
        for _ in range(self.r.randint(1, size)):
            if not self.statement(depth):
                return

    def jump(self, depth):
        """A way out of a block; False: there is none here."""
        r = self.r
        words = ["break", "continue"] * (self.loops > 0) + ["return"] * (r.random() < 0.4 and self.can_return)
        if not words:
            return False
        word = r.choice(words)
        if word == "return" and self.returns:
            word = f"return ({self.value()}) & {MASK}"
        elif word == "return" and self.elements:
            word = "return a, b, c, d"
        self.line(depth, word)
        return True

    def branches(self, depth):
        r = self.r
        self.line(depth, f"if {self.test()}:")
        self.body(depth + 1, 3)
        while r.random() < 0.25:
            self.line(depth, f"elif {self.test()}:")
            self.body(depth + 1, 2)
        if r.random() < 0.5:
            self.line(depth, "else:")
            self.body(depth + 1, 3)

    def body(self, depth, size):
        self.block(depth, size)
        if self.r.random() < 0.3:
            self.jump(depth)

    def counter(self):
        self.serial += 1
        return f"i{self.serial}"

    def bounds(self):
        r = self.r
        low = r.choice(["0", "1", "(a & 3)", "(b & 1)"])
        high = r.choice(["(c & 7)", "(d & 3)", "3", "5", "(a & 3) + 2"])
        kind = r.random()
        if kind < 0.3:
            return high
        if kind < 0.6:
            return f"{low}, {high}"
        if kind < 0.8:
            return f"{low}, {high}, {r.choice(['2', '3', '(b & 1) + 1'])}"
        return f"{high}, {low}, -{r.choice(['1', '2'])}"

    def loop(self, depth):
        r = self.r
        kind = r.random()
        if kind < 0.5:
            counter = self.counter()
            self.line(depth, f"for {counter} in {r.choice(['range', 'tl.range'])}({self.bounds()}):")
        elif kind < 0.62:
            counter = self.counter()
            self.line(depth, f"for {counter} in tl.static_range({r.choice(['3', '1, 4', '4, 0, -2', 'K'])}):")
        elif kind < 0.7:
            counter = self.counter()
            self.line(depth, f"for {counter} in ({self.atom()}, {self.atom()}, 7):")
        else:
            counter = None
            name = self.counter()
            self.line(depth, f"{name} = {self.atom()} & 7")
            if r.random() < 0.4:  # its names are visible in the loop and after it
                bound = r.choice(NAMES)
                given = f"({bound} := ({self.value()}) & {MASK})"
                more = f"{self.assigning() if r.random() < 0.3 else given} > {self.atom()} and "
                self.line(depth, f"while {more if r.random() < 0.6 else ''}({name} := {name} - 1) > 0:")
            else:
                self.line(depth, f"while {name} > 0 and {self.test(1)}:" if r.random() < 0.4 else f"while {name} > 0:")
                self.line(depth + 1, f"{name} -= 1")
        outer = self.counters[:]
        if counter:
            self.counters.append(counter)
        self.loops += 1
        self.body(depth + 1, 4)
        self.loops -= 1
        self.counters = outer
        if r.random() < 0.25:
            self.line(depth, "else:")
            self.body(depth + 1, 2)

    def statement(self, depth):
        r = self.r
        self.budget -= 1
        deep = depth > 5 or self.budget < 0
        kind = r.random()
        if deep or kind < 0.45:
            self.assign(depth)
        elif kind < 0.72:
            self.branches(depth)
        elif kind < 0.94:
            self.loop(depth)
        elif kind < 0.97:
            left = self.jump(depth)
            if left:
                return False
            self.line(depth, "pass")
        else:
            self.line(depth, "pass")
        return True

    def helper(self, index):
        self.budget, self.returns, self.serial = 8, True, 0
        self.lines += ["", "", "@triton.jit", f"def h{index}(a, b):"]
        self.line(1, "c = a ^ 5")
        self.line(1, "d = b & 3")
        self.block(1, 4)
        self.line(1, f"return ({self.value()}) & {MASK}")
        self.helpers.append(f"h{index}")

    def kernel(self):
        self.budget, self.returns, self.serial = 22, False, 0
        parameters = "a, n" if self.elements else "out, n, K: tl.constexpr, FLAG: tl.constexpr"
        self.lines += ["", "", "@triton.jit", f"def body({parameters}):"]
        if not self.elements:
            self.line(1, "a = tl.program_id(0)")
        self.line(1, "b = (a * 7 + n) & 15")
        self.line(1, "c = a >> 1")
        self.line(1, "d = n")
        self.block(1, 7)
        if self.elements:
            self.mapped()
            return
        for i, name in enumerate(NAMES):
            self.line(1, f"tl.store(out + tl.program_id(0) * 4 + {i}, {name})")

    def mapped(self):
        self.line(1, "return a, b, c, d")
        self.lines += ["", "", "@triton.jit", "def use(out, n):"]
        self.line(1, f"at = tl.arange(0, {PROGRAMS})")
        self.line(1, "r = tl.map_elementwise(body, at, n)")
        for i in range(len(NAMES)):
            self.line(1, f"tl.store(out + at * 4 + {i}, r[{i}])")

    def text(self):
        self.lines = ["import triton", "import triton.language as tl", "",
                      "K: tl.constexpr = 3", "FLAG: tl.constexpr = %s" % self.r.choice(["True", "False"])]
        for i in range(self.r.randint(0, 2)):
            self.helper(i)
        self.kernel()
        return "\n".join(self.lines) + "\n"


class Pointer:
    def __init__(self, memory, at=0):
        self.memory, self.at = memory, at

    def __add__(self, n):
        return Pointer(self.memory, self.at + n)


class Language:
    constexpr = int
    range = range
    static_range = range
    program = 0

    def program_id(self, axis):
        return self.program

    def store(self, pointer, value):
        pointer.memory[pointer.at] = value


class Triton:
    @staticmethod
    def jit(f):
        return f


def run_in_python(text, flag, n):
    memory = array.array("i", [-1] * PROGRAMS * 4)
    tl = Language()
    names = {"tl": tl, "triton": Triton}
    exec("\n".join(line for line in text.split("\n") if not line.startswith("import ")), names)
    for program in range(PROGRAMS):
        tl.program = program
        if "use" in names:
            memory[program * 4:program * 4 + 4] = array.array("i", names["body"](program, n))
        else:
            names["body"](Pointer(memory), n, 3, flag)
    return memory


def run_compiled(tilec, path, flag, n, device, folder, elements):
    out = os.path.join(folder, "out.npy")
    command = [tilec, "run", path, "--arg", f"out=full(-1):i32[{PROGRAMS * 4}]", "--arg", f"n={n}",
               f"--device={device}", "--save", f"out={out}"]
    if elements:
        command += ["--kernel=use", "--grid=1"]
    else:
        command += ["--kernel=body", f"--grid={PROGRAMS}", "-D", "K=3", "-D", f"FLAG={flag}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None, done.stderr
    with open(out, "rb") as file:
        data = file.read()
    memory = array.array("i")
    memory.frombytes(data[-PROGRAMS * 16:])
    return memory, ""


def main():
    tilec, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if os.environ.get("TILE_TEST_FULL"):
        count *= 20
    device = sys.argv[4] if len(sys.argv) > 4 else "cpu"
    elements = sys.argv[5:6] == ["elements"]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "flow.py")
        for k in range(seed, seed + count):
            text = Generator(k, elements).text()
            flag = "True" if "FLAG: tl.constexpr = True" in text else "False"
            with open(path, "w") as file:
                file.write(text)
            n = k % 11 + 2
            expected = run_in_python(text, flag == "True", n)
            found, errors = run_compiled(tilec, path, flag, n, device, folder, elements)
            if found != expected:
                wrong += 1
                print(f"seed {k}: {errors.strip() or 'differs from Python'}")
                if found:
                    print("  python ", list(expected)), print("  found  ", list(found))
    print(f"{count} kernels, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
