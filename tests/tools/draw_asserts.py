#!/usr/bin/env python3
"""draw_asserts.py [SEED [COUNT]] -- draws assertions of numbered invariants.

Prints COUNT (10) assertions, the same ones for a SEED, each with its place, its invariant
and the line of the room's page with that invariant. To see an assertion fire, break the code
that keeps the invariant and run a test of that room in a debug build; docs/testing.md has
such a run. A last line says how many lines of the product there are for each assertion.
"""
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "rooms"))

from tree import code, read, room_of, sources  # noqa: E402

MARKED = re.compile(r'assert\((?:"(?:\\.|[^"\\])*"|[^";])*\);\s*// (I\d+)\b')
CHECK = re.compile(r"\b(?:assert|diag_bug)\(")
INVARIANT = r"^- %s: ((?:.|\n(?=  ))*)"


def invariant(room, number):
    found = re.search(INVARIANT % number, read(ROOT, room, "README.md"), re.M)
    return " ".join(found[1].split()) if found else ""


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    marked, lines, checks = [], 0, 0
    for path in sorted(sources(ROOT)):
        if not path.endswith((".c", ".h")):
            continue
        text = read(ROOT, path)
        lines += text.count("\n")
        checks += len(CHECK.findall(code(text)))
        for found in MARKED.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            marked.append((path, line, found[1], " ".join(found[0].split())))
    for path, line, number, text in random.Random(seed).sample(marked, count):
        print(f"{path}:{line}: {text}\n    {invariant(room_of(path), number)}")
    print(f"{checks} assertions, one in {lines / checks:.0f} lines")


main()
