#!/usr/bin/env python3
"""Compares the values that `--emit=module` prints with those that kernels print.

    shadow_modules.py TILEC FOLDER...

For each Python file below the folders, a kernel prints the values that the run of
the file knows, while it is compiled.  Where both know a value, it must be the same.
A value that may change later ("so far") is not compared.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from random_modules import ask_kernel, read_value


def is_value(text):
    try:
        return read_value(text) is not None
    except (SyntaxError, NameError):
        return False  # a type, or a thing of the host


def known_values(tilec, path):
    found = {}
    result = subprocess.run([tilec, "--emit=module", path, "-o", "-"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if result.returncode not in (0, 1):
        raise SystemExit(f"{path}: --emit=module ends with {result.returncode}\n{result.stderr}")
    for line in result.stdout.splitlines():
        name, equals, text = line.partition(" = ")
        if equals and is_value(text):
            found[name] = text
    return found


def main():
    tilec, folders = sys.argv[1], sys.argv[2:]
    files = known = both = wrong = 0
    for folder in folders:
        with tempfile.TemporaryDirectory() as copies:
            top = shutil.copytree(folder, os.path.join(copies, "files"))
            paths = [os.path.join(at, name) for at, _, names in os.walk(top) for name in names
                     if name.endswith(".py")]
            for path in sorted(paths):
                values = known_values(tilec, path)
                told = ask_kernel(tilec, path, values) if values else {}
                told = {name: text for name, text in told.items() if is_value(text)}
                files, known, both = files + 1, known + len(values), both + len(told)
                for name, text in told.items():
                    if read_value(text) == read_value(values[name]):
                        continue
                    wrong += 1
                    print(f"{os.path.relpath(path, top)}: {name} is {values[name]}, kernels are told {text}")
    print(f"{files} files: {known} values known, of which kernels are told {both}; {wrong} differ")
    if known == 0 or 2 * both < known:
        print("some must be known, and kernels be told half of them")
    return wrong != 0 or known == 0 or 2 * both < known


if __name__ == "__main__":
    sys.exit(main())
