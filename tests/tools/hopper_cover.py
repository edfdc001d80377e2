#!/usr/bin/env python3
"""Products and attention on Hopper, in the simulator, against NumPy.

    hopper_cover.py TILEC NEWER KERNELS [SEED]

NEWER is the driver of a newer chip, which runs PTX for sm_90, and KERNELS
tests/sim/hopper_cover.tile.  A case is a value of each list of CHOICES.  The cases are a pairwise
cover: any two values of two lists that fit each other meet in a case.  With TILE_TEST_FULL=1
they are the product of the lists of PRODUCT, under each schedule, and other values are drawn.  Numbers of products
are small integers, so that results are exact.
"""
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIP: Python has no NumPy")
    sys.exit(77)

CHOICES = dict(
    form=["wrapped", "masked", "described", "blocks", "striding", "attention", "causal"],
    warps=[1, 2, 4, 8, 16],
    stages=[1, 2, 3, 4, 5],
    trips=["none", "one", "stages - 1", "stages", "many"],
    schedule=["late", "early", "1", "2"],
    edges=["whole", "ragged", "odd"],
    type=["fp16", "bf16", "fp32", "fp8e4nv", "fp8e5", "i8"],
    tile=[(64, 64, 32), (128, 64, 64), (64, 128, 64), (128, 128, 64), (128, 32, 128)],
    persist=["auto", "always", "never"],
    ctas=[1, 2, 4],
    roles=[None, True, False],
    chip=["sm_90a", "sm_90"])
PRODUCT = ["form", "warps", "stages", "trips", "edges"]
MANY = 9
# A refusal says how much is needed, how much there is, and what to lower.
REFUSAL = re.compile(r"\d+ .*\d+.*(lower|fewer|smaller|reduce)")


def fitting(case):
    """The case with values that its form has."""
    case = dict(case)
    looks = case["form"] in ("attention", "causal")
    if looks and case["type"] not in ("fp16", "bf16"):
        case["type"] = "fp16"
    if case["edges"] == "odd" and case["form"] not in ("wrapped", "masked", "blocks", "causal"):
        case["edges"] = "ragged"
    return case


def cover(r):
    """Cases in which all pairs are that fit each other."""
    cases, left, fruitless = [], set(), 0
    for one, two in itertools.combinations(CHOICES, 2):
        left |= {(one, a, two, b) for a in CHOICES[one] for b in CHOICES[two]}
    while left and fruitless < 20:
        best, found = None, set()
        for _ in range(40):
            case = {name: r.choice(values) for name, values in CHOICES.items()}
            one, a, two, b = r.choice(sorted(left, key=str))
            case[one], case[two] = a, b
            case = fitting(case)
            met = {p for p in left if case[p[0]] == p[1] and case[p[2]] == p[3]}
            if len(met) > len(found):
                best, found = case, met
        fruitless = 0 if found else fruitless + 1
        if found:
            cases.append(best)
            left -= found
    return cases


def product(r):
    """Cases whose sets of values differ, each of which runs under all schedules."""
    seen = set()
    for values in itertools.product(*(CHOICES[name] for name in PRODUCT)):
        case = {name: r.choice(choices) for name, choices in CHOICES.items()}
        case = fitting(dict(case, **dict(zip(PRODUCT, values))))
        key = (*(case[name] for name in PRODUCT if name != "trips"), trips_of(case))
        if key not in seen:
            seen.add(key)
            yield case


def trips_of(case):
    return {"none": 0, "one": 1, "stages - 1": case["stages"] - 1, "stages": case["stages"],
            "many": MANY}[case["trips"]]


# -- The numbers --------------------------------------------------------------


def encoded(values, dtype):
    """Small integers in the bits of the type."""
    if dtype == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype == "fp8e5":
        return (values.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)
    if dtype == "fp8e4nv":
        code = np.array([0, 0x38, 0x40, 0x44], np.uint8)[np.abs(values).astype(int)]
        return code | np.where(values < 0, 0x80, 0).astype(np.uint8)
    return values.astype(dict(fp16=np.float16, fp32=np.float32, i8=np.int8)[dtype])


def softmax(s):
    e = np.exp2(s - s.max(1, keepdims=True, initial=-1e30))
    total = e.sum(1, keepdims=True)
    return e / np.where(total > 0, total, 1)


