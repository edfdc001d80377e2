"""Lists the sources of the product, and finds the code in them."""
import os
import re

LAYERS = "ir frontend passes codegen runtime".split()
SOURCE = re.compile(r"\.(c|h|l|y|def)$")
# A comment, or a literal, in which no comment begins.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def read(root, *path):
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return file.read()


# The paths of all sources of the folders below `root`, relative to it.
def sources(root, folders=LAYERS):
    for top in folders:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(folder, name), root)


# The folder of a source. Generated sources of a room are in build/generated/ROOM.
def room_of(path):
    return os.path.dirname(path.removeprefix("generated/"))


# The rooms, with the names of their sources. The public header is no room's.
def rooms(root):
    found = {}
    for path in sources(root):
        if not path.startswith("runtime/include/"):
            found.setdefault(room_of(path), []).append(os.path.basename(path))
    return found


def code(text):
    return TOKEN.sub(lambda m: " " if m[0][0] == "/" else '""', text)
