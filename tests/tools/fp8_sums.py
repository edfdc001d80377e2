#!/usr/bin/env python3
"""Sums of fp8 products on Hopper, as its hardware makes them, against NumPy.

    fp8_sums.py TILEC KERNELS

KERNELS is tests/golden/ptx/wgmma.tile.  `wgmma` keeps few bits of a sum.  With
max_num_imprecise_acc=32 each sum of 32 terms is added as fp32, and a result is within
2^-13 of the sum of the terms' sizes, also where all terms are positive.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIP: Python has no NumPy")
    sys.exit(77)

SIDE, BOUND = 64, 2.0**-13
FORMATS = dict(fp8e4nv=(3, 7, 0x28, 0x50), fp8e5=(2, 15, 0x30, 0x48))


def decoded(bits, dtype):
    """The values of normal numbers."""
    mantissa, bias, _, _ = FORMATS[dtype]
    bits = bits.astype(int)
    exponent = ((bits & 0x7f) >> mantissa) - bias
    value = (1 + (bits & ((1 << mantissa) - 1)) / 2.0**mantissa) * 2.0**exponent
    return np.where(bits >> 7, -value, value)


def error(tilec, kernels, dtype, k, terms, positive, folder):
    """The largest error, in parts of the sum of the terms' sizes, or None."""
    rng = np.random.default_rng(k)
    sides = []
    for name in "ab":
        _, _, low, high = FORMATS[dtype]
        bits = rng.integers(low, high, (SIDE, k))
        bits |= 0 if positive else 128 * rng.integers(0, 2, bits.shape)
        np.save(f"{folder}/{name}.npy", bits.astype(np.uint8))
        sides.append(decoded(bits, dtype))
    a, b = sides
    arguments = dict(a=f"@{folder}/a.npy:{dtype}", b=f"@{folder}/b.npy:{dtype}",
                     c=f"zeros:fp32[{SIDE}x{k}]", K=k, a_stride=k, b_stride=k, BLOCK_M=SIDE,
                     BLOCK_N=SIDE, BLOCK_K=64, TERMS=terms)
    command = [tilec, "run", kernels, "--kernel=matmul_terms", "--device=sim", "--grid=1",
               "--save", f"c={folder}/c.npy"]
    for name, value in arguments.items():
        command += ["--arg", f"{name}={value}"]
    settings = dict(TILE_SIM_CHIP="sm_90", TILE_SIM_SUM="hardware", TILE_SIM_CHECKS="strict")
    done = subprocess.run(command, env=dict(os.environ, **settings), capture_output=True,
                          text=True)
    if done.returncode or "tilesim:" in done.stderr:
        print(done.stdout + done.stderr)
        return None
    # The kernel's sums begin at 0.5.
    found = np.load(f"{folder}/c.npy")[:, :SIDE] - 0.5
    return (np.abs(found - a @ b.T) / (np.abs(a) @ np.abs(b).T)).max()


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for dtype in FORMATS:
            for k in (64, 1024):
                for positive in (False, True):
                    few = error(*sys.argv[1:3], dtype, k, 32, positive, folder)
                    if few is None or not few <= BOUND:
                        print(f"{dtype}, {k} terms, positive: {positive}: {few}")
                        failed = True
            # Sums of twice as many terms are worse, so that the bound tells them apart.
            many = error(*sys.argv[1:3], dtype, 1024, 64, True, folder)
            if many is None or many <= BOUND:
                print(f"{dtype}, sums of 64 terms: {many}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
