#!/usr/bin/env python3
"""beside_triton.py TILEC [--sweep|--hopper] [CASE...] -- compares our PTX with
Triton's, as Markdown: the cases; with --sweep the configurations of two of
Triton's tutorials; with --hopper products and attention on sm_90a.

Source, block sizes, warps, stages, target and ptxas are the same for both; no
GPU is needed.  Each target has a process of its own, since Triton 3.6 converts
fp8 for the chip that its process compiles for first.  Needs Triton, whose
disassembler is used; $TILE_PTXAS or ptxas on $PATH; and libtilesim.so of the
same build.

  spills, registers   by ptxas -v
  shared              bytes of shared memory, dynamic and static
  loop, PTX and SASS  instructions of one trip of the main loop, and their
                      ratio by the trip's work.  The main loop is the loop with
                      the most matrix instructions, else the largest loop, else
                      the whole kernel.  The work is the FLOPs of the trip's
                      products, 2 M N K of the tiles, else the bytes that the
                      trip loads.  Work that several warps repeat, as the
                      simulator counts it, counts once; the ratio in brackets
                      counts it each time.  The loop of a role that only copies
                      is added: `42 + 31`
  by class            a second table of the classes of which ours are more than
                      1.10 times Triton's
  access              bytes that an access to global memory moves, on average
  conflicts           turns of shared memory that bank conflicts cost, by the
                      simulator's counters, of a small launch on the same data;
                      then those of ldmatrix and cp.async
  compile             time from source to PTX in process, by turns, without the
                      first time, the median of five ($TILE_TIMES)
"""
import argparse
import importlib.util
import multiprocessing
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

SKIPPED = 77
try:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia import compiler as nvidia
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)

import by_class
import cases
import figures
import in_simulator  # needs numpy, as Triton does
from figures import mean

TIMES = int(os.environ.get("TILE_TIMES", 5))
REPEATED = 1.005  # times that products are computed, rounding aside


class Refused(RuntimeError):
    pass


# -- Compilers ----------------------------------------------------------------


class Result:
    """The PTX that a compiler makes, and the time of each compilation but the
    first."""

    def __init__(self, names=None):
        self.names, self.times = names, []

    def add(self, ptx, shared, seconds):
        self.ptx, self.shared, self.dynamic = ptx, shared, shared
        self.times.append(seconds)

    @property
    def seconds(self):
        return statistics.median(self.times[1:])


def signature_text(args):
    def text(x):
        return "True" if x is True else "False" if x is False else str(x)
    return ", ".join(text(a) for a in args)


def compile_ours(result, tilec, case, target, folder):
    out = os.path.join(folder, "ours.ptx")
    command = [tilec, case.path, f"--kernel={case.kernel}", "--time-passes",
               f"--signature={signature_text(case.args)}", "--resource-usage",
               f"--num-warps={case.warps}", f"--num-stages={case.stages}",
               f"--target={target}", "-o", out]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise Refused(run.stderr.strip().split("\n")[0])
    shared = int(re.search(r"(\d+) bytes of shared memory", run.stderr)[1])
    took = float(re.search(r"([\d.]+) ms  total", run.stderr)[1])
    with open(out) as file:
        result.add(file.read(), shared, 1e-3 * took)


def load_kernel(case, folder):
    """Import the case's source; modules that its host code needs are replaced.
    """
    path = os.path.join(folder, "kernel.py")
    shutil.copy(case.path, path)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, case.kernel)
    while not isinstance(kernel, triton.runtime.JITFunction):
        kernel = kernel.fn  # under its autotuner
    return kernel


def triton_source(case, kernel):
    signature, constants, attributes = {}, {}, {}
    for i, (name, arg) in enumerate(zip(kernel.arg_names, case.args)):
        if not isinstance(arg, str):
            signature[name], constants[(i,)] = "constexpr", arg
            continue
        signature[name] = arg.split(":")[0]
        if arg.endswith(":16"):
            attributes[(i,)] = [["tt.divisibility", 16]]
    return ASTSource(kernel, signature, constexprs=constants, attrs=attributes)


def compile_theirs(result, case, kernel, target, folder):
    where = GPUTarget("cuda", int(target[3:].rstrip("a")), 32)
    options = {"num_warps": case.warps, "num_stages": case.stages}
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder,
                                                  f"{len(result.times)}")
    start = time.perf_counter()
    code = triton.compile(triton_source(case, kernel), target=where,
                          options=options)
    seconds = time.perf_counter() - start
    result.add(code.asm["ptx"], code.metadata.shared, seconds)


