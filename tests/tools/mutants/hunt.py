"""hunt.py -- finds the tests that notice each mutant."""
import random
import threading

import suite

TOOLS = ["tilec", "tile-opt", "tilesim", "op_table", "builtin_table", "values", "types", "target_table"]
ALONE = 16  # tests that each mutant meets by itself


class Hunt:
    def __init__(self, mutants, tests, jobs, say):
        self.mutants = {m.number: m for m in mutants}
        self.tests, self.jobs, self.say = tests, jobs, say
        self.lock, self.met = threading.Lock(), set()
        for mutant in mutants:
            mutant.reached = sum(mutant.number in t.reached for t in tests)

    def notice(self, number, test, result):
        with self.lock:
            mutant = self.mutants[number]
            if not mutant.noticed:
                mutant.noticed, mutant.how, mutant.quick = test.name, result, test.cpu < suite.QUICK

    # -- One mutant: quick tests that reach few mutants first ---------------------

    def alone(self, mutant):
        tests = [t for t in self.tests if mutant.number in t.reached and t.cpu < suite.QUICK]
        tests.sort(key=lambda t: (0.02 + t.cpu) * (5 + len(t.reached)))
        for test in tests[:ALONE]:
            self.met.add((mutant.number, test.name))
            result = test.run([mutant.number])
            if result not in ("pass", "skip"):
                return self.notice(mutant.number, test, result)

    # -- The mutants that are not noticed, together -------------------------------

    def left(self, test):
        return [n for n, m in self.mutants.items()
                if not m.noticed and n in test.reached and (n, test.name) not in self.met]

    def together(self, test):
        """Try mutants by halves: a test that passes with several notices none of them."""
        groups = [self.left(test)]
        while groups:
            group = [n for n in groups.pop() if not self.mutants[n].noticed]
            if not group:
                continue
            result = test.run(group)
            if result in ("pass", "skip"):
                continue
            if len(group) == 1:
                self.notice(group[0], test, result)
                continue
            half = len(group) // 2
            groups += [group[:half], group[half:]]

    def run(self):
        order = list(self.mutants.values())
        random.Random(1).shuffle(order)
        suite.in_parallel(self.jobs, self.alone, order, self.say)
        self.say(f"{sum(not m.noticed for m in order)} left behind {ALONE} tests each")
        suite.in_parallel(self.jobs, self.together, sorted(self.tests, key=lambda t: t.cpu), self.say)


class Rebuilt:
    """Mutants without a switch. `build(mutants, targets)` makes the programs
    with them."""

    def __init__(self, mutants, tests, jobs, build, targets, say):
        self.mutants, self.tests, self.jobs, self.say = mutants, tests, jobs, say
        self.build, self.targets = build, targets

    def failing(self, tests, first):
        found = []

        def one(test):
            if first and found:
                return
            result = test.run()
            if result not in ("pass", "skip"):
                found.append((test, result))

        suite.in_parallel(self.jobs, one, sorted(tests, key=lambda t: t.cpu))
        return found

    @staticmethod
    def notice(mutant, found):
        test, result = min(found, key=lambda f: f[0].cpu)
        mutant.noticed, mutant.how, mutant.quick = test.name, result, test.cpu < suite.QUICK

    def alone(self, mutant):
        """Try a mutant of a table with quick tests of the tools."""
        tests = [t for t in self.tests if t.cpu < 0.3 and
                 t.name.startswith(("golden.", "semantics.", "cli.", "docs.", "surface"))]
        if not self.build([mutant], TOOLS):
            mutant.broken = True
            return
        found = self.failing(tests, True)
        if found:
            self.notice(mutant, found)

    def together(self, group, tests):
        """Try mutants by halves; `tests` are the tests that may notice one of them."""
        if not group or not tests:
            return
        self.build(group, self.targets)
        found = self.failing(tests, len(group) == 1)
        if found and len(group) == 1:
            self.notice(group[0], found)
        elif found:
            half, tests = len(group) // 2, [t for t, _ in found]
            self.together(group[:half], tests)
            self.together(group[half:], tests)

    def run(self):
        for mutant in self.mutants:
            self.alone(mutant)
        left = [m for m in self.mutants if not m.noticed and not m.broken]
        self.say(f"rows and tables: {len(left)} of {len(self.mutants)} left")
        self.together(left, self.tests)
