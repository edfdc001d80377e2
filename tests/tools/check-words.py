#!/usr/bin/env python3
"""check-words.py ROOT -- facts live in tables: no list of words in a .c or .h is long.

A list is an array's initializer; a row of it with a text in it is a word. A list of more
than MOST_WORDS words belongs in the rows of a .def, which the array expands. A table of
functions that its own file defines, one function a row, is exempt.

A function that compares with more than MOST_WORDS words counts as such a list, too: it
should search a table. So does one whose cases return more than MOST_WORDS words.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rooms"))
from tree import TOKEN, read, sources  # noqa: E402

MOST_WORDS = 4
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
LIST = re.compile(r"(\w+)(?:\[[^\]]*\])+\s*=\s*\{")
FUNCTION = re.compile(r"^(?:static )?[\w *]*?(\w+)\(", re.M)
BODY = re.compile(r"^(?!typedef|struct|enum|union)[\w *]*?(\w+)\([^;{}]*\) \{\n(.*?)^\}", re.M | re.S)
COMPARISON = re.compile(r"\b(?:strcmp|strncmp|memcmp|word_is|is_method_of|has_modifier|scan_is_word|"
                        r"parser_accept_word)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?@")
RETURNED = re.compile(r"case [^:;]*:\s*return @;")


# The text with "@" for each literal, so that no bracket stands in one, and without
# comments and lines of the preprocessor.
def plain(text):
    text = TOKEN.sub(lambda m: {"/": " ", '"': "@", "'": "0"}[m[0][0]], text)
    return DIRECTIVE.sub("", text)


# The rows of the initializer that begins at `start`.
def rows(text, start):
    depth, row = 1, ""
    for c in text[start:]:
        depth += (c in "{([") - (c in "})]")
        if depth == 0:
            break
        if c == "," and depth == 1:
            yield row
            row = ""
        else:
            row += c
    if row.strip():
        yield row


def check(path, text):
    text = plain(text)
    functions = set(FUNCTION.findall(text))
    for found in LIST.finditer(text):
        words = [row for row in rows(text, found.end()) if "@" in row]
        own = [row for row in words if functions & set(re.findall(r"\w+", row))]
        if len(words) - len(own) > MOST_WORDS:
            yield f"{path}: {found[1]} has {len(words)} words, which are rows for a .def"


def chains(path, text):
    for name, body in BODY.findall(plain(text)):
        count = len(COMPARISON.findall(body))
        if count > MOST_WORDS:
            yield f"{path}: {name} compares with {count} words, which are rows of a table"
        count = len(RETURNED.findall(body))
        if count > MOST_WORDS:
            yield f"{path}: {name} returns {count} words in a switch, which are rows of a table"


def main():
    root = sys.argv[1]
    faults = [fault for path in sources(root) if path.endswith((".c", ".h"))
              for find in (check, chains) for fault in find(path, read(root, path))]
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
