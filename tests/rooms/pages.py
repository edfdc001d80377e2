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

from tree import code, read, rooms

MOST_LINES, MOST_COLUMNS = 60, 80

FILE = re.compile(r"`([\w./-]+\.(?:c|h|def|l|y|md|py|sh|tir|tile|txt))`")
FUNCTION = re.compile(r"`(\w+)\(\)`")
INVARIANT = re.compile(r"^- I(\d+): ((?:.|\n(?=  ))*)", re.M)
MARK = re.compile(r"assert\((?:[^;]|;(?! *//))*?\);\s*// I(\d+)\b")


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


# The functions and macros of each layer: names in front of a bracket, and names that
# tables make of their rows: build_addf(), rule_INTS(), exec_addi().
def functions(root, found):
    words = {}
    for room, names in found.items():
        known = words.setdefault(room.split("/")[0], set())
        for name in names:
            known |= set(re.findall(r"\b(\w+)\s*\(", code(read(root, room, name))))
    rows = set(re.findall(r"^\w+\((\w+)", read(root, "ir/op/ops.def"), re.M))
    rows |= set(re.findall(r"^\w+\((\w+)", read(root, "ir/op/rules.def"), re.M))
    made = {prefix + row for prefix in ("build_", "exec_", "rule_") for row in rows}
    return {layer: known | made for layer, known in words.items()}


# The words of the glossary, a row each: "| **word** | ...", occur in some source.
def check_glossary(root, found):
    words = re.findall(r"^\| \*\*(\w+)\*\* \|", read(root, "docs/contributing.md"), re.M)
    text = " ".join(read(root, room, name) for room, names in found.items()
                    for name in names)
    used = set(re.findall(r"[a-z]+", text.lower()))
    missing = [word for word in words if word.lower() not in used]
    return missing if words else ["no glossary"]


def main():
    root = sys.argv[1]
    found = rooms(root)
    words = functions(root, found)
    failed = False
    for room, names in found.items():
        for problem in check(root, room, names, words[room.split("/")[0]]):
            print(f"{room}/README.md: {problem}")
            failed = True
    for word in check_glossary(root, found):
        print(f"docs/contributing.md: no source says '{word}'")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
