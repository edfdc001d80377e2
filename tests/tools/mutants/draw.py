"""draw.py -- draws mutants: places by a seed, in an area or in changed lines."""
import bisect
import json
import random
import re
import shlex
import subprocess

import rows
import sites
from tree import SOURCE

AREAS = {
    "frontend": ("frontend/",), "ir": ("ir/",), "passes": ("passes/",), "codegen": ("codegen/",),
    "simulator": ("runtime/simulator/",), "runtime": ("runtime/",),
}
DEFINE = re.compile(r"^\s*#\s*define\s+([A-Za-z_]\w*)\(", re.M)
KNOWN_MACROS = {"assert", "offsetof", "va_arg", "va_start", "va_end", "va_copy", "sizeof", "alignof"}


def area_of(name):
    return next((a for a, heads in AREAS.items() if name.startswith(heads)), None)


class Mutant:
    def __init__(self, name, line, rule, before, after):
        self.area, self.name, self.line, self.rule = area_of(name), name, line, rule
        self.before, self.after = " ".join(before.split()), " ".join(after.split())
        self.number, self.change, self.new_line = 0, None, None
        self.noticed, self.how, self.quick, self.reached, self.broken = None, None, None, 0, False

    def told(self):
        return f"{self.name}:{self.line}: {self.rule}: {self.before}  =>  {self.after or '(nothing)'}"


class Drawer:
    def __init__(self, tree, seed, changed):
        self.random, self.root = random.Random(seed), tree.root
        self.texts = {n: text.decode() for n, text in sorted(tree.sources.items()) if area_of(n)}
        self.files, self.taken, self.lines_taken = {}, {}, set()
        commands = (tree.build / "compile_commands.json").read_text()
        self.arguments = {c["file"]: c for c in json.loads(commands)}
        self.macros = set(KNOWN_MACROS)
        for name, text in self.texts.items():
            if name.endswith((".h", ".c")):
                self.macros.update(DEFINE.findall(text))
        self.changed = changed  # name -> lines, or None

    # -- Switches --------------------------------------------------------------

    def parsed(self, name):
        if name not in self.files:
            command = self.arguments.get(str(self.root / name))
            if not command:
                return None
            words = shlex.split(command["command"])
            words = [w for w in words[1:] if w not in ("-c", "-Werror", str(self.root / name))]
            at = words.index("-o") if "-o" in words else None
            words = words[:at] + words[at + 2:] if at is not None else words
            if words and "ccache" in words[0]:
                words = words[1:]
            self.files[name] = sites.File(self.root / name, words, self.macros)
        return self.files[name]

    def line_of(self, name, offset):
        source = self.parsed(name).source
        return source.count(b"\n", 0, offset) + 1

    def is_wanted(self, name, change):
        if self.changed is None:
            return True
        first, last = self.line_of(name, change.start), self.line_of(name, change.end)
        return any(line in self.changed.get(name, ()) for line in range(first, last + 1))

    def is_free(self, name, change):
        return all(change.end <= a or b <= change.start for a, b in self.taken.get(name, ()))

    def draw_switch(self, names, sizes):
        """By a byte of a file, a function of it, a rule, and one change of that rule."""
        at = bisect.bisect(sizes, self.random.random() * sizes[-1])
        name = names[min(at, len(names) - 1)]
        file = self.parsed(name)
        if not file or not file.functions:
            return None
        which = self.random.choices(range(len(file.functions)), file.sizes())[0]
        found = [c for c in file.changes(which) if self.is_free(name, c) and self.is_wanted(name, c)]
        if not found:
            return None
        rule = self.random.choice(sorted({c.rule for c in found}))
        change = self.random.choice([c for c in found if c.rule == rule])
        return self.taken_by(name, change)

    def taken_by(self, name, change):
        self.taken.setdefault(name, []).append((change.start, change.end))
        mutant = Mutant(name, self.line_of(name, change.start), change.rule, *change.before)
        mutant.change = change
        return mutant

    def all_wanted(self, names, count):
        """In a random order, of the lines that are wanted."""
        found = []
        for name in names:
            file = self.parsed(name)
            for which in range(len(file.functions) if file else 0):
                found += [(name, c) for c in file.changes(which) if self.is_wanted(name, c)]
        self.random.shuffle(found)
        drawn = []
        for name, change in found:
            if len(drawn) < count and self.is_free(name, change):
                drawn.append(self.taken_by(name, change))
        return drawn

    def switches(self, area, count):
        names = [n for n in self.texts if area_of(n) == area and n.endswith(".c") and
                 (self.changed is None or n in self.changed)]
        sizes, total = [], 0
        for name in names:
            total += len(self.texts[name])
            sizes.append(total)
        if self.changed is not None:
            return self.all_wanted(names, count)
        drawn = []
        for _ in range(count * 20 if names else 0):
            if len(drawn) == count:
                break
            drawn += filter(None, [self.draw_switch(names, sizes)])
        return drawn

    # -- Rows ------------------------------------------------------------------

    def rows(self, area, count):
        names = [n for n in self.texts if area_of(n) == area and
                 n.endswith((".def", ".tile", ".y", ".l", ".c", ".h"))]
        lines = []
        for name in names:
            by_line = {}
            for line, rule, new in rows.changes(name, self.texts[name]):
                if self.changed is None or line in self.changed.get(name, ()):
                    by_line.setdefault(line, []).append((rule, new))
            lines += [(name, line, found) for line, found in by_line.items()]
        drawn = []
        for name, line, found in self.random.sample(lines, min(count, len(lines))):
            rule, new = self.random.choice(found)
            old = self.texts[name].split("\n")[line - 1]
            mutant = Mutant(name, line, rule, old, new)
            mutant.new_line = (old, new)
            drawn.append(mutant)
        return drawn


def lines_at(places):
    """The lines of FILE:LINE,FILE:FIRST-LAST,..."""
    found = {}
    for place in places.split(","):
        name, lines = place.rsplit(":", 1)
        first, last = (lines.split("-") * 2)[:2]
        found.setdefault(name, set()).update(range(int(first), int(last) + 1))
    return found


def changed_lines(since):
    """The lines of each file that differ from those of a commit."""
    text = subprocess.check_output(["git", "diff", "-U0", since, "--"], cwd=SOURCE, text=True)
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("+++ b/"):
            name = line[6:]
        m = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if m and name:
            first, count = int(m.group(1)), int(m.group(2) or 1)
            found.setdefault(name, set()).update(range(first, first + count))
    return found
