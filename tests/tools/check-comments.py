#!/usr/bin/env python3
"""check-comments.py ROOT -- the subject of a comment is a thing that the code has.

So no comment of a source begins with a relative clause or a pronoun, "What", "Who", "It",
and no file's title does: "// dce.c -- removes ops that are not used."
"""
import os
import re
import sys

FOLDERS = "ir frontend passes codegen runtime tests examples demo".split()
SOURCE = re.compile(r"\.([chly]|def)$")
TITLE = re.compile(r"// [\w.-]+ -- (what|who|where|that|those|of|such)\b")
BEGIN = re.compile(r"\s*// (What|Who|Where|That|Those|Of|Such|It|As)\b")
COMMENT = re.compile(r"\s*//")


def sources(root):
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(filter(SOURCE.search, names)):
                yield os.path.relpath(os.path.join(folder, name), root)


# The numbers of the lines of `text` at which such a comment begins.
def faults(text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        begins = number == 1 or not COMMENT.match(lines[number - 2])
        if begins and (BEGIN.match(line) or TITLE.match(line)):
            yield number, line.strip()


def main():
    root = sys.argv[1]
    found = 0
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in faults(file.read()):
                print(f"{path}:{number}: no thing of the code is its subject: {line}",
                      file=sys.stderr)
                found += 1
    return 1 if found else 0


sys.exit(main())
