#!/usr/bin/env python3
"""Writes forms.txt: instructions that ptxas accepts, and similar ones that it refuses.

    make_forms.py PTXAS >forms.txt

ptxas alone decides. From each row of instructions.def a form is kept if it has two words,
types or operands together that no form kept before has. Run by hand, after new instructions.
"""
import argparse
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))

import ptx_forms  # noqa: E402
from ptx_form_text import ROWS, text_of  # noqa: E402

# The chip, the version, how many forms of a row are tried, and how many accepted
# and refused ones are kept.
LISTS = [("sm_90a", "9.0", 600, 14, 20), ("sm_75", "9.0", 120, 3, 5), ("sm_80", "7.0", 120, 3, 4)]


def tried(row, chip, version, most, ptxas):
    """Ask ptxas about forms of the row: {form: whether ptxas takes it}."""
    search, found = ptx_forms.Search(row, most), {}
    while search.frontier:
        forms = search.frontier
        refused = ptx_forms.ptxas_refuses(ptxas, chip, version, [text_of(f) for f in forms])
        for i, form in enumerate(forms):
            if not (i not in refused and ptx_forms.is_lenient(text_of(form))):
                found[form] = i not in refused
        search.advance([f for i, f in enumerate(forms) if i not in refused])
        if len(search.seen) > 3 * most:
            break
    return found


def kept(found, taken, most):
    """Choose forms of one verdict: each line has a new pair of features."""
    forms = sorted((f for f in found if found[f] == taken), key=text_of)
    random.Random(1).shuffle(forms)
    together, out = set(), []
    for form in forms:
        pairs = set(itertools.combinations(ptx_forms.features(form), 2))
        if len(out) < most and not pairs <= together:
            together |= pairs
            out.append(text_of(form))
    return sorted(set(out))


def nearest(found, taken, most):
    """Choose refused forms that differ least from one that is taken."""
    good = [set(ptx_forms.features(f)) for f in found if found[f]][:400]
    bad = sorted((f for f in found if not found[f]), key=text_of)
    random.Random(2).shuffle(bad)
    bad = bad[:1500]

    def distance(form):
        mine = set(ptx_forms.features(form))
        return min((len(mine ^ other) for other in good), default=9)

    bad.sort(key=distance)
    return kept({f: False for f in bad[:4 * most]}, False, most)


def confirmed(lines, chip, version, ptxas):
    """Leave out lines whose error was hidden by another line's error."""
    while True:
        good = sorted(t[1:] for t in lines if t[0] == "+")
        refused = ptx_forms.ptxas_refuses(ptxas, chip, version, good)
        if not refused:
            return lines
        lines = lines - {"+" + good[i] for i in refused}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ptxas")
    ptxas = parser.parse_args().ptxas
    print("# By make_forms.py: what ptxas takes (+) and refuses (-).")
    for chip, version, most, num_taken, num_refused in LISTS:
        print(f"= {chip} {version}")
        lines = set()
        for row in ROWS:
            found = tried(row, chip, version, most, ptxas)
            lines |= {"+" + t for t in kept(found, True, num_taken)}
            lines |= {"-" + t for t in nearest(found, False, num_refused)}
        lines = confirmed(lines, chip, version, ptxas)
        # Another row of the same opcode may accept it.
        lines = {t for t in lines if not (t[0] == "-" and "+" + t[1:] in lines)}
        print("\n".join(sorted(lines, key=lambda t: (t[1:].split(".")[0], t))), flush=True)


if __name__ == "__main__":
    main()
