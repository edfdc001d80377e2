#!/usr/bin/env python3
"""check-pairs.py ROOT -- a function that enters also leaves, on each path.

PAIRS has a row for each pair of calls. A function calls both equally often, and has no `return`
between them: only the statement that enters, and the one that leaves, may return.
"""
import os
import re
import sys

PAIRS = [
    ("gpu_enter", "gpu_leave"),
    ("walk_enter", "walk_leave"),
]
# `if (!level) return NULL;` directly behind the statement that enters.
NOT_ENTERED = re.compile(r"^;\s*if \(!\w+\) (return\b[^;]*;|\{.*?\})", re.S)
FUNCTION = re.compile(r"^\w[^;{}#]*?\b(\w+)\([^;{}]*\) \{\n(.*?)^\}", re.M | re.S)


def calls(text, name):
    return [m.start() for m in re.finditer(rf"\b{name}\(", text)]


def end_of_statement(body, at):
    ends = [body.find(mark, at) for mark in (";", "{") if body.find(mark, at) >= 0]
    return min(ends)


def start_of_statement(body, at):
    return max(body.rfind(mark, 0, at) for mark in (";", "{", "}")) + 1


def faults(body, enter, leave):
    first, last = calls(body, enter), calls(body, leave)
    if len(first) != len(last):
        yield f"{len(first)} of {enter}(), {len(last)} of {leave}()"
        return
    for a, b in zip(first, last):
        inner = body[end_of_statement(body, a):start_of_statement(body, b)]
        inner = NOT_ENTERED.sub("", inner)
        if a > b:
            yield f"{leave}() in front of {enter}()"
        elif re.search(r"\breturn\b", inner):
            yield f"returns between {enter}() and {leave}()"


def check(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    for function in FUNCTION.finditer(text):
        for enter, leave in PAIRS:
            if function[1] in (enter, leave):
                continue
            for fault in faults(function[2], enter, leave):
                yield f"{path}: {function[1]}(): {fault}"


def main():
    os.chdir(sys.argv[1])
    found = [fault
             for layer in ("ir", "frontend", "passes", "codegen", "runtime")
             for folder, _, names in os.walk(layer)
             for name in sorted(names) if name.endswith(".c")
             for fault in check(os.path.join(folder, name))]
    print(*found, sep="\n", end="")
    sys.exit(bool(found))


main()
