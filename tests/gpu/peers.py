#!/usr/bin/env python3
"""peers.py BENCH EXAMPLES [--small] [--unchecked] -- compares our kernels with
PyTorch and Triton, by turns.

Drives `bench_gpu --serve`, and measures each peer between its measurements:
one JSON object a line.  A peer that is missing, or cannot do a problem, is left
out, and a line says so; if bench_gpu ends or hangs, it is started again for the
next problem.
"""
import json
import os
import select
import statistics
import subprocess
import sys
import time

SMALL = "--small" in sys.argv
ROUNDS, SAMPLES = (1, 1) if SMALL else (7, 3)
ANSWER_SECONDS = 90  # limit for bench_gpu, compiling included


def tell(**line):
    print(json.dumps(line), flush=True)


# -- Our side -----------------------------------------------------------------


class Lost(Exception):
    """The process that measures tilec ended or does not answer."""


class Ours:
    def __init__(self, command):
        self.command = command
        self.start()

    def start(self):
        self.rest = b""
        self.process = subprocess.Popen(self.command, bufsize=0,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def restart(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def line(self):
        until = time.monotonic() + ANSWER_SECONDS
        while b"\n" not in self.rest:
            wait = max(0, until - time.monotonic())
            if not select.select([self.process.stdout], [], [], wait)[0]:
                raise Lost(f"no answer within {ANSWER_SECONDS} s")
            read = os.read(self.process.stdout.fileno(), 1 << 16)
            if not read:
                raise Lost(f"bench_gpu ended: {self.process.wait()}")
            self.rest += read
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, text):
        try:
            self.process.stdin.write(text.encode() + b"\n")
        except BrokenPipeError:
            raise Lost(f"bench_gpu ended: {self.process.wait()}") from None
        return self.line()

    def problems(self):
        found, problem = [], self.ask("list")
        while problem:
            found.append(problem)
            problem = self.line()
        return found


# -- Their side ---------------------------------------------------------------


def peers_module():
    """Import torch_peers; None without PyTorch or without a GPU for PyTorch.
    """
    if SMALL:
        return None
    try:
        import torch
        import torch_peers
        torch_peers.torch.empty(1, device=torch_peers.DEVICE)
        detail = f"PyTorch {torch.__version__}, {torch_peers.triton_version()}"
        tell(step="peers", name="PyTorch and Triton", ok=True, detail=detail)
        return torch_peers
    except Exception as error:  # from a broken installation
        text = f"ours alone: {type(error).__name__}: {error}"
        tell(step="peers", name="PyTorch", ok=True, detail=first_line(text))
        return None


def first_line(text):
    return str(text).strip().split("\n")[0][:200]


def leave_out(problem, name, error):
    tell(step="peer", name=f"{problem['name']}: {name}", ok=True,
         detail="left out: " + first_line(f"{type(error).__name__}: {error}"))


class Peers:
    """Calls by the peer's name, and the seconds of each call in each round."""

    def __init__(self, module, examples, problem):
        self.module, self.problem = module, problem
        self.calls, self.times = {}, {}
        if not module:
            return
        for name, make in module.makers(examples, problem).items():
            try:
                call = make()
                self.calls[name] = call, module.launches(call)
                self.times[name] = []
            except Exception as error:  # out of memory, not supported, ...
                leave_out(problem, name, error)

    def round(self):
        for name, (call, count) in list(self.calls.items()):
            try:
                seconds = self.module.seconds_of(call, SAMPLES, count)
                self.times[name].append(statistics.median(seconds))
            except Exception as error:
                leave_out(self.problem, name, error)
                del self.calls[name], self.times[name]


# -- Both ---------------------------------------------------------------------


def compare(ours, problem, module, examples):
    opened = ours.ask(f"open {problem['family']} {problem['number']}")
    if "error" in opened:
        tell(**{**opened, "name": problem["name"], "ok": False})
        return
    peers, rounds = Peers(module, examples, problem), []
    for _ in range(ROUNDS):
        rounds.append(ours.ask(f"time {SAMPLES}"))
        peers.round()
    ours.ask("close")
    tell_problem(rounds, peers.times)


def tell_problem(rounds, times):
    result = sorted(rounds, key=lambda r: r["ours_ms"])[ROUNDS // 2]
    result["ok"] = all(r["ok"] for r in rounds)
    if not times:
        tell(**result)
    for name, seconds in times.items():
        ratios = sorted(1e3 * s / r["ours_ms"]
                        for s, r in zip(seconds, rounds))
        quarter = ROUNDS // 4
        tell(**result, peer=name,
             peer_ms=round(1e3 * statistics.median(seconds), 6),
             ratio=round(ratios[ROUNDS // 2], 3),
             ratio_quartiles=[round(ratios[quarter], 3),
                              round(ratios[-1 - quarter], 3)])


def by_weight(problem):
    """Lengths of attention that say most come first: time may run out."""
    if not problem["family"].endswith(("attention", "backward")):
        return 0
    order = [4096, 16384, 1024, 8192, 2048]
    length = problem["size"][1]
    return 1 + (order.index(length) if length in order else len(order))


def main():
    bench, examples = sys.argv[1:3]
    ours = Ours([bench, "--serve", *sys.argv[3:]])
    problems = sorted(ours.problems(), key=by_weight)
    module = peers_module()
    for problem in problems:
        try:
            compare(ours, problem, module, examples)
        except (Lost, ValueError) as error:  # or no JSON
            tell(name=problem["name"], error=str(error), ok=False)
            ours.restart()
        if module:
            module.forget()


if __name__ == "__main__":
    main()
