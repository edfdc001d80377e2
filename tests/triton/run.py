# run.py LIBTILESIM CHIP KERNELS -- PTX that Triton makes, in the simulator.
#
# Every kernel is compared with a reference in double precision, and any report
# is a failure.  Schedules: in order, copies early, and one drawn from a seed.
import ctypes
import os
import sys
import time
import importlib.util

SKIPPED = 77
try:
    import numpy as np
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)

import kernels
from simulator import Simulator, fault_of

SCHEDULES = ["late", "early", "7"]
POINTERS = {np.float32: "*fp32", np.float16: "*fp16"}


def import_file(path):
    spec = importlib.util.spec_from_file_location("published", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Test:
    def __init__(self, library, chip):
        self.chip = chip
        self.simulator = Simulator(library, chip)
        self.random = np.random.default_rng(1)
        self.failures = 0

    def normal(self, *shape, dtype=np.float32):
        return self.random.standard_normal(shape).astype(dtype)

    def compile(self, kernel, args, constants, num_warps, num_stages):
        names = [p for p in kernel.arg_names if p not in constants]
        signature = dict.fromkeys(constants, "constexpr")
        attributes = {}
        for name, arg in zip(names, args):
            index = kernel.arg_names.index(name)
            if isinstance(arg, np.ndarray):
                signature[name] = POINTERS[arg.dtype.type]
            elif isinstance(arg, float):
                signature[name] = "fp32"
            else:
                signature[name] = "i32"
            if isinstance(arg, np.ndarray) or (isinstance(arg, int)
                                               and arg % 16 == 0):
                attributes[(index,)] = [["tt.divisibility", 16]]
        signature = {n: signature[n] for n in kernel.arg_names}
        source = ASTSource(kernel, signature, constexprs=constants,
                           attrs=attributes)
        options = {"num_warps": num_warps, "num_stages": num_stages}
        target = GPUTarget("cuda", int(self.chip[3:]), 32)
        return triton.compile(source, target=target, options=options)

    def run(self, kernel, grid, args, constants, num_warps=4, num_stages=3):
        """Yields the schedule after running under it."""
        code = self.compile(kernel, args, constants, num_warps, num_stages)
        shared = code.metadata.shared
        self.fault = fault_of(code.asm["ptx"])
        function = self.simulator.load(code.asm["ptx"], code.metadata.name,
                                       shared)
        values = [ctypes.c_float(a) if isinstance(a, float) else
                  ctypes.c_int32(a) if isinstance(a, int) else a for a in args]
        values += [ctypes.c_uint64(0)] * 2  # scratch memory, which none uses
        for schedule in SCHEDULES:
            os.environ["TILE_SIM_SCHEDULE"] = schedule
            start = time.time()
            self.simulator.launch(function, grid, num_warps * 32, shared,
                                  values, self.fault)
            yield schedule, time.time() - start

    def check(self, name, runs, pairs, tolerance, size=None):
        """Errors are relative to 1 + |want|, or to `size`."""
        for schedule, seconds in runs:
            error = max(np.max(np.abs(got - want) /
                               (1 + np.abs(want) if size is None else size))
                        for got, want in pairs)
            reports = self.simulator.take_reports(self.fault)
            ok = error <= tolerance and not reports
            self.failures += not ok
            print(f"{name:<44} {schedule:<6} {seconds:6.2f} s  "
                  f"{error:9.2e}  {'ok' if ok else 'WRONG'}"
                  f"{', as told: ' + self.fault if self.fault else ''}",
                  flush=True)
            for report in reports[:3]:
                print("  ", report)
            for got, _ in pairs:
                got.fill(np.nan)


def test_vectors(test, published):
    n = 98432
    x, y, out = test.normal(n), test.normal(n), test.normal(n)
    runs = test.run(published.add_kernel, (97, 1, 1), [x, y, out, n],
                    {"BLOCK_SIZE": 1024})
    test.check("vector add", runs, [(out, x.astype(float) + y)], 1e-7)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_softmax(test, published):
    rows, columns = 61, 781
    x, out = test.normal(rows, columns), test.normal(rows, columns)
    for stages in (2, 4):
        runs = test.run(published.softmax_kernel, (16, 1, 1),
                        [out, x, columns, columns, rows, columns],
                        {"BLOCK_SIZE": 1024, "num_stages": stages}, 8)
        test.check(f"softmax, {stages} stages", runs,
                   [(out, softmax(x.astype(float)))], 1e-6)


def test_layer_norm(test):
    rows, columns = 37, 1000
    x, y = test.normal(rows, columns), test.normal(rows, columns)
    w, b = test.normal(columns), test.normal(columns)
    d = x.astype(float)
    centred = d - d.mean(axis=1, keepdims=True)
    want = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5) * w + b
    runs = test.run(kernels.layer_norm, (rows, 1, 1),
                    [x, y, w, b, columns, 1e-5], {"BLOCK": 1024})
    test.check("layer norm", runs, [(y, want)], 5e-6)


