#!/usr/bin/env python3
"""The rooms of the tree: who may use whom, checked, and shown.

    rooms.py check BUILD     includes and symbols keep to rooms.def, and the pages show it
    rooms.py table           the table of docs/contributing.md
    rooms.py picture         docs/rooms.svg

A room is a folder of sources; rooms.def has one row a room, those that others are built on
first. A file may include headers of its own room, and doors of the rooms that its row names.
The row also lists which headers of its room the doors include: those are shown to others, all
else is private. There are NUM_SHOWN of them, which only get less. A header in a layer's own
folder that a room of the layer includes leads only to rooms of the layer on which
this one is built, so not back to the room itself. The same holds for
symbols: what an object file of BUILD leaves undefined is defined in its own room or in one
that the row names. Within a room, no more than MOST_IN_CIRCLE sources use one another.
known-circles.txt lists the names that still point the other way; a line that is no longer
needed is an error, and so is a list of another length than NUM_KNOWN, which only gets less.

Backs I5 of frontend.
"""
import collections
import json
import os
import re
import subprocess
import sys

from circles import circles
from picture import picture
from tree import LAYERS, code, read, room_of, sources

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ROW = re.compile(r"ROOM\(" + r",".join([r'\s*"([^"]*)"'] * 5) + r"\s*\)")
MOST_FILES = 32
MOST_IN_CIRCLE = 12
NUM_KNOWN = 22
NUM_SHOWN = 83
MOST_DOORS = 2
# The functions of device.h; each kind of device defines one under the same
# name.
OPAQUE = {"DeviceKernel"}
# The driver's own names, in the device that calls it and in the simulator's driver, which
# includes no header of the device.
DRIVERS = re.compile(r"CU[A-Za-z]+")
# The last group of each is the name.
TYPES = [re.compile(pattern.replace("TYPEDEF", "(?:__extension__ )?typedef")
                    .replace("ARRAY", r"(?:\[[^\]]*\])*"), re.M) for pattern in (
    r"^\}\s*(\w+)ARRAY;",
    r"^[ \t]*(?:(?:static|const|extern|typedef|__extension__) )*(?:struct|union|enum) (\w+) \{",
    r"^[ \t]*TYPEDEF (?:struct|union|enum)\b[^;{}\n]*\{[^{}]*\} (\w+)ARRAY;",
    r"^([ \t]*)TYPEDEF (?:struct|union|enum)\b[^;{}\n]*\{(?s:.*?)^\1\}\s*(\w+);",
    r"^[ \t]*TYPEDEF (?!struct|union|enum)[^;{}()\[\]]*\W(\w+)ARRAY;",
    r"^[ \t]*TYPEDEF (?:struct|union|enum) (\w+\b)(?! \1;)[\s*]*(\w+)ARRAY;",
    r"^[ \t]*TYPEDEF (?!struct \w+ \w+;)[^;{}()]*\W(\w+)\(",
    r"^[ \t]*TYPEDEF [^;{}()]*\(\*(\w+)\)\(",
)]
# The library's API, and headers of other software.
PUBLIC = ("tile/", "llvm-c/")
SIMULATOR = ("runtime/simulator/", "generated/runtime/simulator/")

Room = collections.namedtuple("Room", "path uses doors shown what")


def read_rooms():
    text = re.sub(r"//.*", "", read(HERE, "rooms.def"))
    text = re.sub(r'"\s*\n\s*"', "", text)
    return {path: Room(path, uses.split(), doors.split(), set(shown.split()), what)
            for path, uses, doors, shown, what in ROW.findall(text)}


def read_known():
    known = set()
    for line in read(HERE, "known-circles.txt").splitlines():
        words = line.split("#")[0].split()
        if words:
            known.add(tuple(words))
    return known


def includes(path):
    return re.findall(r'(?m)^\s*#\s*include\s*(?:"|<(?=(?:%s)/))([^">]+)[">]' % "|".join(LAYERS),
                      read(ROOT, path))


