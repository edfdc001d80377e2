#!/usr/bin/env python3
"""mutate.py -- would the tests notice a fault of the compiler?

Makes mutants of the product by rule, one small change each, and runs the tests on
them. All mutants but those of table rows are in one build with a switch for each:

    mutate.py --seed=1 --area=passes --count=100
    mutate.py --since=main                        # of the lines that a branch changed

Run by hand, outside of ./check; needs libclang for Python (python3-clang). The copy
that is built lies in --work, and is kept there for the next run. docs/testing.md has more.
"""
import argparse
import collections
import json
import os
import pathlib
import resource
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "mutants"))

import draw  # noqa: E402
import hunt  # noqa: E402
import second  # noqa: E402
import suite  # noqa: E402
from tree import Tree  # noqa: E402

SWITCHES = 4096
PRODUCT = ["tilec", "tile-opt", "tilesim", "tilert"]
EQUIVALENT = HERE / "mutants" / "equivalent.txt"
BEGAN = time.monotonic()


def say(text):
    print(f"[{(time.monotonic() - BEGAN) / 60:5.1f} min] {text}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("--count", type=int, default=150, help="of each area")
    add("--area", default=",".join(draw.AREAS), help="of " + ", ".join(draw.AREAS))
    add("--since", metavar="COMMIT", help="only in lines that differ from those of COMMIT")
    add("--at", metavar="FILE:LINE,...", help="only in these lines; FILE:FIRST-LAST, too")
    add("--rows", type=int, default=10, metavar="PERCENT", help="of the sample in tables, at most 20")
    add("--only", default="", metavar="REGEX", help="tests that run")
    add("--without", default="", metavar="REGEX", help="tests that do not")
    add("--slowest", type=float, default=1e9, metavar="SECONDS",
        help="no test that took more CPU time than that, the last time")
    add("--no-second", action="store_true", help="no second look by a sanitized build")
    add("--jobs", type=int, default=os.cpu_count())
    add("--work", default=str(pathlib.Path(tempfile.gettempdir()) / "tile-mutants"))
    add("--list", action="store_true", help="print the sample and end")
    return parser.parse_args()


# -- The build ---------------------------------------------------------------------


def switched(source, mutants):
    """The text of a file with a switch for each of its mutants."""
    for mutant in sorted(mutants, key=lambda m: -m.change.start):
        change = mutant.change
        text = change.text.replace("TILE_MUTANT(%d)", f"TILE_MUTANT({mutant.number})", 1)
        lost = source[change.start:change.end].count(b"\n") - text.count("\n")
        source = source[:change.start] + text.encode() + b"\n" * max(lost, 0) + source[change.end:]
    return source


def put_switches(tree, mutants, targets):
    """Build all mutants; leave out those that do not compile."""
    while True:
        by_file = collections.defaultdict(list)
        for mutant in mutants:
            by_file[mutant.name].append(mutant)
        for name, those in by_file.items():
            tree.put_mutated(name, switched(tree.sources[name], those))
        errors = tree.make(*targets)
        if not errors:
            return mutants
        bad = {m for name, line in errors for m in closest(by_file.get(name, []), line)}
        say(f"{len(bad)} do not compile")
        if not bad:
            raise SystemExit(f"the copy does not compile: {errors[:3]}")
        mutants = [m for m in mutants if m not in bad]
        for name in {m.name for m in bad}:
            tree.put_mutated(name, tree.sources[name])


def closest(mutants, line):
    """The mutants of a file that are in an error's line, or nearest before it."""
    before = [m.line for m in mutants if m.line <= line]
    wanted = max(before) if before else min((m.line for m in mutants), default=0)
    return [m for m in mutants if m.line == wanted]


def builder(tree):
    """Return build(), which puts rows into the copy, and takes out those of
    its last call."""
    kept = {}

    def build(mutants, targets):
        for name, content in kept.items():
            tree.put(name, content)
        kept.clear()
        for mutant in mutants:
            name, more = tree.text_of(mutant.name)
            kept.setdefault(name, (tree.root / name).read_bytes())
            lines = (tree.root / name).read_text().split("\n")
            if lines[mutant.line - 1 + more] == mutant.new_line[0]:
                lines[mutant.line - 1 + more] = mutant.new_line[1]
                tree.put(name, "\n".join(lines).encode())
        try:
            return not tree.make(*targets)
        except Exception as error:
            say(f"not built: {str(error)[-200:]}")
            return False

    return build


# -- The report --------------------------------------------------------------------


def equivalents():
    """Read {(file, before, after): the reason why no input can differ}."""
    found = {}
    if EQUIVALENT.exists():
        for line in EQUIVALENT.read_text().splitlines():
            parts = [p.strip() for p in line.split("||")]
            if len(parts) == 4:
                found[tuple(" ".join(p.split()) for p in parts[:3])] = parts[3]
    return found


def share(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def report(mutants, options):
    why = equivalents()
    for mutant in mutants:
        mutant.equivalent = None if mutant.noticed else why.get((mutant.name, mutant.before, mutant.after))
    print("\n| area | mutants | noticed | of those that differ | by tests under a second | reached |")
    print("|---|---|---|---|---|---|")
    for area in options.area.split(",") + ["all"]:
        those = [m for m in mutants if area in (m.area, "all")]
        noticed = [m for m in those if m.noticed]
        differ = [m for m in those if not m.equivalent]
        print(f"| {area} | {len(those)} | {share(len(noticed), len(those))} "
              f"| {share(len(noticed), len(differ))} | {share(sum(m.quick for m in noticed), len(noticed))} "
              f"| {share(sum(bool(m.reached or m.new_line) for m in those), len(those))} |")
    for title, chosen in (
            ("Survivors", lambda m: not m.noticed and not m.equivalent),
            ("Equivalents", lambda m: m.equivalent)):
        those = sorted(filter(chosen, mutants), key=lambda m: (m.name, m.line))
        print(f"\n{title}: {len(those)}\n")
        for m in those:
            print(m.told() + (f"  ({m.equivalent})" if m.equivalent else
                              "" if m.new_line else f"  [{m.reached} tests]"))


def keep(mutants, options):
    rows = [{k: v for k, v in vars(m).items() if k not in ("change", "new_line")} for m in mutants]
    path = pathlib.Path(options.work) / f"mutants-{options.seed}.json"
    path.write_text(json.dumps(rows, indent=1))


# -- All of it ---------------------------------------------------------------------


def prepare(options):
    """Make the copy, build the unchanged product, and list the places of
    mutants."""
    tree = Tree(options.work, options.jobs)
    tree.copy()
    tree.configure()
    if tree.make(*PRODUCT, *([] if suite.are_built(tree.build) else ["all"])):
        raise SystemExit("the tree does not compile")
    say("the copy is built")
    changed = draw.changed_lines(options.since) if options.since else None
    return tree, draw.Drawer(tree, options.seed, draw.lines_at(options.at) if options.at else changed)


def sample(drawer, options):
    switches, rows = [], []
    in_rows = options.count * min(options.rows, 20) // 100
    for area in options.area.split(","):
        those = drawer.rows(area, in_rows)
        rows += those
        switches += drawer.switches(area, options.count - len(those))
    return switches, rows


def number(switches):
    for i, mutant in enumerate(switches):
        mutant.number = i + 1
    if len(switches) >= SWITCHES:
        raise SystemExit(f"a build has at most {SWITCHES - 1} mutants")


def main():
    options = arguments()
    tree, drawer = prepare(options)
    switches, rows = sample(drawer, options)
    drawer.files.clear()  # frees the parsed trees
    number(switches)
    if options.list:
        return print("\n".join(m.told() for m in switches + rows))
    times = pathlib.Path(options.work) / "times.json"
    tests = suite.listed(tree.build, options.only, options.without)
    tests = suite.known_quick(tests, times, options.slowest)
    targets = tree.needed(tests)
    switches = put_switches(tree, switches, targets)
    say(f"{len(switches)} mutants with a switch are built, {len(rows)} are in tables")
    good = suite.measure(tests, options.jobs, SWITCHES, say)
    good = [t for t in good if t.cpu <= options.slowest]
    suite.keep_times(tests, times)
    say(f"{len(good)} of {len(tests)} tests pass, {sum(t.cpu for t in good):.0f} s of CPU time; not: " +
        " ".join(f"{t.name} ({t.result})" for t in tests if t.result != "pass"))
    hunt.Hunt(switches, good, options.jobs, say).run()
    say(f"{sum(not m.noticed for m in switches)} with a switch survive")
    keep(switches, options)
    if not options.no_second:
        second.look(tree, switches, good, options.jobs, SWITCHES, say)
    keep(switches, options)
    hunt.Rebuilt(rows, good, options.jobs, builder(tree), targets, say).run()
    mutants = switches + [m for m in rows if not m.broken]
    keep(mutants, options)
    report(mutants, options)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    say(f"{(used.ru_utime + used.ru_stime) / 60:.0f} min of CPU time")


if __name__ == "__main__":
    main()