def compile_both(tilec, case, target, folder):
    """Compile by turns.  The first result is the exception Refused where tilec
    refuses the kernel."""
    kernel = load_kernel(case, folder)
    a, b = Result(), Result(kernel.arg_names)
    compile_theirs(b, case, kernel, target, folder)
    try:
        compile_ours(a, tilec, case, target, folder)
    except Refused as refusal:
        return refusal, b
    for _ in range(TIMES):
        compile_theirs(b, case, kernel, target, folder)
        compile_ours(a, tilec, case, target, folder)
    return a, b


# -- In the simulator ---------------------------------------------------------


def simulator_of(tilec):
    return os.path.join(os.path.dirname(os.path.abspath(tilec)), "..",
                        "runtime", "simulator", "libtilesim.so")


def has_maps(side):
    return ".param .align 64 .b8" in side.ptx


def run_both(tilec, case, a, b):
    """Run both kernels on the same data; they must give the same results.  A
    kernel of ours with tensor maps is not run, since only a launch by tilec
    makes the maps."""
    if not case.simulated or has_maps(a):
        a.counts, b.counts = in_simulator.NoCounts(), in_simulator.NoCounts()
        a.repeats = b.repeats = 1
        return
    args = [(kind.split(":")[0], case.sizes.get(name))
            for name, kind in zip(b.names, case.args) if isinstance(kind, str)]
    for side in a, b:
        side.counts, side.arrays = in_simulator.apart(
            in_simulator.launch, simulator_of(tilec), side.ptx,
            side.dynamic, case.warps, case.grid, args)
    if not in_simulator.is_same(a.arrays, b.arrays):
        raise RuntimeError("the results differ")
    needed = min(a.counts.flops, b.counts.flops)
    for side in a, b:
        side.repeats = side.counts.flops / needed if needed else 1


# -- The table ----------------------------------------------------------------


def ratio(a, b):
    return a / b if b else (1.0 if not a else float("inf"))


def ratio_of_loops(a, b, density):
    """Compare instructions per FLOP, or per byte, of one trip of the main
    loops."""
    return ratio(getattr(a, density) * a.repeats,
                 getattr(b, density) * b.repeats)


def loops_text(a, b, prefix):
    def trips(side):
        copies = getattr(side, prefix + "copies")
        added = f" + {copies}" if copies else ""
        return f"{getattr(side, prefix + 'trip')}{added}"
    density = prefix + "density"
    found = f"{trips(a)} / {trips(b)}, "
    found += f"{ratio_of_loops(a, b, density):.2f}"
    if max(a.repeats, b.repeats) > REPEATED:
        found += f" ({ratio(getattr(a, density), getattr(b, density)):.2f})"
    return found


def misses(a, b, limit_of_time):
    checks = [
        ("spills", not a.spills or b.spills),
        ("registers", ratio(a.registers, b.registers) <= 1.10),
        ("shared", a.shared <= b.shared),
        ("PTX", ratio_of_loops(a, b, "density") <= 1.10),
        ("SASS", ratio_of_loops(a, b, "sass_density") <= 1.10),
        ("access",  # bulk copies are none
         has_maps(a) or mean(a.accesses) >= mean(b.accesses) - 1e-9),
        ("conflicts", a.counts.total <= b.counts.total),
        *[(name, not count) for name, count in a.counts.by_name.items()],
        ("compile", ratio(a.seconds, b.seconds) <= limit_of_time),
        ("notes", not a.notes),
    ]
    return [name for name, met in checks if not met]


def classes(side):
    repeated = side.repeats > REPEATED
    counts = ", ".join(map(str, side.classes))
    return counts + f" ({side.repeats:.2g}x)" * repeated


def conflicts(side):
    counts = side.counts
    return f"{counts.total} ({', '.join(map(str, counts.by_name.values()))})"


