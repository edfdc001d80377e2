#!/usr/bin/env python3
"""Compares random instructions of Hopper in the simulator with NumPy, by the manual's text.

    random_hopper.py LIBTILESIM [--cases N] [--seed S] [--only products|boxes|pixels|phases]

A case is a kernel with random products of wgmma (types, shapes, layouts of both operands in
shared memory, or A in registers), with copies of boxes of tensors, with columns of pixels
(im2col), or with operations on mbarriers. The expected results are computed here from the PTX
manual, without any code of the simulator. Values are small integers, so that every sum is
exact. A case that differs is written to hopper-SEED-CASE.ptx. Each schedule has its turn;
checks are on, and a report is a difference.
"""
import argparse
import os
import random
import sys

try:
    import numpy as np
except ImportError:
    print("SKIP: Python has no NumPy")
    sys.exit(77)

from hopper_boxes import boxes
from hopper_phases import phases
from hopper_pixels import pixels
from hopper_products import products
from sim_driver import Driver

CASES = {"products": products, "boxes": boxes, "pixels": pixels, "phases": phases}


def main():
    args = argparse.ArgumentParser()
    args.add_argument("library")
    args.add_argument("--cases", type=int, default=300)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--only", choices=CASES)
    args = args.parse_args()
    driver = Driver(os.path.abspath(args.library))
    failed = 0
    for case in range(args.cases):
        r = random.Random(f"{args.seed} {case}")
        name = args.only or r.choice(sorted(CASES))
        os.environ["TILE_SIM_SCHEDULE"] = r.choice(["late", "early", str(case + 1)])
        text, run, what = CASES[name](r, np.random.default_rng([args.seed, case]))
        try:
            fault = run(driver)
        except RuntimeError as error:
            fault = str(error)
        if fault:
            failed += 1
            path = f"hopper-{args.seed}-{case}.ptx"
            with open(path, "w") as file:
                file.write(text)
            print(f"{path}: {what}: {fault}")
    print(f"{args.cases} cases, {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
