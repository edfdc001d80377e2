"""in_simulator.py -- runs a kernel's PTX and counts conflicts of banks.

A launch has a process of its own, since an error of the driver stays.
"""
import ctypes
import json
import multiprocessing
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "triton"))
from simulator import Simulator  # noqa: E402

# Enough for each array of the cases; small numbers, so that no sum overflows.
ELEMENTS = 2**18
BANKS_OF = ("ldmatrix", "cp.async")


def fp8_values():
    """The value of each byte as e4m3 without infinities: 3 bits of fraction.
    """
    code = np.arange(256)
    exponent, fraction = code >> 3 & 15, code & 7
    size = np.where(exponent, (8 + fraction) * 2.0**(exponent - 10),
                    fraction * 2.0**-9)
    size[code & 127 == 127] = np.nan
    return np.where(code & 128, -size, size)


def same(array):
    return array


# The bits of small normal numbers, and the numbers of bits.
ARRAYS = {
    "*fp16": (lambda x: x.astype(np.float16), same),
    "*fp32": (lambda x: x.astype(np.float32), same),
    "*bf16": (lambda x: (x.astype(np.float32).view(np.uint32) >> 16
                        ).astype(np.uint16),
              lambda bits: (bits.astype(np.uint32) << 16).view(np.float32)),
    # Numbers from -1 to 1, with all of the smaller exponents.
    "*fp8e4nv": (lambda x: (64e3 * x).astype(np.int64).astype(np.uint8) & 0xb7,
                 lambda bits: fp8_values()[bits]),
    # The upper byte of an fp16.
    "*fp8e5": (lambda x: (x.astype(np.float16).view(np.uint16) >> 8
                         ).astype(np.uint8),
               lambda bits: (bits.astype(np.uint16) << 8).view(np.float16)),
    "*i8": (lambda x: (100 * x).astype(np.int8), same),
    "*u8": (lambda x: (100 * x).astype(np.int8).astype(np.uint8), same),
    "*i32": (lambda x: (100 * x).astype(np.int32), same),
    "*i64": (lambda x: (100 * x).astype(np.int64), same),
}


class Counts:
    """Turns of shared memory that conflicts cost, all and by instruction, and
    the FLOPs of the matrix instructions."""

    def __init__(self, stats):
        self.flops = stats["classes"].get("tensor", {"flops": 0})["flops"]
        self.total = stats["all"]["conflicts"]
        self.by_name = {name: 0 for name in BANKS_OF}
        for one in stats["instructions"]:
            for name in BANKS_OF:
                if one["opcode"].startswith(name):
                    self.by_name[name] += one["conflicts"]


class NoCounts:
    """The counts of a kernel that is not run."""

    def __init__(self):
        self.flops = self.total = 0
        self.by_name = {name: 0 for name in BANKS_OF}


def argument(kind, size, random):
    """Make an argument; `size`: an integer, or the first elements of an array.
    """
    if kind in ARRAYS:
        array = ARRAYS[kind][0](0.1 * random.standard_normal(ELEMENTS))
        if size:
            array[:len(size)] = size
        return array
    return ctypes.c_float(0.5) if kind == "fp32" else ctypes.c_int32(size)


def entry_of(ptx):
    """The kernel's name, and how many parameters it has."""
    head = re.search(r"\.entry\s+(\w+)\s*\((.*?)\)", ptx, re.S)
    return head[1], len(re.findall(r"\.param", head[2]))


def loads(library, chip, ptx, shared):
    """Whether that chip takes the kernel with its dynamic shared memory."""
    try:
        Simulator(library, chip.rstrip("a")).load(ptx, entry_of(ptx)[0], shared)
        return True
    except RuntimeError as error:
        if "cuFuncSetAttribute" not in str(error):
            raise
        return False


def launch(library, ptx, shared, warps, grid, args):
    """Launch; `args`: the kind and the size of each.  Return counts and arrays.
    """
    os.environ.update(TILE_SIM_CHECKS="none", TILE_SIM_SCHEDULE="late")
    random = np.random.default_rng(1)
    values = [argument(kind, size, random) for kind, size in args]
    name, params = entry_of(ptx)
    scratch = [ctypes.c_uint64(0)] * (params - len(values))  # no kernel uses it
    simulator = Simulator(library, "sm_90")
    function = simulator.load(ptx, name, shared)
    with tempfile.NamedTemporaryFile(suffix=".json") as stats:
        os.environ["TILE_SIM_STATS"] = "json:" + stats.name
        simulator.launch(function, grid, 32 * warps, shared, values + scratch)
        counts = Counts(json.load(stats))
    return counts, [ARRAYS[kind][1](value)
                    for (kind, _), value in zip(args, values)
                    if kind in ARRAYS]


def apart(function, *args):
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *args).result()


def is_same(a, b):
    """Arrays after two launches: equal up to how sums are rounded."""
    def close(x, y):
        x, y = x.astype(float), y.astype(float)
        return np.allclose(x, y, rtol=1e-2, atol=1e-2 * np.std(y))
    return all(map(close, a, b))
