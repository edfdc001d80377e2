#!/usr/bin/env python3
"""What `--emit=module` says of a module's values, beside what kernels are told.

    shadow_modules.py TILEC FOLDER...

For each Python file below the folders whose values the run of it knows, a kernel
prints them while it is compiled.  Where both know a value, it is the same one.
A value that may change later ("so far") is not asked for.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from random_modules import read_value

# Files in which the two differ, with the reason.
LISTED = {}


def run(tilec, *args):
    return subprocess.run([tilec, *args, "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace")


def is_value(text):
    try:
        return read_value(text) is not None
    except (SyntaxError, NameError):
        return False  # a type, or a thing of the host


def known_values(tilec, path):
    found = {}
    result = run(tilec, "--emit=module", path)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{path}: --emit=module ends with {result.returncode}\n{result.stderr}")
    for line in result.stdout.splitlines():
        name, equals, text = line.partition(" = ")
        if equals and is_value(text):
            found[name] = text
    return found


def told_values(tilec, path, names):
    """What a kernel at the file's end is told, by name."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    probe = os.path.join(os.path.dirname(path), "shadow_probe.py")
    with open(probe, "w", encoding="utf-8") as file:
        file.write(text + "\nimport triton as shadow_triton\nimport triton.language as shadow_tl\n")
        for name in names:
            file.write(f"\n\n@shadow_triton.jit\ndef shadow_{name}():\n    shadow_tl.static_print([{name}])\n")
    found = {}
    for name in names:
        result = run(tilec, "--emit=ir", probe, "--kernel", f"shadow_{name}")
        mark = ": remark: ("
        remark = [s for s in result.stderr.splitlines() if mark in s]
        if result.returncode == 0 and remark:
            text = remark[-1].partition(mark)[2].removesuffix(",)")
            if is_value(text):
                found[name] = text
    os.remove(probe)
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
                told = told_values(tilec, path, values)
                files, known, both = files + 1, known + len(values), both + len(told)
                for name, text in told.items():
                    where = f"{os.path.relpath(path, top)}: {name}"
                    if read_value(text) == read_value(values[name]) or where in LISTED:
                        continue
                    wrong += 1
                    print(f"{where} is {values[name]}, kernels are told {text}")
    print(f"{files} files: {known} values known, of which kernels are told {both}; {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
