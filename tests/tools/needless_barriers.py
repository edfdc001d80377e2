#!/usr/bin/env python3
"""Finds needless barriers in the kernels of random tiles.

    needless_barriers.py TILEC LIBRARY SEED COUNT [ALLOWED]

A barrier is needless if the results are right without it: LIBRARY (drop_barriers.c)
loads each kernel of random_tiles.py without one of its barriers.  The kernels' text
has nothing that the compiler cannot know: strides are constants, there is one
program, loops have trips, updates are relaxed and no barrier is the kernel's own.
Only the places that a gather reads stay unknown, so that ALLOWED of a hundred
barriers may be needless.
"""
import os
import re
import sys
import tempfile

import random_tiles


def plain(text):
    text = text.replace("tl.program_id(0)", "0").replace("* s64", "* 64")
    text = re.sub(r"^ *tl.debug_barrier\(\)\n", "", text, flags=re.M)
    return re.sub(r"(tl\.atomic_.*)\)$", r'\1, sem="relaxed")', text, flags=re.M)


def main():
    tilec, library, seed, count = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
    allowed = int(sys.argv[5]) if len(sys.argv) > 5 else 100
    os.environ["TILE_LIBCUDA"] = library
    os.environ["TILE_SIM_CHECKS"] = "strict"  # a shuffle orders no memory
    missed = needless = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILE_DROPPED"] = dropped = f"{folder}/dropped"
        for s in range(seed, seed + count):
            failed += not random_tiles.run(tilec, s, ["cuda"], folder, plain)
            if not os.path.exists(dropped):
                continue
            with open(dropped) as f:
                lines = [line.split() for line in f]
            os.remove(dropped)
            missed += sum(word == "missed" for _, word in lines)
            for line, word in lines:
                if word == "needless":
                    needless += 1
                    print(f"seed {s}: nobody misses the barrier in line {line}")
    print(f"{count} kernels, {failed} failed; of {missed + needless} barriers {needless} are needless")
    sys.exit(failed > 0 or missed == 0 or needless * 100 > allowed * (missed + needless))


if __name__ == "__main__":
    main()
