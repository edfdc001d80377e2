# descriptors.py LIBTILESIM -- Triton's kernels on tensor descriptors, for sm_90.
#
# Descriptors that the kernel makes and those that the host passes: copies, with
# edges, and products, whose loads and stores are TMA's.
import ctypes
import os
import sys

SKIPPED = 77
try:
    import numpy as np
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)
if not hasattr(tl, "make_tensor_descriptor"):
    print(f"SKIP: Triton {triton.__version__} has no tensor descriptors")
    sys.exit(SKIPPED)

from simulator import Simulator

SCHEDULES = ["late", "early", "7"]
NAMES = {np.float16: "fp16", np.float32: "fp32", np.int8: "i8", np.int32: "i32"}


@triton.jit
def copy_made(a, b, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(b, [M, N], [N, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([i, j], x.load([i, j]))


@triton.jit
def copy_passed(x, y, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([i, j], x.load([i, j]))


@triton.jit
def add_passed(x, y, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.atomic_add([i, j], x.load([i, j]))


@triton.jit
def matmul_made(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    z = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(x.load([i, k]), y.load([k, j]), total)
    z.store([i, j], total.to(tl.float16))


@triton.jit
def matmul_passed(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([i, k]), b.load([k, j]), total)
    c.store([i, j], total.to(tl.float16))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr, ROLES: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across,
                         tl.num_programs(0), flatten=True,
                         warp_specialize=ROLES):
        i, j = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([i, k]), b.load([k, j]), total)
        c.store([i, j], total.to(tl.float16))


@triton.jit
def attend(q, k, v, out, LENGTH, SCALE: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, WIDTH: tl.constexpr):
    i = tl.program_id(0) * BM
    rows = q.load([i, 0])
    top = tl.full((BM,), -float("inf"), tl.float32)
    size = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, WIDTH), tl.float32)
    for j in range(0, LENGTH, BN):
        scores = tl.dot(rows, k.load([j, 0]).T) * SCALE
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp2(scores - higher[:, None])
        less = tl.exp2(top - higher)
        size = size * less + tl.sum(p, 1)
        sums = tl.dot(p.to(tl.float16), v.load([j, 0]), sums * less[:, None])
        top = higher
    out.store([i, 0], (sums / size[:, None]).to(tl.float16))


class Descriptor:
    """An array that the kernel gets as a descriptor of blocks."""

    def __init__(self, array, block):
        self.array, self.block = array, block

    def signature(self):
        block = ", ".join(str(n) for n in self.block)
        return f"tensordesc<{NAMES[self.array.dtype.type]}[{block}]>"


class Map(ctypes.Structure):
    _align_ = 64
    _fields_ = [("words", ctypes.c_uint64 * 16)]


def aligned_map():
    """Make a map of 128 bytes at a multiple of 64; the buffer keeps its
    memory."""
    memory = ctypes.create_string_buffer(128 + 64)
    address = (ctypes.addressof(memory) + 63) // 64 * 64
    found = Map.from_address(address)
    found.memory = memory
    return found


class Test:
    def __init__(self, library):
        self.simulator = Simulator(library, "sm_90")
        self.random = np.random.default_rng(1)
        self.failures = 0

    def draw(self, shape, dtype):
        if np.issubdtype(dtype, np.integer):
            return self.random.integers(-100, 100, shape).astype(dtype)
        return self.random.standard_normal(shape).astype(dtype)

    def encode(self, descriptor, meta, address):
        array, rank = descriptor.array, descriptor.array.ndim
        block = meta["block_size"]
        dims = (ctypes.c_uint64 * rank)(*array.shape[::-1])
        strides = (ctypes.c_uint64 * rank)(*array.strides[-2::-1])
        box = (ctypes.c_uint32 * rank)(*block[::-1])
        steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        found = aligned_map()
        self.simulator.call(
            "cuTensorMapEncodeTiled", ctypes.byref(found), meta["elem_type"],
            rank, ctypes.c_void_p(address.value), dims, strides, box, steps, 0,
            meta["swizzle"], 2, 0)
        return found

    def params(self, args, metas, arrays):
        values, metas = [], iter(metas)
        for arg in args:
            if isinstance(arg, Descriptor):
                address = arrays[id(arg.array)]
                values.append(self.encode(arg, next(metas), address))
                values += [ctypes.c_int32(n) for n in arg.array.shape]
                values += [ctypes.c_int64(n // arg.array.itemsize)
                           for n in arg.array.strides]
            elif isinstance(arg, np.ndarray):
                values.append(arrays[id(arg)])
            else:
                values.append(ctypes.c_int32(arg))
        return values

    def compile(self, kernel, args, constants):
        names = [p for p in kernel.arg_names if p not in constants]
        signature = dict.fromkeys(constants, "constexpr")
        attributes = {}
        for name, arg in zip(names, args):
            index = kernel.arg_names.index(name)
            if isinstance(arg, Descriptor):
                signature[name] = arg.signature()
            elif isinstance(arg, np.ndarray):
                signature[name] = "*" + NAMES[arg.dtype.type]
            else:
                signature[name] = "i32"
            if isinstance(arg, np.ndarray) or (isinstance(arg, int) and
                                               arg % 16 == 0):
                attributes[(index,)] = [["tt.divisibility", 16]]
        source = ASTSource(kernel, {n: signature[n] for n in kernel.arg_names},
                           constexprs=constants, attrs=attributes)
        return triton.compile(source, target=GPUTarget("cuda", 90, 32),
                              options={"num_warps": 4, "num_stages": 3})

    def run(self, kernel, grid, args, constants, results):
        """Yields the schedule after running under it; `results` come back."""
        code = self.compile(kernel, args, constants)
        if "cp.async.bulk.tensor" not in code.asm["ptx"]:
            raise RuntimeError(f"{kernel.__name__}: its copies are not TMA's")
        sim, metadata = self.simulator, code.metadata
        function = sim.load(code.asm["ptx"], metadata.name, metadata.shared)
        scratch = np.zeros(grid[0] * grid[1] * grid[2] *
                           max(metadata.global_scratch_size, 1), np.uint8)
        plain = [a.array if isinstance(a, Descriptor) else a for a in args]
        for schedule in SCHEDULES:
            os.environ["TILE_SIM_SCHEDULE"] = schedule
            arrays = {id(a): sim.upload(a) for a in plain + [scratch]
                      if isinstance(a, np.ndarray)}
            values = self.params(args, metadata.tensordesc_meta, arrays)
            values += [arrays[id(scratch)], ctypes.c_uint64(0)]
            pointers = (ctypes.c_void_p * len(values))(
                *[ctypes.addressof(v) for v in values])
            sim.call("cuLaunchKernel", function, *grid, 128, 1, 1,
                     metadata.shared, None, pointers, None)
            sim.call("cuCtxSynchronize")
            got = [np.empty_like(r) for r in results]
            for array, result in zip(got, results):
                sim.download(arrays[id(result)], array)
            for array in plain:
                if isinstance(array, np.ndarray) and not any(
                        array is r for r in results):
                    sim.call("cuMemFree_v2", arrays[id(array)])
            sim.call("cuMemFree_v2", arrays[id(scratch)])
            yield schedule, got

    def check(self, name, runs, want, tolerance=0):
        for schedule, (got,) in runs:
            error = np.max(np.abs(got.astype(float) - want.astype(float)) /
                           (1 + np.abs(want.astype(float))))
            reports = self.simulator.take_reports()
            ok = error <= tolerance and not reports
            self.failures += not ok
            print(f"{name:<40} {schedule:<6} {error:9.2e}  "
                  f"{'ok' if ok else 'WRONG'}", flush=True)
            for report in reports[:3]:
                print("  ", report)


def test_copies(test, dtype, columns):
    rows, width = 100, 208  # neither is a multiple of the block
    x, y = test.draw((rows, width), dtype), test.draw((rows, width), dtype)
    blocks = {"BM": 64, "BN": columns}
    grid = (2, -(-width // columns), 1)
    name = f"{NAMES[dtype]}, {columns} columns"
    runs = test.run(copy_made, grid, [x, y, rows, width], blocks, [y])
    test.check(f"copy by made descriptors, {name}", runs, x)
    described = [Descriptor(a, (64, columns)) for a in (x, y)]
    runs = test.run(copy_passed, grid, described, blocks, [y])
    test.check(f"copy by passed descriptors, {name}", runs, x)


def test_sums(test, dtype):
    x, y = test.draw((70, 48), dtype), test.draw((70, 48), dtype)
    described = [Descriptor(a, (32, 32)) for a in (x, y)]
    runs = test.run(add_passed, (3, 2, 1), described, {"BM": 32, "BN": 32}, [y])
    test.check(f"sums in memory, {NAMES[dtype]}", runs, x + y, 1e-3)


def test_matmuls(test):
    m, n, k = 200, 144, 176
    a, b = test.draw((m, k), np.float16), test.draw((k, n), np.float16)
    c = test.draw((m, n), np.float16)
    want = (a.astype(float) @ b.astype(float)).astype(np.float16)
    blocks = {"BM": 64, "BN": 64, "BK": 64}
    passed = [Descriptor(x, (64, 64)) for x in (a, b, c)]
    for name, kernel, args in (
            ("passed", matmul_passed, passed + [k]),
            ("made", matmul_made, [a, b, c, m, n, k])):
        runs = test.run(kernel, (4, 3, 1), args, blocks, [c])
        test.check(f"matmul by {name} descriptors", runs, want, 2e-3)
    for roles in (False, True):
        runs = test.run(persistent, (3, 1, 1), passed + [m, n, k],
                        {**blocks, "ROLES": roles}, [c])
        name = "persistent matmul" + (", roles" if roles else "")
        test.check(name, runs, want, 2e-3)


def test_attention(test):
    length, width, scale = 256, 64, 0.125
    q, k, v, out = (test.draw((length, width), np.float16) for _ in range(4))
    scores = q.astype(float) @ k.astype(float).T * scale
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    want = p @ v.astype(float) / p.sum(axis=1, keepdims=True)
    args = [Descriptor(x, (rows, width))
            for x, rows in ((q, 128), (k, 64), (v, 64), (out, 128))]
    runs = test.run(attend, (length // 128, 1, 1), args + [length],
                    {"SCALE": scale * np.log2(np.e), "BM": 128, "BN": 64,
                     "WIDTH": width}, [out])
    test.check("attention", runs, want, 2e-3)


def main(library):
    test = Test(library)
    for dtype, columns in ((np.float16, 64), (np.float16, 32), (np.float32, 16),
                           (np.int8, 128), (np.int32, 32)):
        test_copies(test, dtype, columns)
    for dtype in (np.float16, np.float32, np.int32):
        test_sums(test, dtype)
    test_matmuls(test)
    test_attention(test)
    return test.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
