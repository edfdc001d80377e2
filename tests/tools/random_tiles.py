#!/usr/bin/env python3
"""Random tiles: kernels that `tilec run` and NumPy execute.

    random_tiles.py TILEC SEED COUNT [DEVICE...]

A kernel loads, changes shapes, reduces, scans, sorts, multiplies and stores, in
loops and branches.  Its chip, warps, stages and order in the simulator are drawn,
too; where the chip has clusters, it runs in clusters of blocks.  Python runs the
same text over NumPy.  All numbers are integers, also those of floats, so that each
result is exact in any order.

The device `hopper` is the simulator of sm_90 with what this chip alone has: block
pointers become tensor descriptors, loops ask for roles, and programs share blocks.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIP: Python has no NumPy")
    sys.exit(77)
from numpy_tl import NUMPY, INTS, Pointer, Tile, TL
from random_tile_ops import Operations, size

HELPERS = '''
@triton.jit
def larger(a, b):
    return tl.maximum(a, b)

@triton.jit
def mixed(a, b):
    return a ^ b

@triton.jit
def line(m, b, n, c):
    return m * n, b * n + c

@triton.jit
def best(v, i, w, j):
    first = (v > w) | ((v == w) & (i < j))
    return tl.where(first, v, w), tl.where(first, i, j)

@triton.jit
def total(a, b, c, d):
    return a + c, b ^ d
'''


# -- The kernels --------------------------------------------------------------


class Generator(Operations):
    looping = 0.5  # how often a loop comes last
    least_products = 0  # of a loop

    def step(self, depth, env, counter=None):
        r = self.r
        v = self.pick(env)
        if not v or r.random() < 0.12:
            self.load(depth, env, None, None, counter)
            return
        if r.random() < 0.05:
            self.block(depth, env, counter)
            return
        ways = [(self.elementwise, 5), (self.shuffled, 6), (self.reduced, 4), (self.scanned, 3),
                (self.gathered, 3), (self.joined, 4), (self.sorted, 2), (self.counted_in, 1),
                (self.dot, 3), (self.kept, 1), (self.atomic, 1), (self.floating, 1)]
        way = r.choices([w for w, _ in ways], [n for _, n in ways])[0]
        if way == self.dot:
            self.dot(depth, env, None, counter)
        else:
            way(depth, env, v)

    def fold(self, depth, env, carried):
        """Combine a value of this shape with a value that the loop carries."""
        name, shape, dtype = carried
        w = self.ints(self.like(depth, env, shape), dtype)[0]
        self.line(depth, f"{name} = {name} {self.r.choice('+-^*')} {w}")

    def loop(self, depth, env):
        r = self.r
        carried = []
        for _ in range(r.randrange(1, 3)):
            v = self.pick(env, lambda s, t: t in INTS)
            if v:
                carried.append(self.let(depth, env, f"{v[0]} + 0", v[1], v[2]))
        products = []
        for _ in range(r.randrange(self.least_products, 3) if self.dots else 0):
            shape = (1 << r.randrange(*self.dot_bits), 1 << r.randrange(*self.dot_bits))
            dtype = r.choice(["float32", "float32", "int32"])
            name = self.name()
            self.line(depth, f"{name} = tl.zeros(({shape[0]}, {shape[1]}), tl.{dtype})")
            products.append((name, shape, dtype))
        counter = self.name()
        bound = r.choice(["n", "n", "n", "3", "1", "n - 1", "2 * n"])
        how = f", num_stages={r.randrange(1, 6)}" if r.random() < 0.3 else ""
        self.line(depth, f"for {counter} in tl.range(0, {bound}{how}):")
        self.inner += 1
        body = list(env)
        for _ in range(r.randrange(1, 5)):
            self.step(depth + 1, body, counter)
        for p in products:
            self.dot(depth + 1, body, None, counter, p)
        for c in carried:
            self.fold(depth + 1, body, c)
        if r.random() < 0.2 and self.inner < 2:
            self.loop(depth + 1, body)
        if not carried and not products:
            self.line(depth + 1, "pass")
        self.inner -= 1
        for name, shape, dtype in products:
            self.let(depth, env, f"{name}.to(tl.int32)", shape, "int32")

    def branch(self, depth, env):
        r = self.r
        v = self.pick(env, lambda s, t: t in INTS)
        if not v:
            return
        a = self.pick(env, lambda s, t: t == "int32")
        test = f"n > {r.randrange(0, 4)}"
        if a and r.random() < 0.6:
            test = f"(tl.sum({a[0]}.reshape({size(a[1])}), 0) & 1) == {r.randrange(2)}"
        c = self.let(depth, env, f"{v[0]} * 1", v[1], v[2])
        self.line(depth, f"if {test}:")
        self.inner += 1
        for way in range(r.choice([1, 2])):
            if way:
                self.line(depth, "else:")
            body = list(env)
            for _ in range(r.randrange(1, 4)):
                self.step(depth + 1, body)
            self.fold(depth + 1, body, c)
        self.inner -= 1

    def put(self, depth, env, v):
        r = self.r
        base, self.out = self.out, self.out + size(v[1])
        text, indices, _ = self.address(depth, v[1], True)
        mask = f", mask={self.mask(indices, env)}" if r.random() < 0.3 else ""
        self.line(depth, f"tl.store(out + {base} + tl.program_id(0) * ALL + ({text}), "
                         f"{v[0]}.to(tl.int32){mask})")

    def kernel(self):
        r = self.r
        self.fp8 = r.random() < 0.3
        env = []
        for _ in range(2):
            self.load(1, env)
        for _ in range(r.randrange(3, 12)):
            kind = r.random()
            if kind < 0.1:
                self.loop(1, env)
            elif kind < 0.16:
                self.branch(1, env)
            else:
                self.step(1, env)
        if r.random() < self.looping:
            self.loop(1, env)
        chosen = env[-3:] + r.sample(env, min(2, len(env)))
        for v in chosen:
            self.put(1, env, v)
        head = ["import triton", "import triton.language as tl", HELPERS, "@triton.jit",
                "def k(int32s, int16s, int8s, float16s, float32s, out, scratch, counts, n, s64):"]
        return "\n".join(head + self.lines).replace(" * ALL", f" * {self.out}") + "\n"


class HopperGenerator(Generator):
    """More and larger products, of more block pointers."""

    dot_bits = 5, 7
    looping = 1
    least_products = 1

    def __init__(self, seed):
        super().__init__(seed)
        self.dots = True

    def operand(self, depth, env, shape, dtype, counter):
        if len(shape) != 2 or dtype not in ("float16", "int8", "float32") or self.r.random() < 0.3:
            return super().operand(depth, env, shape, dtype, counter)
        if self.r.random() < 0.5:
            return self.block(depth, env, counter, shape, dtype)[0]
        return f"tl.trans({self.block(depth, env, counter, shape[::-1], dtype)[0]})"


# -- Both sides ---------------------------------------------------------------

BUFFERS = ["int32", "int16", "int8", "float16", "float32"]
ELEMENTS = 32768


class Jit:
    @staticmethod
    def jit(function):
        return function


def by_numpy(text, inputs, outputs, n, programs):
    names = {"triton": Jit, "tl": TL()}
    lines = [line for line in text.splitlines() if not line.startswith("import")]
    exec(compile("\n".join(lines), "kernel", "exec"), names)
    with np.errstate(all="ignore"):
        for program in range(programs):
            TL.program = program
            names["k"](*[Pointer(inputs[b], b) for b in BUFFERS],
                       *[Pointer(o, "int32") for o in outputs.values()],
                       Tile(n, "int32"), Tile(64, "int32"))


def make_inputs(seed):
    rng = np.random.default_rng(seed)
    high = dict(int32=20000, int16=20000, int8=8, float16=8, float32=8)
    return {b: rng.integers(0, high[b], ELEMENTS).astype(NUMPY[b]) for b in BUFFERS}


def arguments_of(folder, inputs, outputs, n):
    """The arguments of `tilec run`, with the files that they name."""
    arguments = ["--tolerance=0", "--arg", f"n={n}", "--arg", "s64=64"]
    for name, array in inputs.items():
        np.save(f"{folder}/{name}.npy", array)
        arguments += ["--arg", f"{name}s=@{folder}/{name}.npy"]
    for name, array in outputs.items():
        np.save(f"{folder}/{name}.npy", array)
        arguments += ["--arg", f"{name}=zeros:i32[{array.size}]",
                      "--reference", f"{name}={folder}/{name}.npy"]
    return arguments


def by_tilec(command, settings):
    try:
        done = subprocess.run(command, env=dict(os.environ, **settings), timeout=300,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    return done.returncode, done.stdout + done.stderr


def in_clusters(text, seed):
    """The kernel with a configuration in which several blocks share each
    program."""
    config = f"triton.Config({{}}, num_ctas={random.Random(seed).choice([1, 2, 4, 8])})"
    return text.replace("@triton.jit\ndef k(",
                        f"@triton.autotune([{config}], key=[])\n@triton.jit\ndef k(")


# A block pointer whose rows are contiguous, and its load.
BLOCK = re.compile(
    r"^( *)(v\d+) = tl\.make_block_ptr\((.+), \((\d+), (\d+)\), \(64, 1\), \((.+)\), "
    r"\((\d+), (\d+)\), \(1, 0\)\)\n\1(v\d+) = tl\.load\(\2, boundary_check=\(0, 1\)\)$", re.M)


def for_hopper(text, seed):
    """The kernel with descriptors in place of block pointers, with loops that ask for roles,
    and, one time in two, in clusters."""
    r = random.Random(f"{seed} hopper")

    def described(found):
        space, name, base, rows, columns, at, high, wide, value = found.groups()
        if int(wide) * NUMPY[base[:base.index("s + ")]].itemsize < 16 or r.random() < 0.2:
            return found[0]
        return (f"{space}{name} = tl.make_tensor_descriptor({base}, [{rows}, {columns}], [64, 1], "
                f"[{high}, {wide}])\n{space}{value} = {name}.load([{at}])")

    def with_roles(found):
        return f"{found[1]}, warp_specialize={r.choice(['True', 'True', 'False'])}):"

    text = re.sub(r"(for v\d+ in tl\.range\(.*)\):$", with_roles, BLOCK.sub(described, text),
                  flags=re.M)
    return in_clusters(text, seed) if r.random() < 0.5 else text


def run_on(device, command, settings, told_as):
    code, told = by_tilec([*command, f"--device={device}"], settings)
    if code == 0 or (code == 1 and "of this loop need" in told):
        return True
    print(f"{told_as}: {device}: exit code {code}")
    print("\n".join(told.splitlines()[:12]), flush=True)
    return False


def run(tilec, seed, devices, folder, plain=None):
    """Run a seed; with `plain`, which changes the text, as one program that
    runs all loops."""
    hopper = devices == ["hopper"]
    g, r = (HopperGenerator if hopper else Generator)(seed), random.Random(seed + 1)
    text, path = g.kernel(), f"{folder}/k.py"
    if plain:
        text = plain(text)
    with open(path, "w") as f:
        f.write(text)
    # Programs share `scratch` and the arrays of counts, so that one program
    # runs where these are used.
    programs = 1 if g.scratch or g.counted or plain else 2
    n, inputs = r.randrange(0, 5), make_inputs(seed)
    if plain:
        n = 4
    outputs = dict(out=2 * g.out, scratch=g.scratch, counts=g.counted)
    outputs = {name: np.zeros(max(size, 1), np.int32) for name, size in outputs.items()}
    by_numpy(text, inputs, outputs, n, programs)
    how = [f"--num-warps={r.choice([1, 2, 4, 4, 8])}", f"--num-stages={r.randrange(1, 6)}"]
    chips = ["sm_89"] if g.fp8 else ["sm_80", "sm_80", "sm_75", "sm_86", "sm_90"]
    settings = dict(TILE_SIM_CHIP=r.choice(chips), TILE_SIM_THREADS="1",
                    TILE_SIM_SCHEDULE=r.choice(["late", "early", str(r.randrange(1, 99))]))
    if settings["TILE_SIM_CHIP"] == "sm_90":
        with open(path, "w") as f:
            f.write(in_clusters(text, seed))
    if hopper:
        devices = ["sim"]
        settings.update(TILE_SIM_CHIP="sm_90", TILE_SIM_CHECKS="strict", TILE_SIM_PROCESSORS="1")
        how.append(f"--persist={r.choice(['auto', 'always', 'always', 'never'])}")
        with open(path, "w") as f:
            f.write(for_hopper(text, seed))
    command = [tilec, "run", path, "--kernel=k", f"--grid={programs}", *how,
               *arguments_of(folder, inputs, outputs, n)]
    told_as = f"seed {seed}: {settings}, n={n}, {how}"
    return all([run_on(device, command, settings, told_as) for device in devices])


def main():
    tilec, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    devices = sys.argv[4:] or ["sim"]
    if os.environ.get("TILE_TEST_FULL"):
        count *= 25
    with tempfile.TemporaryDirectory() as folder:
        failed = sum(not run(tilec, s, devices, folder) for s in range(seed, seed + count))
    print(f"{count} kernels, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
