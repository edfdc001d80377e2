#!/usr/bin/env python3
"""commit_sizes.py FOLDER COMMIT|FROM..TO... -- tells how much code commits add to the product.

For each commit, or range of commits, the sources whose code it changes (not their includes or
comments alone) are compiled as they were before and after, Release, and the bytes of their text
and data are added up. FOLDER keeps a clone and a build. docs/decisions/0032-rooms-and-size.md has
a run.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "rooms"))

from tree import LAYERS, code  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include ["<].*\n', re.M)


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def git(*words):
    return output("git", "-C", ROOT, *words)


# The part of a source that the compiler makes code of, or None if there is none.
def essence(commit, path):
    if not path:
        return None
    text = INCLUDE.sub("", git("show", f"{commit}:{path}"))
    literals = re.findall(r'"(?:\\.|[^"\\\n])*"', text)
    return " ".join(code(text).split()), literals


# Pairs of paths, before and after; None: the source does not exist there.
def changed(before, after):
    lines = git("diff", "--name-status", "-M", before, after, "--", *LAYERS).splitlines()
    for line in lines:
        kind, *paths = line.split("\t")
        if not paths[-1].endswith(".c"):
            continue
        old = None if kind == "A" else paths[0]
        new = None if kind == "D" else paths[-1]
        if essence(before, old) != essence(after, new):
            yield old, new


# The bytes of text and data that the sources have at the commit.
def size_of(folder, commit, paths):
    source, build = os.path.join(folder, "src"), os.path.join(folder, "build")
    output("git", "-C", source, "checkout", "-q", "--detach", commit)
    output("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    targets = output("ninja", "-C", build, "-t", "targets", "all")
    made = re.findall(r"^(\S*(?:tab|yy)\.[ch]): ", targets, re.M)
    output("ninja", "-C", build, *made)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {os.path.relpath(row["file"], source): row for row in json.load(file)}
    total = 0
    for path in paths:
        if path not in commands:
            continue # a source for another system
        row = commands[path]
        target = os.path.join(build, "one.o")
        output("sh", "-c", re.sub(r" -o \S+", f" -o {target}", row["command"]),
               cwd=row["directory"])
        text, data = output("size", target).splitlines()[1].split()[:2]
        total += int(text) + int(data)
    return total


def main():
    folder, *ranges = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "src")):
        output("git", "clone", "-q", "--shared", ROOT, os.path.join(folder, "src"))
    all_before = all_after = 0
    for text in ranges:
        before, after = text.split("..") if ".." in text else (text + "^", text)
        pairs = list(changed(before, after))
        sizes = [size_of(folder, commit, [p[i] for p in pairs if p[i]])
                 for i, commit in enumerate((before, after))]
        all_before += sizes[0]
        all_after += sizes[1]
        title = git("log", "-1", "--format=%s", after).strip()
        print(f"| `{text}` | {title} | {len(pairs)} | {sizes[0]} | {sizes[1]} |"
              f" {sizes[1] - sizes[0]:+d} |", flush=True)
    print(f"together {all_after - all_before:+d}")


main()