# The headers that a header includes, directly or through others.
def reached(header):
    found, left = set(), [header]
    while left:
        new = {path for path in includes(left.pop())
               if path.endswith(".h") and not path.startswith(PUBLIC)} - found
        found |= new
        left += new
    return found


# The types that a file defines: structs and the like with a body, and other typedefs.
def types(text):
    return {m[m.re.groups] for pattern in TYPES for m in pattern.finditer(text)}


class Check:
    def __init__(self):
        self.rooms = read_rooms()
        self.known = read_known()
        self.needed = set()
        self.failed = False

    def fail(self, text):
        self.failed = True
        print(text, file=sys.stderr)

    # May a file of `user` use `name`, a header or a symbol, of `room`?  Other layers
    # may use the functions that a layer's porch declares, wherever they are defined.
    def use(self, user, room, name, where):
        layer = room.split("/")[0]
        uses = self.rooms[user].uses
        is_door = user.startswith(room + "/") and name in self.rooms[room].doors
        is_api = layer in uses and not user.startswith(layer + "/") and "." not in name
        if user == room or room in uses or is_door or is_api:
            return
        line = (user, room, name)
        if line in self.known:
            self.needed.add(line)
        else:
            self.fail(f"{where}: {user} may not use {name} of {room}")

    def check_rows(self):
        seen = set()
        for room in self.rooms.values():
            for used in room.uses:
                if used not in seen:
                    self.fail(f"rooms.def: {room.path} uses {used}, which is no row above it")
            seen.add(room.path)
            self.check_doors(room)
            self.check_shown(room)
        count = sum(len(room.shown) for room in self.rooms.values())
        if count != NUM_SHOWN:
            self.fail(f"rooms.def: {count} headers are shown by doors; NUM_SHOWN says {NUM_SHOWN}")

    # The headers of a room that its doors include, directly or through others.
    def check_shown(self, room):
        found, left = set(), [door for door in room.doors if door.endswith(".h")]
        while left:
            for header in includes(os.path.join(room.path, left.pop())):
                name = os.path.basename(header)
                if room_of(header) == room.path and name.endswith(".h") and \
                        name not in found and name not in room.doors:
                    found.add(name)
                    left.append(name)
        for name in sorted(found ^ room.shown):
            self.fail(f"rooms.def: {room.path} has {name} behind its doors, and does not say so"
                      if name in found else
                      f"rooms.def: no door of {room.path} shows {name}")

    # Tables do not count; headers in the layer's own folder may be shown to other
    # layers.
    def check_doors(self, room):
        count = sum(door.endswith(".h") for door in room.doors)
        if room.path not in LAYERS and count > MOST_DOORS:
            self.fail(f"rooms.def: {room.path} has {count} doors, {MOST_DOORS} at most")
        for door in room.doors:
            if not os.path.exists(os.path.join(ROOT, room.path, door)):
                self.fail(f"rooms.def: {room.path} has no {door}")

    def check_files(self):
        files = collections.Counter()
        for path in sources(ROOT):
            room = room_of(path)
            if room not in self.rooms:
                if not room.endswith("/include/tile"):
                    self.fail(f"{path}: rooms.def has no row for {room}")
                continue
            files[room] += 1
            for header in includes(path):
                self.check_include(path, room, header)
        for room, count in files.items():
            if count > MOST_FILES:
                self.fail(f"{room} has {count} files, {MOST_FILES} at most")

    def check_include(self, path, room, header):
        other, name = room_of(header), os.path.basename(header)
        if other == room or header.startswith(PUBLIC):
            return
        if other not in self.rooms:
            return self.fail(f"{path}: {header} is in no room")
        if name not in self.rooms[other].doors:
            self.fail(f"{path}: {name} is no door of {other}")
        self.use(room, other, name, path)
        if room.startswith(other + "/"):
            self.check_porch(path, room, header)

    # The rooms that a room uses, and those that these use.
    def built_on(self, room):
        found, left = set(), [room]
        while left:
            new = set(self.rooms[left.pop()].uses) & self.rooms.keys() - found
            found |= new
            left += new
        return found

    # A porch's header that a room of the layer includes leads only to rooms of the layer on
    # which this one is built; not back to itself.
    def check_porch(self, path, room, header):
        porch = room_of(header)
        for found in sorted(reached(header)):
            other = room_of(found)
            if other.startswith(porch + "/") and other not in self.built_on(room):
                self.fail(f"{path}: {header} leads to {found}, and {room} is not built on {other}")

    # No two types of the product have the same name.
    def check_types(self):
        files = collections.defaultdict(set)
        for path in sources(ROOT):
            if not path.endswith(".def"):
                for name in types(code(read(ROOT, path))) - OPAQUE:
                    files[name].add(path)
        for name, paths in sorted(files.items()):
            if len(paths) > 1 and not DRIVERS.fullmatch(name):
                self.fail(f"{name} is the name of several types: {' '.join(sorted(paths))}")

    def check_symbols(self, build):
        for objects in object_files(build):
            self.check_library(objects)

    # `objects`: of one library, by source.
    def check_library(self, objects):
        defined, wanted = {}, collections.defaultdict(set)
        for source, names in objects.items():
            for kind, name in names:
                if kind == "U":
                    wanted[source].add(name)
                elif kind.isupper():
                    defined[name] = source
        uses = collections.defaultdict(set)
        for source, names in sorted(wanted.items()):
            for name in sorted(names & defined.keys()):
                self.use(room_of(source), room_of(defined[name]), name, source)
                if room_of(source) == room_of(defined[name]):
                    uses[source].add(defined[name])
        for circle in circles(uses):
            self.check_circle(room_of(min(circle)), circle)

    def check_circle(self, room, circle):
        if len(circle) > MOST_IN_CIRCLE:
            names = " ".join(sorted(map(os.path.basename, circle)))
            self.fail(f"{room}: a circle of {len(circle)} files, {MOST_IN_CIRCLE} at most: {names}")

    def check_pages(self):
        for page, text in ("contributing.md", table()), ("rooms.svg", picture(self.rooms)):
            if text not in read(ROOT, "docs", page):
                self.fail(f"docs/{page} does not show what rooms.def says; {__file__} "
                          "prints the table and the picture")

    def finish(self):
        if len(self.known) != NUM_KNOWN:
            self.fail(f"known-circles.txt: {len(self.known)} names; NUM_KNOWN says {NUM_KNOWN}")
        for line in sorted(self.known - self.needed):
            self.fail(f"known-circles.txt: not needed any more: {' '.join(line)}")
        return 1 if self.failed else 0