class Problem:
    """The sizes, arrays and result of a case."""

    def __init__(self, case, seed):
        rng = np.random.default_rng(seed)
        self.case = case
        bm, bn, bk = case["tile"]
        trips = trips_of(case)
        less = case["edges"] != "whole"
        self.grid, form = (2, 2), case["form"]
        self.m, self.n, self.k = 2 * bm - 5 * less, 2 * bn - 3 * less, max(trips * bk - 9 * less, 0)
        if form == "striding":
            self.grid = (2,)
        if form in ("attention", "causal"):
            self.grid, self.k = (2,), bk
            self.n = max(trips * bn - 3 * less, 0)
        if form == "causal":
            self.n = min(self.n, self.m)
        self.a, self.lda = self.matrix(rng, self.m)
        self.b, self.ldb = self.matrix(rng, self.n)
        self.ldc = self.pitch(self.k if form in ("attention", "causal") else self.n, 4)

    def pitch(self, columns, width):
        if self.case["edges"] == "odd":
            return columns | 1
        unit = 16 // width
        return max(-(-columns // unit) * unit, unit)

    def matrix(self, rng, rows):
        width = dict(fp32=4, fp16=2, bf16=2).get(self.case["type"], 1)
        pitch = self.pitch(self.k, width)
        array = rng.integers(-2, 3, (max(rows, 1), pitch)).astype(np.float64)
        return array, pitch

    def result(self):
        a, b = self.a[:self.m, :self.k], self.b[:self.n, :self.k]
        looks = self.case["form"] in ("attention", "causal")
        want = np.zeros((self.m, self.ldc), np.int32 if self.case["type"] == "i8" else np.float32)
        s = a @ b.T
        if looks:
            seen = np.ones_like(s, bool)
            if self.case["form"] == "causal":
                seen = np.tri(self.m, self.n, dtype=bool)
            s = softmax(np.where(seen, s * 0.1, -1e30)) @ b
        want[:, :s.shape[1]] = s
        return want

    def arguments(self, folder):
        dtype = self.case["type"]
        for name, array in (("a", self.a), ("b", self.b)):
            np.save(f"{folder}/{name}.npy", encoded(array, dtype))
        want = self.result()
        np.save(f"{folder}/want.npy", want)
        bits = f":{dtype}" if dtype in ("bf16", "fp8e5", "fp8e4nv") else ""
        bm, bn, bk = self.case["tile"]
        shape = f"{want.shape[0]}x{want.shape[1]}"
        values = dict(a_ptr=f"@{folder}/a.npy{bits}", b_ptr=f"@{folder}/b.npy{bits}",
                      c_ptr=f"zeros:{'i32' if dtype == 'i8' else 'fp32'}[{shape}]",
                      M=self.m, N=self.n, K=self.k, lda=self.lda, ldb=self.ldb, ldc=self.ldc,
                      BM=bm, BN=bn, BK=bk, ROLES=self.case["roles"])
        near = {"fp16": "4e-3", "bf16": "3e-2"}
        exact = self.case["form"] not in ("attention", "causal")
        found = [f"--reference=c_ptr={folder}/want.npy",
                 f"--tolerance={0 if exact else near[dtype]}"]
        for name, value in values.items():
            found += ["--arg", f"{name}={value}"]
        return found


# -- The runs -----------------------------------------------------------------


def run(tilec, newer, kernels, case, seed, schedules, folder):
    """What is wrong with the case, if anything, and its PTX.  The runs share code that is
    cached."""
    problem = Problem(case, seed)
    command = [tilec, "run", kernels, f"--kernel={case['form']}", f"--cache-dir={folder}/cache",
               f"--grid={','.join(map(str, problem.grid))}", f"--num-warps={case['warps']}",
               f"--num-stages={case['stages']}", f"--num-ctas={case['ctas']}",
               f"--persist={case['persist']}",
               f"--device={'sim' if case['chip'] == 'sm_90a' else 'cuda'}",
               *problem.arguments(folder)]
    text = ""
    for schedule in schedules:
        settings = dict(TILE_SIM_CHIP="sm_90", TILE_SIM_THREADS="1", TILE_SIM_CHECKS="strict",
                        TILE_SIM_PROCESSORS="1", TILE_SIM_PTX=folder, TILE_LIBCUDA=newer,
                        TILE_SIM_SCHEDULE=schedule)
        done = subprocess.run(command, env=dict(os.environ, **settings), timeout=600,
                              capture_output=True, text=True)
        told = done.stdout + done.stderr
        if done.returncode == 1 and REFUSAL.search(told):
            return None, "refused"
        if done.returncode or "tilesim:" in told:
            return f"schedule {schedule}: " + "\n".join(told.splitlines()[:8]), text
        text = "".join(open(f"{folder}/{name}").read() for name in os.listdir(folder)
                       if name.endswith(".ptx"))
        if f".target {case['chip']}\n" not in text.replace(",", "\n"):
            return "its PTX is for another chip", text
    return None, text


def main():
    tilec, newer, kernels = sys.argv[1:4]
    seed = int((sys.argv[4:] or ["6"])[0])
    full = os.environ.get("TILE_TEST_FULL")
    r = random.Random(seed)
    cases = list(product(r)) if full else cover(r)
    counts = dict.fromkeys(["wgmma.mma_async", "cp.async.bulk.tensor", "setmaxnreg",
                            "multicast::cluster", "%nctaid", "refused"], 0)
    failed = 0

    def one(numbered):
        number, case = numbered
        with tempfile.TemporaryDirectory() as folder:
            return run(tilec, newer, kernels, case, seed + number,
                       CHOICES["schedule"] if full else [case["schedule"]], folder)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (wrong, text) in zip(cases, pool.map(one, enumerate(cases))):
            for word in counts:
                counts[word] += word in text
            if wrong:
                failed += 1
                print(f"{case}:\n{wrong}", flush=True)
    print(f"{len(cases)} cases, {failed} failed; {counts}")
    sys.exit(failed > 0 or not all(n for word, n in counts.items() if word != "refused"))


if __name__ == "__main__":
    main()
