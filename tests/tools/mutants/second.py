"""second.py -- a second look at mutants that are left, by a sanitized build.

An index that is one too large may change no value: ./check runs the tests again
with the address and undefined-behaviour sanitizers, and so does this.
"""
import re

import hunt
import suite

EACH = 3  # tests that each mutant meets
# Tests of several seconds are a minute with sanitizers.
LONGEST = 2.0


def meeting(mutants, tests):
    """The names of the quickest tests that reach each mutant."""
    names = set()
    for mutant in mutants:
        those = [t for t in tests if mutant.number in t.reached and t.cpu < LONGEST]
        those.sort(key=lambda t: (0.02 + t.cpu) * (5 + len(t.reached)))
        names.update(t.name for t in those[:EACH])
    return names


def programs(tree, other, tests, names):
    """What the sanitized build needs for these tests."""
    def moved(test):
        words = test.command + list(test.environment.values())
        return [w.replace(str(tree.build) + "/", str(other.build) + "/") for w in words]
    chosen = [t for t in tests if t.name in names]
    return other.needed_by({w for t in chosen for w in moved(t)})


def look(tree, mutants, tests, jobs, size, say):
    left = [m for m in mutants if not m.noticed and m.reached]
    names = meeting(left, tests)
    if not names:
        return
    other = tree.sanitized()
    other.configure()
    errors = other.make(*programs(tree, other, tests, names))
    if errors:
        return say(f"no sanitized build: {errors[:3]}")
    again = suite.listed(other.build, "|".join(f"^{re.escape(n)}$" for n in names), "")
    for test in again:
        test.memory = suite.ANY_MEMORY
    good = suite.measure(again, jobs, size, say)
    say(f"{len(good)} tests of the sanitized build look at {len(left)} again")
    reached = {m: m.reached for m in left}
    hunt.Hunt(left, good, jobs, say).run()
    for mutant, number in reached.items():
        mutant.reached = number
    say(f"{sum(bool(m.noticed) for m in left)} of them are noticed by sanitizers")
