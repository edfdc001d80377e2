#!/usr/bin/env python3
"""pages.py SOURCE -- checks that each room has a page and that the page is true.

A room is a folder of sources; a folder of rooms alone has a page, too. The README.md has at
most 60 lines of 80 columns, and the SECTIONS, in this order; a file that it names in backticks
exists, in the room or by its path; a type that it names, or a function, with "()", is in the
sources of the layer, and in the file that it is named with: `Type`, `function()` (`file.c`).
Its invariants are numbered I1, I2, ... without gaps, and each is backed: by an assertion in
the room, marked "// I1" behind it, or by a file of tests that its text names, and that says
"Backs I1 of ROOM." A mark without an invariant is an error, too. In docs/contributing.md the
glossary has words of the sources, and the path from a source to PTX is as the code has it.
"""
import collections
import os
import re
import sys

from tree import code, read, rooms

MOST_LINES, MOST_COLUMNS = 60, 80
SECTIONS = ["Data", "Entry points", "Invariants", "Not here"]

FILE = re.compile(r"`([\w./-]+\.(?:c|h|def|l|y|md|py|sh|tir|tile|txt))`")
FUNCTION = re.compile(r"`(\w+)\(\)`")
TYPE = re.compile(r"`([A-Z]\w*[a-z]\w*)`")
NAME = r"`(?:\w+\(\)|[A-Z]\w*)`"
TOGETHER = re.compile(rf"((?:{NAME},\s+)*{NAME})\s\(`([\w./-]+\.[a-z]+)`")
INVARIANT = re.compile(r"^- I(\d+): ((?:.|\n(?=  ))*)", re.M)
BACKED = re.compile(r"\bBacks (I\d+[^.]*)\.")
OF_ROOM = re.compile(r"((?:I\d+(?:, | and )?)+) of ([a-z][\w/]*)")
MARK = re.compile(r"assert\((?:[^;]|;(?! *//))*?\);\s*// I(\d+)\b")


STEP = re.compile(r"^\| [^|]*\| ([^|]*\(\)[^|]*)\| ([^|]*)\|$", re.M)
PLACES = re.compile(r"`([\w/]+)` \(([^)]*)\)")

Words = collections.namedtuple("Words", "all functions")


def check_shape(text):
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        yield f"{len(lines)} lines, at most {MOST_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS:
            yield f"line {number} has {len(line)} columns"
    found = [title for title in re.findall(r"(?m)^## ([^,\n]+)", text) if title in SECTIONS]
    if found != SECTIONS:
        yield f"the sections are {found}"


# The path of a file that a page names; None if there is no such file.
def path_of(root, room, name):
    paths = [os.path.join(root, room, name), os.path.join(root, name)]
    return next(filter(os.path.exists, paths), None)


def check_names(root, room, text, words):
    for name in FILE.findall(text):
        if not path_of(root, room, name):
            yield f"no file {name}"
    for name in FUNCTION.findall(text):
        if name not in words.functions:
            yield f"no function {name}"
    for name in TYPE.findall(text):
        if name not in words.all:
            yield f"no type {name}"


# A file of tests is named with the function that it tests.
def check_places(root, room, text, made):
    for names, file in TOGETHER.findall(text):
        path = path_of(root, room, file)
        if not path or file.startswith("tests/"):
            continue
        words = set(re.findall(r"\w+", code(read(path))))
        for name in re.findall(r"\w+", names):
            if name not in words | made:
                yield f"{name} is not in {file}"


# The invariants that files of tests say they back, as (room, number), by file.
def read_backed(root):
    found = {}
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        for name in files:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "Backs I" in text:
                found[os.path.relpath(path, root)] = set(backed(text))
    return found


def backed(text):
    for sentence in BACKED.findall(re.sub(r"\s*\n\s*(?:#|//)?\s*", " ", text)):
        for numbers, room in OF_ROOM.findall(sentence):
            yield from ((room, int(number)) for number in re.findall(r"\d+", numbers))


