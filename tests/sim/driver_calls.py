#!/usr/bin/env python3
"""Calls every function of the simulator's driver, and changes each argument in turn.

    driver_calls.py LIBTILESIM            compares with driver_calls.txt
    driver_calls.py LIBTILESIM --write    writes driver_calls.txt anew

The arguments of a call are valid objects, by the parameters' types and names in calls.def;
then each argument in turn is zero, garbage that may be handed over, or another number. A hash
makes one letter of the result and the numbers that the call returns.
"""
import base64
import ctypes
import hashlib
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
CALLS = HERE / "../../runtime/simulator/driver/calls.def"
TABLE = HERE / "driver_calls.txt"
PTX = b""".version 8.0
.target sm_80
.address_size 64
.global .align 8 .b8 g[64];
.visible .entry k() { ret; }
"""
# Functions that end or block the process, call back, or return values that a
# test cannot know.
LEFT_OUT = re.compile(r"cuGetProcAddress|cuLaunchHostFunc|cuStreamAddCallback|cuDeviceGetUuid|cuLink|"
                      r"cuOccupancyMaxPotential|cuProfiler|cuModuleLoad$|cuCtxGetId|cuStreamGetId|"
                      r"cuEventElapsedTime|cuMemGetInfo|GetName|Address|cuLibraryLoadFromFile")
HANDLES = {"CUcontext", "CUmodule", "CUfunction", "CUstream", "CUevent", "CUdeviceptr", "CUmemoryPool",
           "CUlibrary", "CUkernel"}
GARBAGE = 0x7000000a5
# Bytes of memory for a call: ZEROS zeros, then REST bytes of numbers that are no option, so that a
# list with too large a count ends.
ZEROS, REST = 8192, 8192


def calls():
    """Yield (name, symbol, [(type, name)]) for each row of the file."""
    text = re.sub(r"//.*", "", CALLS.read_text())
    for found in re.finditer(r"^(?:CALL|LOCKED)\((\w+), (\w+),\s*\(([^()]*)\)", text, re.M):
        params = []
        for part in filter(None, (p.strip() for p in found.group(3).split(","))):
            kind, name = re.fullmatch(r"(.*?)(\w+)", " ".join(part.split())).groups()
            params.append((kind.strip(), name))
        if params != [("", "void")] and not LEFT_OUT.search(found.group(2)):
            yield found.group(2), params


class World:
    """A context with an object of each kind."""

    def __init__(self, lib):
        self.lib = lib
        self.objects = {kind: ctypes.c_void_p() for kind in HANDLES}
        at = {kind: ctypes.byref(value) for kind, value in self.objects.items()}
        lib.cuCtxCreate_v2(at["CUcontext"], 0, 0)
        lib.cuModuleLoadData(at["CUmodule"], PTX)
        lib.cuModuleGetFunction(at["CUfunction"], self.objects["CUmodule"], b"k")
        lib.cuStreamCreate(at["CUstream"], 0)
        lib.cuEventCreate(at["CUevent"], 0)
        lib.cuMemAlloc_v2(at["CUdeviceptr"], ctypes.c_size_t(4096))
        lib.cuDeviceGetDefaultMemPool(at["CUmemoryPool"], 0)
        lib.cuLibraryLoadData(at["CUlibrary"], PTX, None, None, 0, None, None, 0)
        lib.cuLibraryGetKernel(at["CUkernel"], self.objects["CUlibrary"], b"k")
        self.memory = (ctypes.c_ubyte * (128 + ZEROS + REST))()
        self.host = ctypes.addressof(self.memory)
        self.host += -self.host % 128
        ctypes.memset(self.host + ZEROS, 0xff, REST)

    def close(self):
        self.lib.cuCtxSetCurrent(self.objects["CUcontext"])
        self.lib.cuMemFree_v2(self.objects["CUdeviceptr"])
        self.lib.cuCtxDestroy_v2(self.objects["CUcontext"])
        context = ctypes.c_void_p()
        while not self.lib.cuCtxGetCurrent(ctypes.byref(context)) and context:
            self.lib.cuCtxPopCurrent_v2(ctypes.byref(context))

    def argument(self, kind, name, index):
        if kind in HANDLES:
            return self.objects[kind]
        if kind == "const char *":
            return ctypes.c_char_p(b"g" if "global" in name or "symbol" in name else b"k")
        if kind.endswith("*"):
            if name in ("image", "data") and "const" in kind:
                return ctypes.c_char_p(PTX)
            return ctypes.c_void_p(self.host + 512 * index)
        if kind in ("size_t", "uint64_t", "unsigned long long"):
            return ctypes.c_uint64(16)
        if kind in ("CUdevice", "int") and name in ("device", "ordinal", "peer", "flags"):
            return ctypes.c_int(0)
        return ctypes.c_int(0 if name in ("flags", "shared") else 1)


def others(symbol, kind):
    """List the values that replace a valid argument."""
    zero = [ctypes.c_void_p(0)]
    if kind == "CUdeviceptr" and symbol.startswith("cuMemcpy"):  # may be the host's memory
        return zero
    if kind in HANDLES:
        return zero + [ctypes.c_void_p(GARBAGE)]
    if kind.endswith("*"):
        return zero
    if kind in ("size_t", "uint64_t", "unsigned long long"):
        return [ctypes.c_uint64(v) for v in (0, 1, 17, 4096, 4097, 2**62)]
    return [ctypes.c_int(v) for v in (0, 2, 3, 5, 16, 100, -1)]


def told(world, params):
    """The small numbers that the call has stored; addresses are left out."""
    numbers = []
    for i, (kind, _) in enumerate(params):
        if kind in ("int *", "unsigned *", "size_t *", "CUdevice *") or kind.startswith("CUresult"):
            place = world.host + 512 * i
            size = ctypes.c_uint64 if kind == "size_t *" else ctypes.c_int
            value = size.from_address(place).value
            numbers.append(value if abs(value) < 1 << 24 else "many")
    return numbers


def letter_of(result):
    return base64.b64encode(hashlib.sha256(repr(result).encode()).digest())[:1].decode()


def letters(lib, symbol, params):
    found = ""
    changes = [None] + [(i, v) for i, (kind, _) in enumerate(params) for v in others(symbol, kind)]
    for change in changes:
        world = World(lib)
        args = [world.argument(kind, name, i) for i, (kind, name) in enumerate(params)]
        if change:
            args[change[0]] = change[1]
        result = getattr(lib, symbol)(*args)
        found += letter_of((result, told(world, params)))
        world.close()
    return found


def main():
    os.environ["TILE_SIM_CHIP"] = "sm_90"
    os.environ["TILE_SIM_REPORT"] = "/dev/null"  # for reports of leaks
    lib = ctypes.CDLL(sys.argv[1])
    lib.cuInit(0)
    lines = [f"{symbol} {letters(lib, symbol, params)}" for symbol, params in calls()]
    if "--write" in sys.argv:
        TABLE.write_text("\n".join(lines) + "\n")
        return
    kept = dict(line.split() for line in TABLE.read_text().splitlines())
    wrong = [(*line.split(), kept[line.split()[0]]) for line in lines
             if kept.get(line.split()[0], line.split()[1]) != line.split()[1]]
    for symbol, found, wanted in wrong:
        print(f"{symbol}: {found}, not {wanted}")
    new = [line.split()[0] for line in lines if line.split()[0] not in kept]
    if new:
        print("SKIP (part): not in driver_calls.txt:", *new)
    sys.exit(bool(wrong) or 10 * len(new) > len(lines))


if __name__ == "__main__":
    main()
