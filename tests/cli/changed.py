#!/usr/bin/env python3
"""Compares exit code, messages and results of command lines with one argument changed.

    changed.py BIN PART OF          compares with changed.txt
    changed.py BIN --write          writes changed.txt anew

Each argument of a command of changed.txt is left out, spelled wrong, or given another value.
A hash makes one letter of the exit code, both streams, the names of the files that were written
and the contents of small ones.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "changed.txt"
TEXTS = (".h", ".d", ".tir")
FILES = {
    "add.py": """import triton
import triton.language as tl
from helpers import twice

@triton.autotune(configs=[triton.Config({'BLOCK': 16}), triton.Config({'BLOCK': 32}, num_warps=2)], key=['n'])
@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)) + tl.program_id(1), mask=i < n)

@triton.jit
def fill(x, a: tl.float32, BLOCK: tl.constexpr = 8):
    tl.device_assert(a > 0)
    tl.store(x + tl.program_id(1) * BLOCK + tl.arange(0, BLOCK), a)

@triton.jit
def many(p, q: tl.float64, pair, D, none, N: tl.constexpr, T: tl.constexpr):
    x = D.load([0, 0])
    for i in tl.static_range(len(pair)):
        if i != 1 and i != 3:
            q += pair[i]
    tl.store(p, (q + tl.sum(tl.sum(x, 0), 0)).to(T) + N)
""",
    "lib/helpers.py": """import triton

@triton.jit
def twice(x):
    return x + x
""",
    "wrong.py": """import triton
import triton.language as tl

@triton.jit
def wrong(x, y):
    tl.store(x, y.
    tl.stroe(x, 1)

@triton.jit
def unknown(x: tl.int32):
    tl.store(x, z + tl.nothing)
""",
    "add.tir": """kernel @k(%p: ptr<i32>, %n: i32) {
  %one = constant {value = 1} : i32
  %two = addi %one, %one : i32
  %sum = addi %n, %two : i32
  store %p, %sum
  return
}
""",
    "variants.txt": "add(*fp32:16, *fp32:16, i32) BLOCK=16\nfill(*fp32, fp32)\nfill(*fp32:16, 2.5) BLOCK=4\n"
                    "many(*i64, fp64, (i32, None, 7, (u8, fp32)), tensordesc<fp16[8, 16]>, None, -3, fp16)\n"
                    "many(*u8:16, fp64, (i64,), tensordesc<fp16[8, 16]>, *fp32, 2, bf16)\n",
}


def variants(words):
    """The command as it is, and with one to three changes of each argument, by turns."""
    yield words
    for i in range(1, len(words)):
        word = words[i]
        if i % 3:
            yield words[:i] + words[i + 1:]
        if "=" in word:
            head, value = word.split("=", 1)
            changes = [f"{head}=", f"{head}=x", f"{head}={value}1", f"{head[:-1]}={value}"]
        else:
            changes = [word + "x", word[:-1]]
        for change in changes[i % 2::2]:
            yield words[:i] + [change] + words[i + 1:]


def result_of(binaries, words, environment):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in FILES.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        done = subprocess.run([f"{binaries}/{words[0]}", *words[1:]], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        written = sorted((str(p.relative_to(root)), p.suffix in TEXTS and p.read_text())
                         for p in root.rglob("*") if p.is_file() and str(p.relative_to(root)) not in FILES)
    streams = (done.stdout + done.stderr).replace(folder.encode(), b"").replace(binaries.encode(), b"")
    streams = re.sub(rb"there are .*", b"", streams)  # counts of passes and the like grow
    if done.returncode in (70, 139, 134) or done.returncode < 0:
        print("crashes:", shlex.join(words))
    return done.returncode, streams, written


def letter_of(result):
    digest = hashlib.sha256(repr(result).encode()).digest()
    return base64.b64encode(digest)[:1].decode()


def main():
    binaries, rest = os.path.abspath(sys.argv[1]), sys.argv[2:]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TILE_CACHE_DIR": "off",
                   "TILE_TUNED_DIR": "off", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": ""}
    environment |= {k: v for k, v in os.environ.items() if k.startswith(("TILE_MUTANT", "TILE_REACHED"))}
    lines = [line.split("\t") for line in TABLE.read_text().splitlines()]
    write, wrong = rest == ["--write"], 0
    part, of = (0, 1) if write else map(int, rest)
    for n, (letters, command) in enumerate(lines):
        if n % of != part:
            continue
        found = ""
        for i, words in enumerate(variants(shlex.split(command))):
            result = result_of(binaries, words, environment)
            found += letter_of(result)
            if not write and letters[i:i + 1] != found[-1]:
                wrong += 1
                print(f"another result: {shlex.join(words)}\n{result}")
        lines[n][0] = found
    if write:
        TABLE.write_text("".join("\t".join(line) + "\n" for line in lines))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
