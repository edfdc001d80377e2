"""by_class.py -- finds the classes of instructions of which our loops have more.

The classes have a table of their own: a kernel with fewer instructions in all
may still have more of one class.
"""
from figures import CLASSES

LIMIT = 1.10
HEAD = ("| kernel | target | class | ours / Triton's | ratio | "
        "of our instructions | in all |\n" + "|---" * 7 + "|")


def surpluses(a, b):
    """List (class, our count, their count, ratio or None, share of the surplus
    in all of our instructions). Counts are as in the code; ratios are of
    counts per FLOP, or per byte, of a trip."""
    def each(side):
        scale = side.repeats * side.density / (side.trip + side.copies)
        return [count * scale for count in side.classes]
    found = []
    for name, ours, theirs, n, k in zip(CLASSES, each(a), each(b), a.classes,
                                        b.classes):
        if ours > LIMIT * theirs:
            found.append((name, n, k, ours / theirs if theirs else None,
                          (ours - theirs) / sum(each(a))))
    return found


class Table:
    """A table in which rows that differ by the target alone are merged."""

    def __init__(self):
        self.rows, self.num_compared, self.num_over = {}, 0, 0

    def add(self, case, target, found, in_all):
        """Add a case's rows; `found` is a result of surpluses()."""
        self.num_compared += 1
        self.num_over += bool(found)
        for name, n, k, ratio, part in found:
            key = (case, name, f"{n} / {k}", f"{ratio:.2f}" if ratio else "",
                   f"{100 * part:.1f} %", f"{in_all:.2f}")
            self.rows.setdefault(key, []).append(target)

    def text(self):
        met = (f"{self.num_compared - self.num_over} of {self.num_compared} "
               f"rows have at most {LIMIT:.2f} times of every class.")
        rows = [[case, ", ".join(targets), *cells]
                for (case, *cells), targets in self.rows.items()]
        return "\n".join([met, "", HEAD,
                          *(f"| {' | '.join(row)} |" for row in rows)])
