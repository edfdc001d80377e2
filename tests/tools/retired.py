#!/usr/bin/env python3
"""retired.py TREE TILEC TILEC... -- counts instructions retired by 20 compilations.

The commands are spread over the RUN lines of TREE/tests/golden/ptx that every TILEC takes; each
command runs under callgrind, in TREE. A row has the counts, and by how much they differ from
those of the first TILEC. docs/decisions/0032-rooms-and-size.md has a run.
"""
import os
import re
import shlex
import subprocess
import sys

FOLDER = "tests/golden/ptx"
NUM = 20


def commands(tree):
    for name in sorted(os.listdir(os.path.join(tree, FOLDER))):
        path = os.path.join(FOLDER, name)
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            text = re.sub(r"\\\n# RUN:\s*", " ", file.read())
        for line in re.findall(r"(?m)^# RUN: tilec +([^|>\n]*)", text):
            words = shlex.split(line.replace("%s", path))
            if words[0] != "run" and "%" not in line.replace("%s", ""):
                yield words


def run(tree, *command):
    env = dict(os.environ, TILE_CACHE_DIR="off")
    return subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True)


def retired(tree, tilec, words):
    done = run(tree, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tilec, *words)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    tree, *tilecs = sys.argv[1:]
    tilecs = [os.path.abspath(tilec) for tilec in tilecs]
    taken = [w for w in commands(tree) if not any(run(tree, t, *w).returncode for t in tilecs)]
    picked = [taken[i * len(taken) // NUM] for i in range(NUM)]
    shares = []
    for words in picked:
        counts = [retired(tree, tilec, words) for tilec in tilecs]
        shares.append([100 * count / counts[0] - 100 for count in counts[1:]])
        text = " ".join(w for w in words if w not in ("-o", "-")).replace(FOLDER + "/", "")
        cells = [f"`{text}`", *(f"{c:,}" for c in counts), *(f"{s:+.2f} %" for s in shares[-1])]
        print("|", " | ".join(cells), "|", flush=True)
    for share in zip(*shares):
        print(f"mean {sum(share) / NUM:+.2f} %, from {min(share):+.2f} to {max(share):+.2f} %")


main()
