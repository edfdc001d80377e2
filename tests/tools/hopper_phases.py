"""hopper_phases.py -- makes random operations on mbarriers, and their results by the manual.

One thread executes them one after the other, so that each result is known: an mbarrier has a
phase, arrivals that are expected in each phase and pending in this one, and bytes.
"""
import numpy as np

MOST = 40  # operations


class Mbarrier:
    def __init__(self, count):
        self.phase, self.expected, self.pending, self.bytes = 0, count, count, 0

    def settle(self):
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.expected

    def arrive(self, count, drops=False):
        self.pending -= count
        if drops:
            self.expected -= count
        self.settle()


class Program:
    def __init__(self, r):
        self.r, self.lines, self.wanted = r, [], []
        self.bars = []
        for i in range(3):
            count = r.randrange(1, 6)
            self.bars.append(Mbarrier(count))
            self.lines.append(f"mbarrier.init.shared.b64 [b+{8 * i}], {count};")

    def result(self, value):
        self.lines.append(f"st.global.u32 [%x0+{4 * len(self.wanted)}], %r1;")
        self.wanted.append(value)

    def test(self, i, parity):
        bar = self.bars[i]
        self.lines += [
            f"mbarrier.{self.r.choice(['test_wait', 'try_wait'])}.parity.shared.b64 %p1, "
            f"[b+{8 * i}], {parity};", "selp.u32 %r1, 1, 0, %p1;"]
        self.result(int(parity != bar.phase % 2))

    def arrive(self, i):
        r, bar = self.r, self.bars[i]
        if not bar.pending:
            return
        count = r.randrange(1, bar.pending + 1)
        drops = r.random() < 0.15 and bar.expected > count
        word = "arrive_drop" if drops else "arrive"
        expects = not drops and r.random() < 0.3
        pending = bar.pending
        if expects:
            more = r.choice([0, 16, 48, 1024])
            bar.bytes += more
            count = 1
            self.lines.append(
                f"mbarrier.arrive.expect_tx.shared.b64 %x1, [b+{8 * i}], {more};")
        elif count < bar.pending and r.random() < 0.3:
            self.lines.append(
                f"mbarrier.{word}.noComplete.shared.b64 %x1, [b+{8 * i}], {count};")
        elif count == 1:
            self.lines.append(f"mbarrier.{word}.shared.b64 %x1, [b+{8 * i}];")
        else:
            self.lines.append(f"mbarrier.{word}.release.cta.shared.b64 %x1, [b+{8 * i}], {count};")
        phase = bar.phase
        bar.arrive(count, drops)
        # The token is the state before the arrival.
        if r.random() < 0.5:
            self.lines.append("mbarrier.pending_count.b64 %r1, %x1;")
            self.result(pending)
        self.lines += [f"mbarrier.test_wait.shared.b64 %p1, [b+{8 * i}], %x1;",
                       "selp.u32 %r1, 1, 0, %p1;"]
        self.result(int(bar.phase != phase))

    def move_bytes(self, i):
        bar = self.bars[i]
        count = self.r.choice([16, 48, 1024])
        if self.r.random() < 0.5:
            word, bar.bytes = "expect_tx", bar.bytes + count
        else:
            word, bar.bytes = "complete_tx", bar.bytes - count
        self.lines.append(f"mbarrier.{word}.relaxed.cta.shared::cta.b64 [b+{8 * i}], {count};")
        bar.settle()

    def even_out(self, i):
        """Bring the bytes that are missing or expected, so that a phase can
        end."""
        bar = self.bars[i]
        if bar.bytes:
            word = "complete_tx" if bar.bytes > 0 else "expect_tx"
            self.lines.append(
                f"mbarrier.{word}.relaxed.cta.shared::cta.b64 [b+{8 * i}], {abs(bar.bytes)};")
            bar.bytes = 0
            bar.settle()

    def make_anew(self, i):
        count = self.r.randrange(1, 5)
        self.lines += [f"mbarrier.inval.shared.b64 [b+{8 * i}];",
                       f"mbarrier.init.shared.b64 [b+{8 * i}], {count};"]
        self.bars[i] = Mbarrier(count)

    def step(self):
        i = self.r.randrange(3)
        what = self.r.random()
        if what < 0.35:
            self.arrive(i)
        elif what < 0.6:
            self.move_bytes(i)
        elif what < 0.75:
            self.even_out(i)
        elif what < 0.78:
            self.make_anew(i)
        self.test(i, self.r.randrange(2))


def phases(r, rng):
    program = Program(r)
    for _ in range(MOST):
        program.step()
    text = "\n".join([
        ".version 8.5", ".target sm_90a", ".address_size 64", ".visible .entry k(.param .u64 p0) {",
        ".reg .b32 %r<3>; .reg .b64 %x<3>; .reg .pred %p<2>; .shared .align 8 .b64 b[3];",
        "ld.param.u64 %x0, [p0];"] + program.lines + ["ret;", "}", ""])

    def run(driver):
        out = np.full(len(program.wanted), 77, np.uint32)
        error = driver.run(text, [out], 1)
        if error:
            return f"error {error}"
        wrong = np.nonzero(out != program.wanted)[0]
        return "" if not len(wrong) else f"result {wrong[0]} is {out[wrong[0]]}"

    return text, run, "phases of mbarriers"
