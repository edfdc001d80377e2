#!/usr/bin/env python3
"""Random windows: products that `tilec run` and NumPy compute, of pointers or by
descriptors that each program makes; some programs load sizes and strides.

    random_windows.py TILEC SEED COUNT

Each kernel multiplies matrices as people write it with pointers: rows that wrap
around, are cut off, replaced or masked, pointers that a loop moves or computes,
batches, any strides, sizes with ragged edges, clusters of blocks.  The simulator's
chip has TMA, and many of these tiles are windows of tensor maps; other tiles must be
right, too.  All numbers are small integers, so that each result is exact.
"""
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIP: Python has no NumPy")
    sys.exit(77)
from random_tiles import in_clusters

PARAMETERS = ["a", "b", "c", "M", "N", "K", "a_start", "a_batch", "a_row",
              "a_column", "b_start", "b_batch", "b_row", "b_column", "c_batch",
              "c_row", "table"]


class Matrix:
    """A matrix of `rows` by `columns` for each of `batches`, somewhere in an
    array."""

    def __init__(self, r, rng, batches, rows, columns):
        self.across = r.random() < 0.3
        shape = (columns, rows) if self.across else (rows, columns)
        pitch = shape[1] + r.choice([0, 0, 8, 16, r.randrange(8)])
        if r.random() < 0.6:
            pitch = (pitch + 7) // 8 * 8
        self.array = np.zeros((batches, shape[0], pitch), np.float16)
        self.array[:] = rng.integers(-3, 4, self.array.shape)
        self.start, self.batch, step = 0, shape[0] * pitch, pitch
        values = self.array[:, :, :shape[1]]
        special = r.random()
        if special < 0.06:  # from the last to the first
            self.start, step = (shape[0] - 1) * pitch, -pitch
            values = values[:, ::-1]
        elif special < 0.1:  # the first again and again
            step, values = 0, np.broadcast_to(values[:, :1], values.shape)
        self.row, self.column = (1, step) if self.across else (step, 1)
        self.values = values.transpose(0, 2, 1) if self.across else values
        self.values = self.values.astype(np.float64)


