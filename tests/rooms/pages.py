#!/usr/bin/env python3
"""pages.py SOURCE -- each room has a page that says what holds there, and it does.

A room is a folder of sources. Its README.md has at most 60 lines of 80 columns; a file
that it names in backticks exists, in the room or by its path; a function that it names,
with "()", is in the sources of the layer. Its invariants are numbered I1, I2, ... without
gaps, and each is backed: by an assertion in the room, marked "// I1" behind it, or by a
file of tests that its text names. A mark without an invariant is an error, too.
"""
import os
import re
import sys

LAYERS = "ir frontend passes codegen runtime".split()
MOST_LINES, MOST_COLUMNS = 60, 80

FILE = re.compile(r"`([\w./-]+\.(?:c|h|def|l|y|md|py|sh|tir|tile|txt))`")
FUNCTION = re.compile(r"`(\w+)\(\)`")
INVARIANT = re.compile(r"^- I(\d+): ((?:.|\n(?=  ))*)", re.M)
MARK = re.compile(r"assert\((?:[^;]|;(?! *//))*?\);\s*// I(\d+)\b")


def is_source(name):
    return bool(re.search(r"\.(c|h|l|y|def)$", name))


def rooms(root):
    for layer in LAYERS:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            path = os.path.relpath(folder, root)
            if not path.startswith("runtime/include") and any(map(is_source, names)):
                yield path, sorted(filter(is_source, names))


def read(root, *path):
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return file.read()


def check_shape(text):
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        yield f"{len(lines)} lines, at most {MOST_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS:
            yield f"line {number} has {len(line)} columns"


def check_names(root, room, text, words):
    for name in FILE.findall(text):
        here = os.path.join(root, room, name)
        if not os.path.exists(here) and not os.path.exists(os.path.join(root, name)):
            yield f"no file {name}"
    for name in FUNCTION.findall(text):
        if name not in words:
            yield f"no function {name}"


def check_invariants(text, marks):
    invariants = [(int(number), body) for number, body in INVARIANT.findall(text)]
    numbers = [number for number, _ in invariants]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        yield f"invariants are numbered {numbers}"
    for number, body in invariants:
        tested = any(name.startswith("tests/") for name in FILE.findall(body))
        if number not in marks and not tested:
            yield f"no assertion and no test for I{number}"
    for number in sorted(marks - set(numbers)):
        yield f"an assertion is marked I{number}, which is not on the page"


def check(root, room, names, words):
    page = os.path.join(root, room, "README.md")
    if not os.path.exists(page):
        return ["no README.md"]
    text = read(root, page)
    sources = "\n".join(read(root, room, name) for name in names)
    marks = {int(number) for number in MARK.findall(sources)}
    return [*check_shape(text), *check_names(root, room, text, words),
            *check_invariants(text, marks)]


def main():
    root = sys.argv[1]
    found = list(rooms(root))
    words = {layer: set() for layer in LAYERS}
    for room, names in found:
        for name in names:
            words[room.split("/")[0]] |= set(re.findall(r"\w+", read(root, room, name)))
    # Tables make names of rows: build_addf(), rule_INTS(), exec_addi().
    rows = set().union(*words.values())
    failed = False
    for room, names in found:
        known = words[room.split("/")[0]]
        known = known | {p + w for p in ("build_", "exec_", "rule_") for w in rows & known}
        for problem in check(root, room, names, known):
            print(f"{room}/README.md: {problem}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
