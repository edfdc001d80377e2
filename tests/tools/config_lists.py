#!/usr/bin/env python3
"""Counts the configuration lists of public packages that only host code knows.

    config_lists.py [--each] FOLDER... -- TILEC...

A FOLDER is a package, unpacked, as for packages.py.  `tilec --emit=reflect-json` tells the configurations of every
kernel of each file that names `autotune` and `jit`.  Printed are the numbers of lists, of lists that are "computed",
and of lists with a configuration or a value that is, for each tilec; with --each also the kernels whose list is.
"""
import json
import os
import subprocess
import sys

SECONDS = 40


def files(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(n for n in names if n.endswith(".py")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "autotune" in text and "jit" in text:
                yield path


def reflect(tilec, root, path):
    command = [tilec, "--emit=reflect-json", "-I", os.path.dirname(os.path.abspath(root)), "-o", "-", path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return []
    return json.loads(done.stdout)["kernels"] if not done.returncode else []


def kind(configurations):
    if isinstance(configurations, dict):
        return "computed"
    return "in part" if '"computed"' in json.dumps(configurations) else "known"


def count(tilec, root, paths):
    lists = []
    for path in paths:
        for kernel in reflect(tilec, root, path):
            if "configurations" in kernel:
                lists.append((kind(kernel["configurations"]), path, kernel["name"], kernel["configurations"]))
    return lists


def main():
    each = "--each" in sys.argv
    given = [a for a in sys.argv[1:] if a != "--each"]
    at = given.index("--")
    total = {}
    for root in (r.rstrip("/") for r in given[:at]):
        paths = list(files(root))
        for tilec in map(os.path.abspath, given[at + 1:]):
            lists = count(tilec, root, paths)
            numbers = [sum(k == x for k, *_ in lists) for x in ("known", "in part", "computed")]
            total[tilec] = [a + b for a, b in zip(total.get(tilec, [0, 0, 0]), numbers)]
            print(f"{os.path.basename(root)}, {tilec}: {len(lists)} lists, {numbers[2]} computed, {numbers[1]} in part",
                  flush=True)
            for state, path, name, what in lists if each else []:
                if state == "computed":
                    print(f"    {path}, {name}: {what['computed']}")
    for tilec, (known, part, computed) in total.items():
        print(f"all, {tilec}: {known + part + computed} lists, {computed} computed, {part} in part")


if __name__ == "__main__":
    main()