# Each product may differ by twice the error of rounding an operand; summing in
# single precision adds k roundings.
def test_matmul(test, dtype, lost):
    m, n, k = 200, 136, 168
    a, b = test.normal(m, k, dtype=dtype), test.normal(k, n, dtype=dtype)
    c = test.normal(m, n)
    want = a.astype(float) @ b.astype(float)
    size = np.abs(a.astype(float)) @ np.abs(b.astype(float))
    for stages in (1, 2, 3, 4):
        runs = test.run(kernels.matmul, (4, 3, 1), [a, b, c, m, n, k],
                        {"BM": 64, "BN": 64, "BK": 32}, 4, stages)
        test.check(f"matmul {np.dtype(dtype).name}, {stages} stages", runs,
                   [(c, want)], 2 * lost + k * 2.0**-23, size)


class Attention:
    """One head: inputs in fp16, everything else exact."""

    def __init__(self, test, length, width, causal):
        half = lambda: test.normal(length, width, dtype=np.float16)
        self.q, self.k, self.v, self.do = half(), half(), half(), half()
        self.scale = 0.5
        scores = self.q.astype(float) @ self.k.astype(float).T * self.scale
        if causal:
            scores[np.triu_indices(length, 1)] = -np.inf
        self.p = softmax(scores)
        self.out = self.p @ self.v.astype(float)
        top = scores.max(axis=1)
        self.m = (top + np.log(np.exp(scores - top[:, None]).sum(axis=1)))
        self.m *= np.log2(np.e)

    def gradients(self):
        do, p = self.do.astype(float), self.p
        dp = do @ self.v.astype(float).T
        ds = p * (dp - (do * self.out).sum(axis=1)[:, None]) * self.scale
        return (ds @ self.k.astype(float), ds.T @ self.q.astype(float),
                p.T @ do)


def test_forward(test, published, length, causal, stages):
    width = 64
    case = Attention(test, length, width, causal)
    out = test.normal(length, width, dtype=np.float16)
    m = test.normal(length)
    strides = [length * width, length * width, width, 1] * 4
    runs = test.run(published._attn_fwd, (length // 128, 1, 1),
                    [case.q, case.k, case.v, case.scale, m, out] + strides +
                    [1, 1, length],
                    {"HEAD_DIM": width, "BLOCK_M": 128, "BLOCK_N": 64,
                     "STAGE": 3 if causal else 1}, 4, stages)
    name = f"attention forward {length}, {stages} stages"
    test.check(name + (", causal" if causal else ""), runs,
               [(out, case.out), (m, case.m)], 1e-2)


def test_backward(test, published, length):
    width = 64
    case = Attention(test, length, width, True)
    dq, dk, dv = (test.normal(length, width, dtype=np.float16)
                  for _ in range(3))
    delta = np.full(length, np.nan, np.float32)
    out = case.out.astype(np.float16)
    want = (out.astype(float) * case.do).sum(axis=1)
    runs = test.run(published._attn_bwd_preprocess, (length // 128, 1, 1),
                    [out, case.do, delta, 1, 1, length],
                    {"BLOCK_M": 128, "HEAD_DIM": width})
    test.check("attention backward, preprocess", runs, [(delta, want)], 1e-3)
    delta[:] = want
    k = (case.k.astype(float) * case.scale * np.log2(np.e)).astype(np.float16)
    runs = test.run(published._attn_bwd, (length // 128, 1, 1),
                    [case.q, k, case.v, case.scale, case.do, dq, dk, dv,
                     case.m.astype(np.float32), delta, length * width,
                     length * width, width, 1, 1, length],
                    {"BLOCK_M1": 32, "BLOCK_N1": 128, "BLOCK_M2": 128,
                     "BLOCK_N2": 32, "BLK_SLICE_FACTOR": 2,
                     "HEAD_DIM": width}, 4, 5)
    test.check("attention backward", runs,
               list(zip((dq, dk, dv), case.gradients())), 1e-2)


def main(library, chip, folder):
    vectors = os.path.join(folder, "vector_add_softmax.py")
    attention = os.path.join(folder, "fused_attention_fwd_bwd.py")
    if not os.path.exists(vectors) or not os.path.exists(attention):
        print(f"SKIP: the published kernels are not in {folder}")
        return SKIPPED
    test = Test(library, chip)
    test_vectors(test, import_file(vectors))
    test_softmax(test, import_file(vectors))
    test_layer_norm(test)
    test_matmul(test, np.float16, 0)
    test_matmul(test, np.float32, 2.0**-10)  # tf32 cuts off after 10 bits
    # The published attention is written with block pointers.
    if tuple(int(n) for n in triton.__version__.split(".")[:2]) >= (3, 9):
        print(f"attention is left out: Triton {triton.__version__} has no "
              "block pointers")
        return test.failures != 0
    published = import_file(attention)
    for stages in (1, 2, 3, 4):
        test_forward(test, published, 256, True, stages)
    test_forward(test, published, 512, False, 3)
    test_backward(test, published, 256)
    return test.failures != 0


sys.exit(main(*sys.argv[1:4]))