class Case:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.block = [r.choice([16, 32, 64, 64, 128]), r.choice([16, 32, 64, 64, 128]),
                      r.choice([16, 32, 64])]
        self.sizes = [self.size(b) for b in self.block]
        self.batches = r.choice([1, 1, 2, 3])
        m, n, k = self.sizes
        self.a = Matrix(r, rng, self.batches, m, k)
        self.b = Matrix(r, rng, self.batches, k, n)
        self.low = r.choice([0, 0, 0, 1, 2]) * self.block[2]
        self.warps, self.stages = r.choice([1, 2, 4, 4, 4, 8]), r.randrange(1, 5)
        self.pitch = n + r.choice([0, 0, 8, 3])

    def size(self, block):
        r = self.r
        if r.random() < 0.3:
            return block * r.randrange(1, 3)
        size = r.randrange(1, 2 * block + 1)
        return size if r.random() < 0.4 else (size + 7) // 8 * 8

    # -- The kernel --

    def edge(self, index, bound, block):
        """The text of the index for a load near an edge, and its mask or None.
        """
        r = self.r
        ways = [f"{index} % {bound}", f"tl.where({index} < {bound}, {index}, 0)",
                f"tl.minimum({index}, {bound} - 1)", "masked"]
        if self.sizes["MNK".index(bound)] % block == 0:
            ways.append(index)
        way = r.choice(ways)
        return (index, f"{index} < {bound}") if way == "masked" else (way, None)

    def load(self, name, mask):
        parts = [p for p in mask if p]
        if not parts:
            return f"tl.load({name})"
        other = self.r.choice(["", ", other=0.0"])
        return f"tl.load({name}, mask={' & '.join(parts)}{other})"

    def text(self):
        r = self.r
        bm, bn, bk = self.block
        m, m_mask = self.edge("m", "M", bm)
        n, n_mask = self.edge("n", "N", bn)
        whole = self.sizes[2] % bk == 0 and r.random() < 0.5
        way = r.choice(["rest", "step", "at", "early"])
        wide = r.choice(["", ".to(tl.int64)"])
        lines = [
            "import triton", "import triton.language as tl", "@triton.jit",
            f"def k({', '.join(PARAMETERS)}):",
            "    batch = tl.program_id(2)" + wide,
            f"    m = tl.program_id(0) * {bm} + tl.arange(0, {bm})",
            f"    n = tl.program_id(1) * {bn} + tl.arange(0, {bn})",
            f"    k = tl.arange(0, {bk})", f"    low = {self.low}",
            f"    am = {m}", f"    bn = {n}",
            f"    acc = tl.zeros(({bm}, {bn}), tl.float32)",
            "    first = k + low"]
        moved = "" if way != "early" else f" - {bk} * a_column"
        a = f"a + a_start + batch * a_batch{moved} + (am[:, None] * a_row + %s[None, :] * a_column)"
        moved = "" if way != "early" else f" - {bk} * b_row"
        b = f"b + b_start + batch * b_batch{moved} + %s[:, None] * b_row + bn[None, :] * b_column"
        move = [f"        a_at += {bk} * a_column", f"        b_at += {bk} * b_row"]
        if way == "at":
            lines += [f"    for at in range(low, K, {bk}):", "        now = at + k",
                      f"        a_at = {a % 'now'}", f"        b_at = {b % 'now'}"]
            left = ("now", "K")
        else:
            lines += [f"    a_at = {a % 'first'}", f"    b_at = {b % 'first'}"]
            if way == "rest":
                lines += [f"    for i in range(0, tl.cdiv(K - low, {bk})):"]
                left = ("first", f"K - i * {bk}")
            else:
                lines += [f"    for at in range(low, K, {bk}):"]
                left = ("k", "K - at")
        if way == "early":
            lines += move
        def inside(index):
            return None if whole else f"({left[0]}{index} < {left[1]})"
        x = self.load("a_at", [m_mask and f"({m_mask.replace('m <', 'm[:, None] <')})",
                               inside("[None, :]")])
        y = self.load("b_at", [n_mask and f"({n_mask.replace('n <', 'n[None, :] <')})",
                               inside("[:, None]")])
        lines += [f"        x = {x}", f"        y = {y}", "        acc = tl.dot(x, y, acc)"]
        if way in ("rest", "step"):
            lines += move
        self.less = r.choice([0, 0, 0, 1])
        lines += ["    c_at = c + batch * c_batch + m[:, None] * c_row + n[None, :]",
                  f"    tl.store(c_at, acc, mask=(m[:, None] < M) & (n[None, :] < N - {self.less}))"]
        return "\n".join(lines) + "\n"

    # -- The kernel, by descriptors --

    def described(self, seed):
        """The same product by descriptors, or None.  No other random number
        changes."""
        r = random.Random(f"{seed} described")
        matrices = {"a": self.a, "b": self.b}
        # A launch makes 1 a constant, and the language checks constant strides.
        pitches = [x.row * x.column for x in matrices.values()]  # one is 1
        if r.random() < 0.6 or min(*pitches, self.pitch) < 2:
            return None
        bm, bn, bk = self.block
        sizes = {"a": [("M", bm, "tl.program_id(0)"), ("K", bk, None)],
                 "b": [("K", bk, None), ("N", bn, "tl.program_id(1)")]}
        made, loads = [], []
        for name, x in matrices.items():
            rows, columns = sizes[name][::-1] if x.across else sizes[name]
            pitch = "column" if x.across else "row"
            made.append(f"{name}_at = tl.make_tensor_descriptor({name} + {name}_start + "
                        f"batch * {name}_batch, [{rows[0]}, {columns[0]}], [{name}_{pitch}, 1], "
                        f"[{rows[1]}, {columns[1]}])")
            at = ", ".join(f"{at} * {block}" if at else "at" for _, block, at in (rows, columns))
            loads.append(f"{name}_at.load([{at}])" + ".T" * x.across)
        self.less = r.choice([0, 0, 0, 1])
        above = [line for line in made if r.random() < 0.8]
        lines = ["import triton", "import triton.language as tl", "@triton.jit",
                 f"def k({', '.join(PARAMETERS)}):",
                 "    batch = tl.program_id(2)" + r.choice(["", ".to(tl.int64)"]),
                 f"    acc = tl.zeros(({bm}, {bn}), tl.float32)",
                 *["    " + line for line in above],
                 f"    for at in range({self.low}, K, {bk}):",
                 *["        " + line for line in made if line not in above],
                 f"        acc = tl.dot({loads[0]}, {loads[1]}, acc)",
                 f"    c_at = tl.make_tensor_descriptor(c + batch * c_batch, [M, N - {self.less}], "
                 f"[c_row, 1], [{bm}, {bn}])",
                 f"    c_at.store([tl.program_id(0) * {bm}, tl.program_id(1) * {bn}], acc)"]
        if self.is_aligned() and r.random() < 0.5:
            loaded = [i for i in range(3, len(PARAMETERS) - 1) if r.random() < 0.5]
            lines[4:4] = [f"    {PARAMETERS[i]} = tl.load(table + {i})" for i in loaded]
        return "\n".join(lines) + "\n"

    def is_aligned(self):
        """Are the numbers that a program loads aligned as a tensor map needs
        them?"""
        halves = [self.a.start, self.a.batch, self.a.row * self.a.column, self.b.start,
                  self.b.batch, self.b.row * self.b.column]
        return (all(x >= 0 and x % 8 == 0 for x in halves) and self.pitch % 4 == 0
                and self.sizes[0] * self.pitch % 4 == 0)

    # -- Both sides --

    def expected(self):
        m, n, k = self.sizes
        want = np.zeros((self.batches, m, self.pitch), np.float32)
        product = self.a.values[:, :, self.low:] @ self.b.values[:, self.low:]
        want[:, :, :n - self.less] = product[:, :, :n - self.less]
        return want

    def arguments(self, folder):
        m, n, k = self.sizes
        want = self.expected()
        arrays = dict(a=self.a.array, b=self.b.array, want=want.reshape(-1))
        for name, array in arrays.items():
            np.save(f"{folder}/{name}.npy", array)
        a, b = self.a, self.b
        values = dict(a=f"@{folder}/a.npy", b=f"@{folder}/b.npy", c=f"zeros:fp32[{want.size}]",
                      M=m, N=n, K=k, a_start=a.start, a_batch=a.batch,
                      a_row=a.row, a_column=a.column, b_start=b.start, b_batch=b.batch,
                      b_row=b.row, b_column=b.column, c_batch=m * self.pitch, c_row=self.pitch)
        table = [0, 0, 0, *list(values.values())[3:]]
        np.save(f"{folder}/table.npy", np.array(table, np.int32))
        values["table"] = f"@{folder}/table.npy"
        grid = f"{-(-m // self.block[0])},{-(-n // self.block[1])},{self.batches}"
        found = [f"--grid={grid}", f"--num-warps={self.warps}", f"--num-stages={self.stages}",
                 f"--reference=c={folder}/want.npy", "--tolerance=0"]
        for name, value in values.items():
            found += ["--arg", f"{name}={value}"]
        return found