def check_invariants(room, text, marks, tests):
    invariants = [(int(number), body) for number, body in INVARIANT.findall(text)]
    numbers = [number for number, _ in invariants]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        yield f"invariants are numbered {numbers}"
    for number, body in invariants:
        tested = any((room, number) in tests.get(name, ()) for name in FILE.findall(body))
        if number not in marks and not tested:
            yield f"no assertion for I{number}, and no test that says 'Backs I{number} of {room}.'"
    for number in sorted(marks - set(numbers)):
        yield f"an assertion is marked I{number}, which is not on the page"
    for name, pairs in sorted(tests.items()):
        for number in sorted(number for of, number in pairs if of == room):
            if number not in numbers:
                yield f"{name} backs I{number}, which is not on the page"


def check(root, room, names, words, made, tests):
    page = os.path.join(root, room, "README.md")
    if not os.path.exists(page):
        return ["no README.md"]
    text = read(root, page)
    sources = "\n".join(read(root, room, name) for name in names)
    marks = {int(number) for number in MARK.findall(sources)}
    return [*check_shape(text), *check_names(root, room, text, words),
            *check_places(root, room, text, made),
            *check_invariants(room, text, marks, tests)]


# The functions that tables make of their rows: build_addf(), rule_INTS(), exec_addi().
def made_functions(root):
    rows = set(re.findall(r"^\w+\((\w+)", read(root, "ir/op/ops.def"), re.M))
    rows |= set(re.findall(r"^\w+\((\w+)", read(root, "ir/op/rules.def"), re.M))
    return {prefix + row for prefix in ("build_", "exec_", "rule_") for row in rows}


# The words of each layer, and its functions and macros: names in front of a bracket.
def words_of(root, found, made):
    words = {}
    for room, names in found.items():
        known = words.setdefault(room.split("/")[0], Words(set(), set(made)))
        for name in names:
            text = code(read(root, room, name))
            known.all.update(re.findall(r"\w+", text))
            known.functions.update(re.findall(r"\b(\w+)\s*\(", text))
    return words


# The words of the glossary, a row each: "| **word** | ...", occur in some source.
def check_glossary(root, found):
    words = re.findall(r"^\| \*\*(\w+)\*\* \|", read(root, "docs/contributing.md"), re.M)
    text = " ".join(read(root, room, name) for room, names in found.items()
                    for name in names)
    used = set(re.findall(r"[a-z]+", text.lower()))
    missing = [word for word in words if word.lower() not in used]
    return missing if words else ["no glossary"]


# The rows of the path from a source to PTX: each function is defined in a file of its row, and
# named on the page of such a file's room.
def check_path(root, made):
    text = read(root, "docs/contributing.md")
    part = re.search(r"(?s)^## From a source to PTX\n(.*?)^## ", text, re.M)
    steps = STEP.findall(part[1]) if part else []
    for functions, places in steps:
        files = [os.path.join(room, name) for room, names in PLACES.findall(places)
                 for name in re.findall(r"[\w.]+", names)]
        missing = [name for name in files if not os.path.exists(os.path.join(root, name))]
        yield from (f"there is no {name}" for name in missing)
        sources = "\n".join(read(root, name) for name in files if name not in missing)
        pages = "\n".join(read(root, os.path.dirname(name), "README.md")
                          for name in files if name not in missing)
        for name in FUNCTION.findall(functions):
            if name not in made and not re.search(rf"(?m)^(?!#)[\w *]*\b{name}\(", sources):
                yield f"{name}() is in no file of its row"
            if f"`{name}()`" not in pages and name not in made:
                yield f"{name}() is on no page of its row"
    if not steps:
        yield "there is no path from a source to PTX"


def main():
    root = sys.argv[1]
    found = rooms(root)
    made = made_functions(root)
    words = words_of(root, found, made)
    tests = read_backed(root)
    failed = False
    for room in {os.path.dirname(room) for room in found} - found.keys() - {""}:
        found[room] = []
    for room in {room for pairs in tests.values() for room, _ in pairs} - found.keys():
        print(f"tests say that they back an invariant of {room}, which is no room")
        failed = True
    for room, names in sorted(found.items()):
        for problem in check(root, room, names, words[room.split("/")[0]], made,
                             tests):
            print(f"{room}/README.md: {problem}")
            failed = True
    for word in check_glossary(root, found):
        print(f"docs/contributing.md: no source says '{word}'")
        failed = True
    for problem in check_path(root, made):
        print(f"docs/contributing.md: {problem}")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
