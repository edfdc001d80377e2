# products.py LIBTILESIM -- wgmma as Triton makes it for sm_90a, in the simulator.
#
# Products of every type, with each operand in either order and A in shared memory or in
# registers, against NumPy in double.  Inputs are small integers, so that sums are exact.
import ctypes
import os
import sys

SKIPPED = 77
try:
    import ml_dtypes
    import numpy as np
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(SKIPPED)

from simulator import Simulator, fault_of

SCHEDULES = ["late", "early", "7", "8"]
TYPES = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32, "i8": np.int8,
         "fp8e4nv": ml_dtypes.float8_e4m3fn, "fp8e5": ml_dtypes.float8_e5m2, "i32": np.int32}


@triton.jit
def product(a, b, c, K, am, ak, bk, bn, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, CHANGES: tl.constexpr, TOTAL: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=TOTAL)
    for start in range(0, K, BK):
        left = tl.load(a + rows[:, None] * am + (start + k)[None, :] * ak)
        right = tl.load(b + (start + k)[:, None] * bk + columns[None, :] * bn)
        if CHANGES:
            left = -left
        total = tl.dot(left, right, total, out_dtype=TOTAL)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


class Case:
    def __init__(self, a, b, c, block, warps, order, changes=False, stages=3):
        self.a, self.b, self.c, self.block, self.warps = a, b, c, block, warps
        self.order, self.changes, self.stages = order, changes, stages

    def __str__(self):
        return (f"{self.a} {self.b} {self.c} {self.block} warps {self.warps} stages {self.stages} "
                f"{self.order}{' registers' if self.changes else ''}")


def compile_case(case, n):
    bm, bn, bk = case.block
    total = {"fp32": tl.float32, "fp16": tl.float16, "i32": tl.int32}[case.c]
    constants = {"N": n, "BM": bm, "BN": bn, "BK": bk, "CHANGES": case.changes, "TOTAL": total}
    signature = {"a": "*" + case.a, "b": "*" + case.b, "c": "*" + case.c, "K": "i32"}
    strides = {"am": "i32", "ak": "i32", "bk": "i32", "bn": "i32"}
    one = ["ak" if case.order[0] == "r" else "am", "bn" if case.order[1] == "r" else "bk"]
    for name in one:
        strides[name] = "constexpr"
        constants[name] = 1
    signature |= strides
    names = product.arg_names
    attributes = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names)
                  if n not in constants}
    signature = {n: signature.get(n, "constexpr") for n in names}
    source = ASTSource(product, signature, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32),
                          options={"num_warps": case.warps, "num_stages": case.stages})


def run(simulator, case, random):
    bm, bn, bk = case.block
    m, n, k = 2 * bm, 2 * bn, 3 * bk
    code = compile_case(case, n)
    if "wgmma.mma_async" not in code.asm["ptx"]:
        print(f"{case}: no wgmma")
        return case.a != "fp32" or case.order == "rc"
    a = random.integers(-4, 5, (m, k)).astype(TYPES[case.a])
    b = random.integers(-4, 5, (k, n)).astype(TYPES[case.b])
    want = a.astype(float) @ b.astype(float) * (-1 if case.changes else 1)
    shared = code.metadata.shared
    fault = fault_of(code.asm["ptx"])
    function = simulator.load(code.asm["ptx"], code.metadata.name, shared)
    given_a = a if case.order[0] == "r" else np.ascontiguousarray(a.T)
    given_b = b if case.order[1] == "r" else np.ascontiguousarray(b.T)
    failed = False
    wide = [k if case.order[0] == "r" else m, n if case.order[1] == "r" else k]
    for schedule in SCHEDULES:
        os.environ["TILE_SIM_SCHEDULE"] = schedule
        c = np.zeros((m, n), TYPES[case.c])
        args = [given_a.view(np.uint8), given_b.view(np.uint8), c]
        args += [ctypes.c_int32(x) for x in [k] + wide] + [ctypes.c_uint64(0)] * 2
        simulator.launch(function, (2, 2, 1), case.warps * 32, shared, args, fault)
        # Triton 3.9 splits accumulators in fp16 before the wait, so that ptxas
        # notes C7517. Triton 3.6 fills A's registers anew before it.
        allowed = "wgmma-read" if case.c == "fp16" else "wgmma-source" if fault else None
        reports = [r for r in simulator.take_reports(fault) if r["kind"] != allowed]
        wrong = not np.array_equal(c.astype(float), want)
        if wrong or reports:
            failed = True
            print(f"{case} {schedule}: {'WRONG' if wrong else ''} {reports[:3]}")
    print(f"{case}: {'failed' if failed else 'ok'}{', with ' + fault if fault else ''}",
          flush=True)
    return failed


def cases():
    blocks = [((64, 64, 64), 4), ((128, 128, 64), 4), ((128, 256, 64), 8), ((64, 16, 32), 4),
              ((128, 32, 128), 8)]
    for block, warps in blocks:
        for order in ("rr", "rc", "cr", "cc"):
            yield Case("fp16", "fp16", "fp32", block, warps, order)
        yield Case("fp16", "fp16", "fp32", block, warps, "rr", True)
        yield Case("bf16", "bf16", "fp32", block, warps, "rc", True)
        yield Case("bf16", "bf16", "fp32", block, warps, "cr")
        yield Case("fp32", "fp32", "fp32", (block[0], block[1], 32), warps, "rc")
        yield Case("fp32", "fp32", "fp32", (block[0], block[1], 32), warps, "rr", True)
        for a, b in (("fp8e4nv", "fp8e4nv"), ("fp8e5", "fp8e5")):
            yield Case(a, b, "fp32", block, warps, "rc")
        yield Case("i8", "i8", "i32", block, warps, "rc")
        yield Case("i8", "i8", "i32", block, warps, "rr")
    yield Case("fp16", "fp16", "fp16", (64, 128, 64), 4, "rr")
    for stages in (1, 2, 4):
        yield Case("fp16", "fp16", "fp32", (128, 64, 64), 4, "rr", False, stages)


def main(library):
    simulator = Simulator(library, "sm_90")
    random = np.random.default_rng(1)
    failed = [str(case) for case in cases() if run(simulator, case, random)]
    return len(failed) != 0


sys.exit(main(sys.argv[1]))