def run(tilec, seed, folder):
    """Run a seed: is the result right, and has the kernel tensor maps?"""
    case = Case(seed)
    path = f"{folder}/k.py"
    with open(path, "w") as f:
        f.write(in_clusters(case.described(seed) or case.text(), seed))
    for name in os.listdir(folder):
        if name.endswith(".ptx"):
            os.remove(f"{folder}/{name}")
    settings = dict(TILE_SIM_CHIP="sm_90", TILE_SIM_THREADS="1", TILE_SIM_CHECKS="strict",
                    TILE_SIM_PTX=folder,
                    TILE_SIM_SCHEDULE=case.r.choice(["late", "early", str(case.r.randrange(1, 99))]))
    command = [tilec, "run", path, "--kernel=k", "--device=sim", *case.arguments(folder)]
    done = subprocess.run(command, env=dict(os.environ, **settings), timeout=300,
                          capture_output=True, text=True)
    modules = [open(f"{folder}/{n}").read() for n in os.listdir(folder) if n.endswith(".ptx")]
    if done.returncode:
        print(f"seed {seed}: {settings['TILE_SIM_SCHEDULE']}: exit code {done.returncode}")
        print("\n".join((done.stdout + done.stderr).splitlines()[:12]), flush=True)
        return False, False
    return True, len(modules) == 1 and "cp.async.bulk.tensor" in modules[0]


def main():
    tilec, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if os.environ.get("TILE_TEST_FULL"):
        count *= 25
    with tempfile.TemporaryDirectory() as folder:
        done = [run(tilec, s, folder) for s in range(seed, seed + count)]
    failed = sum(not right for right, _ in done)
    mapped = sum(maps for _, maps in done)
    print(f"{count} kernels, {failed} failed; {mapped} by tensor maps")
    sys.exit(failed > 0 or mapped < count // 4)


if __name__ == "__main__":
    main()