def row(case, target, a, b):
    limit = 0.25 if "attention" in case.name else 0.5
    missed = misses(a, b, limit)
    cells = [
        case.name, target, f"{a.spills} / {b.spills}",
        f"{a.registers} / {b.registers}", f"{a.shared} / {b.shared}",
        f"{classes(a)} / {classes(b)}",
        loops_text(a, b, ""),
        loops_text(a, b, "sass_"),
        f"{mean(a.accesses):.1f} / {mean(b.accesses):.1f}",
        f"{conflicts(a)} / {conflicts(b)}",
        f"{1e3 * a.seconds:.0f} / {1e3 * b.seconds:.0f} ms, "
        f"{ratio(a.seconds, b.seconds):.2f}",
        "missed: " + ", ".join(missed) if missed else "met",
    ]
    return "| " + " | ".join(cells) + " |"


def refused_row(tilec, case, target, refusal, b):
    """Make the row of a case that tilec refuses: neither kernel fits where the
    chip does not load Triton's either."""
    fits = in_simulator.apart(in_simulator.loads, simulator_of(tilec), target,
                              b.ptx, b.dynamic)
    needed = re.search(r"need (\d+) bytes of shared memory", str(refusal))
    shared = f"{needed[1] if needed else '?'} / {b.shared}"
    verdict = (f"refused: {refusal}" if fits or not needed else
               "neither kernel fits: ours is refused, Triton's does not load")
    cells = [case.name, target, "", "", shared, *[""] * 6, verdict]
    return "| " + " | ".join(cells) + " |"


def error_row(case, target, error):
    """Make the row of a case that fails.  Triton's refusals quote the kernel,
    and end with the reason: 3.9 has no block pointers."""
    refused = type(error).__name__ == "CompilationError"
    name = "Triton refuses it" if refused else type(error).__name__
    reason = str(error).strip().split("\n")[-1] if refused else error
    text = " ".join(f"{name}: {reason}".split())
    return f"| {case.name} | {target} {'| ' * 9}| {text} |"


def compare(tilec, case, target):
    """Make the case's row, and its part of the second table or None."""
    folder = tempfile.mkdtemp()
    try:
        a, b = compile_both(tilec, case, target, folder)
        if isinstance(a, Refused):
            return refused_row(tilec, case, target, a, b), None
        for side in a, b:
            figures.add(side, folder)
        run_both(tilec, case, a, b)
        return row(case, target, a, b), (by_class.surpluses(a, b),
                                         ratio_of_loops(a, b, "density"))
    except Exception as error:
        return error_row(case, target, error), None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def without_ptxas():
    """Leave out Triton's last stage, which is not timed."""
    def make_cubin(self, source, metadata, *rest):
        return b""
    nvidia.CUDABackend.make_cubin = make_cubin


class Workers:
    """A process for each target."""

    def __init__(self):
        self.by_target = {}

    def compare(self, tilec, case, target):
        if target not in self.by_target:
            self.by_target[target] = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), without_ptxas)
        worker = self.by_target[target]
        try:
            return worker.submit(compare, tilec, case, target).result()
        except BrokenProcessPool as error:
            del self.by_target[target]
            return error_row(case, target, error), None


def parse_arguments():
    """The path of tilec, and each case with a target that was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec", metavar="TILEC")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--hopper", action="store_true")
    parser.add_argument("wanted", metavar="CASE", nargs="*",
                        help="a part of its name and target; default: all")
    args = parser.parse_args()
    found = [(case, target)
             for case in (cases.sweep() if args.sweep else
                          cases.hopper() if args.hopper else cases.every())
             for target in case.targets]
    for w in args.wanted:
        if not any(w in f"{case.name} {target}" for case, target in found):
            parser.error(f"no case has '{w}' in its name and target")
    return args.tilec, [(case, target) for case, target in found
                        if not args.wanted or any(
                            w in f"{case.name} {target}" for w in args.wanted)]


def main():
    tilec, found = parse_arguments()
    if not figures.PTXAS:
        print("SKIP: ptxas is not installed")
        sys.exit(SKIPPED)
    if not os.path.exists(simulator_of(tilec)):
        print("SKIP: libtilesim.so is not built beside tilec")
        sys.exit(SKIPPED)
    columns = ["kernel", "target", "spills", "registers", "shared",
               f"PTX a trip: {', '.join(figures.CLASSES)}", "in all, ratio",
               "SASS a trip, ratio", "bytes an access",
               "conflicts (ldmatrix, cp.async)", "compile", "verdict"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    table, workers = by_class.Table(), Workers()
    for case, target in found:
        line, compared = workers.compare(tilec, case, target)
        print(line, flush=True)
        if compared:
            table.add(case.name, target, *compared)
    print(f"\n{table.text()}")


if __name__ == "__main__":
    main()