# The compiler's object files and the simulator's, as {source: [(kind, name)]}.
def object_files(build):
    parts = {False: {}, True: {}}
    made = dict(objects_made(build))
    listing = subprocess.run(["nm", "-A", "-P"] + sorted(made), cwd=build, check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        path, name, kind = re.match(r"(.*?): (\S+) (\S)", line).groups()
        of_simulator = made[path].startswith(SIMULATOR) or "tilesim.dir" in path
        parts[of_simulator].setdefault(made[path], []).append((kind, name))
    return parts.values()


# The object files of the layers, each with the source that it is made of.
def objects_made(build):
    for row in json.loads(read(build, "compile_commands.json")):
        source = row["file"]
        for top in ROOT, os.path.abspath(build):
            source = source.removeprefix(top + "/")
        if source.removeprefix("generated/").split("/")[0] in LAYERS:
            made = re.search(r" -o (\S+\.o) ", row["command"])[1]
            yield os.path.relpath(os.path.join(row["directory"], made), build), source


def check(build):
    checks = Check()
    checks.check_rows()
    checks.check_files()
    checks.check_types()
    checks.check_symbols(build)
    checks.check_pages()
    return checks.finish()


def table():
    text = "| room | what it is |\n|---|---|\n"
    for room in read_rooms().values():
        text += f"| `{room.path}` | {room.what} |\n"
    return text


def main():
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "check":
        return check(words[1])
    if words in (["table"], ["picture"]):
        print(table() if words[0] == "table" else picture(read_rooms()), end="")
        return 0
    print(__doc__, file=sys.stderr)
    return 2


sys.exit(main())
