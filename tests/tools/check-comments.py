#!/usr/bin/env python3
"""check-comments.py ROOT -- the subject of a comment is a thing that the code has.

So no comment of a source begins with a relative clause or a pronoun, "What", "Who", "It",
and no file's title does: "// dce.c -- removes ops that are not used."
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rooms"))
from tree import LAYERS, read, sources  # noqa: E402

TITLE = re.compile(r"// [\w.-]+ -- (what|who|where|that|those|of|such)\b")
BEGIN = re.compile(r"\s*// (What|Who|Where|That|Those|Of|Such|It|As)\b")
COMMENT = re.compile(r"\s*//")


# The numbers of the lines of `text` at which such a comment begins.
def faults(text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        begins = number == 1 or not COMMENT.match(lines[number - 2])
        if begins and (BEGIN.match(line) or TITLE.match(line)):
            yield number, line.strip()


def main():
    root = sys.argv[1]
    found = [f"{path}:{number}: no thing of the code is its subject: {line}"
             for path in sources(root, LAYERS + ["tests", "examples", "demo"])
             for number, line in faults(read(root, path))]
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
