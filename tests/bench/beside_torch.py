# beside_torch.py TILEC [ROW...] -- products, attention, and kernels that go over
# rows on the CPU beside PyTorch, NumPy, onnxruntime and oneDNN, on one thread, by
# turns, in processor time.
#
# Needs torch and a C compiler; other_peers.py says where the other libraries are.
# Prints a row for each of ROWS, or of those whose name starts so.  A kernel is
# compiled to an object and its programs are called one after the other.
import ctypes
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

for name in ("OMP", "MKL", "OPENBLAS"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import numpy as np
import torch

import other_peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
TURNS, SECONDS, SCRATCH = 9, 0.05, 1 << 26

DRIVER = """
#include <stdint.h>
typedef void Kernel(const uint64_t *, const uint32_t *, const uint32_t *, void *);
void drive(Kernel *kernel, const uint64_t *args, uint32_t x, uint32_t y, char *scratch,
           int keeps) {
  const uint32_t grid[3] = {x, y, 1};
  for (uint32_t j = 0; j < y; j++)
    for (uint32_t i = 0; i < x; i++) {
      const uint32_t program[3] = {i, j, 0};
      kernel(args, program, grid, scratch + (keeps && (i || j)));
    }
}
"""


def word(value):
    if isinstance(value, torch.Tensor):
        return value.data_ptr()
    if isinstance(value, float):
        return struct.unpack("I", struct.pack("f", value))[0]
    return value


class Compiler:
    def __init__(self, tilec):
        self.tilec = tilec
        self.folder = tempfile.TemporaryDirectory()
        self.scratch = np.empty(SCRATCH + 64, np.uint8)
        self.kernels = 0

    def kernel(self, source, name, signature, constants):
        """Compile the kernel; the result is a function of arguments and a
        grid."""
        self.kernels += 1
        path = pathlib.Path(self.folder.name) / f"kernel{self.kernels}"
        defines = [f"-D{k}={v}" for k, v in constants.items()]
        path.with_suffix(".tile").write_text(source)
        path.with_suffix(".c").write_text(DRIVER)
        usage = subprocess.run(
            [self.tilec, f"--kernel={name}", f"--signature={signature}", *defines,
             "--target=cpu", "--emit=obj", "--cache-dir=off", "--resource-usage=json",
             "-o", f"{path}.o", f"{path}.tile"], check=True, stderr=subprocess.PIPE).stderr
        keeps = json.loads(usage).get("keeps_scratch", False)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", f"{path}.so",
                        f"{path}.c", f"{path}.o", "-lm"], check=True)
        library = ctypes.CDLL(f"{path}.so")
        kernel = getattr(library, f"kernel_{name}")
        scratch = (self.scratch.ctypes.data + 63) // 64 * 64

        def bind(args, x, y=1):
            words = (ctypes.c_uint64 * len(args))(*map(word, args))
            return lambda: library.drive(kernel, words, x, y, ctypes.c_void_p(scratch), keeps)

        return bind


def timed(function, times):
    start = time.thread_time()
    for _ in range(times):
        function()
    return (time.thread_time() - start) / times


def by_turns(row, ours, peers, error):
    ours()
    times = max(1, int(SECONDS / timed(ours, 1)))
    all_times = {name: [] for name in ["ours", *peers]}
    for _ in range(TURNS):
        for name, function in [("ours", ours), *peers.items()]:
            all_times[name].append(timed(function, times))
    median = {name: 1e3 * statistics.median(x) for name, x in all_times.items()}
    ratios = " | ".join(f"{name} {median[name]:.3g} ms | {median[name] / median['ours']:.2f}"
                        for name in peers)
    print(f"| {row} | {median['ours']:.3g} ms | {ratios} | {error():.1e} |", flush=True)


def matmul(compiler, row, kind, size, block_k=64):
    source = (ROOT / "examples/matmul/matmul.tile").read_text()
    if kind == "int8":
        source = source.replace("dtype=tl.float32", "dtype=tl.int32")
        source = source.replace(', input_precision="ieee"', "")
        a, b = (torch.randint(-128, 128, (size, size), dtype=torch.int8) for _ in "ab")
        c, types = torch.empty(size, size, dtype=torch.int32), "*i8, *i8, *i32"
        peers = {"torch": lambda: torch._int_mm(a, b)}
    else:
        a, b = (torch.randn(size, size).to(TYPES[kind]) for _ in "ab")
        c, types = torch.empty_like(a), f"*{kind}, *{kind}, *{kind}"
        out = torch.empty_like(a)
        peers = {"torch": lambda: torch.mm(a, b, out=out)}
    if kind == "fp32":
        x, y, z = a.numpy(), b.numpy(), np.empty((size, size), np.float32)
        peers["NumPy"] = lambda: np.matmul(x, y, out=z)
    peers |= other_peers.matmul(a, b, c)
    bind = compiler.kernel(source, "matmul", f"{types}, i32, i32, i32, i32, i32, i32",
                           {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": block_k})
    run = bind([a, b, c] + 6 * [size], (-(-size // 128)) ** 2)
    right = a.double() @ b.double()
    by_turns(row, run, peers, lambda: ((c - right).abs().max() / right.abs().max()).item())


def attention(compiler, row, kind, dim, causal, length=1024, heads=8):
    q, k, v = (torch.randn(1, heads, length, dim).to(TYPES[kind]) for _ in "qkv")
    out, lse = torch.empty_like(q), torch.empty(heads, length)
    bind = compiler.kernel(
        (ROOT / "examples/fused-attention/fused-attention.tile").read_text(), "attention",
        4 * f"*{kind}, " + "*fp32, fp32, i32",
        {"HEAD_DIM": dim, "BLOCK_M": 64, "BLOCK_N": 64, "CAUSAL": causal})
    run = bind([q, k, v, out, lse, dim**-0.5, length], length // 64, heads)
    attend = torch.nn.functional.scaled_dot_product_attention
    right = attend(q.double(), k.double(), v.double(), is_causal=causal)
    peers = {"torch": lambda: attend(q, k, v, is_causal=causal)}
    by_turns(row, run, peers | other_peers.attention(q, k, v, causal),
             lambda: (out - right).abs().max().item())


# Weights of 8 or 4 bits, two of which are a byte, by rows of the product's columns;
# a scale, and for 4 bits a bias, for each column and BLOCK_K of them.
WEIGHTS = """
import triton
import triton.language as tl


@triton.jit
def weights(x, w, scales, out, M, N, K, BITS: tl.constexpr, BLOCK_M: tl.constexpr,
            BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    BYTES: tl.constexpr = BLOCK_K * BITS // 8
    sums = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for group in range(0, K // BLOCK_K):
        a = tl.load(x + m[:, None] * K + group * BLOCK_K + k[None, :])
        at = n[:, None] * (K * BITS // 8) + group * BYTES + tl.arange(0, BYTES)[None, :]
        b = tl.load(w + at)
        if BITS == 4:
            b = tl.reshape(tl.join(b & 15, b >> 4), [BLOCK_N, BLOCK_K]).to(tl.float32)
            scale = scales + (group * N + n[:, None]) * 2
            b = (b - 8) * tl.load(scale).to(tl.float32) + tl.load(scale + 1).to(tl.float32)
        sums = tl.dot(a, b.to(a.dtype).T, sums)
    if BITS == 8:
        sums *= tl.load(scales + n).to(tl.float32)[None, :]
    tl.store(out + m[:, None] * N + n[None, :], sums.to(out.dtype.element_ty))
"""


def weights(compiler, row, bits, kind, rows, size=1024, group=64, block=32):
    x = torch.randn(rows, size).to(TYPES[kind])
    out = torch.empty_like(x)
    if bits == 8:
        w = torch.randint(-128, 128, (size, size), dtype=torch.int8)
        scales = torch.rand(size).to(TYPES[kind])
        right = x.double() @ w.double().T * scales.double()
        peer = lambda: torch._weight_int8pack_mm(x, w, scales)
    else:
        q = torch.randint(0, 16, (size, size), dtype=torch.int32)
        w = (q[:, ::2] | q[:, 1::2] << 4).to(torch.uint8)
        scales = torch.randn(size // group, size, 2).to(TYPES[kind])
        each = scales.double().repeat_interleave(group, 0)
        right = x.double() @ ((q.T.double() - 8) * each[..., 0] + each[..., 1])
        packed = torch._convert_weight_to_int4pack_for_cpu(q, 2)
        peer = lambda: torch._weight_int4pack_mm_for_cpu(x, packed, group, scales)
    types = f"*{kind}:16, *{'i8' if bits == 8 else 'u8'}:16, *{kind}:16, *{kind}:16"
    bind = compiler.kernel(WEIGHTS, "weights", types + ", i32:16, i32:16, i32:16",
                           {"BITS": bits, "BLOCK_M": min(rows, 128), "BLOCK_N": block,
                            "BLOCK_K": group})
    run = bind([x, w, scales, out, rows, size, size], -(-rows // 128), size // block)
    peers = {"torch": peer}
    if bits == 8:  # the middle of unsigned numbers is 0 of the signed ones
        peers |= other_peers.weights(x, w, scales[:, None].repeat(1, size // group), out, 8, group)
    else:
        peers |= other_peers.weights(x, w, scales[..., 0].T, out, 4, group)
    by_turns(row, run, peers,
             lambda: ((out - right).abs().max() / right.abs().max()).item())


ROWS_HEADER = """
import triton
import triton.language as tl


@triton.jit
def rows(x, out, n, N: tl.constexpr, K: tl.constexpr = 8):
    i = tl.arange(0, N)
    row = tl.program_id(0)
    v = tl.load(x + row * N + i)
"""

# By name: the statement that stores the result of a row, the number of its elements, and torch's function.
OVER_ROWS = {
    "sum": ("tl.store(out + row, tl.sum(v, axis=0))", 1, lambda x: x.sum(1)),
    "cumsum": ("tl.store(out + row * N + i, tl.cumsum(v, axis=0))", None,
               lambda x: x.cumsum(1)),
    "topk": ("tl.store(out + row * K + tl.arange(0, K), tl.topk(v, K))", 8,
             lambda x: x.topk(8, 1).values),
    "sort": ("tl.store(out + row * N + i, tl.sort(v))", None, lambda x: x.sort(1).values),
}


def over_rows(compiler, row, kind, rows, columns):
    body, stored, function = OVER_ROWS[kind]
    x, out = torch.randn(rows, columns), torch.empty(rows, stored or columns)
    bind = compiler.kernel(f"{ROWS_HEADER}    {body}\n", "rows", "*fp32:16, *fp32:16, i32",
                           {"N": columns})
    run = bind([x, out, rows], rows)
    right = function(x.double())
    peers = {"torch": lambda: function(x)} | other_peers.over_rows(kind, x, stored)
    by_turns(row, run, peers,
             lambda: (out.view(right.shape) - right).abs().max().item())


COUNT = """
import triton
import triton.language as tl


@triton.jit
def count(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.arange(0, 256), tl.histogram(tl.load(x + i), 256), sem="relaxed")
"""


def histogram(compiler, row, size, block=8192):
    x = torch.randint(0, 256, (size,), dtype=torch.int32)
    out = torch.zeros(256, dtype=torch.int32)
    bind = compiler.kernel(COUNT, "count", "*i32:16, *i32:16, i32", {"BLOCK": block})
    add = bind([x, out, size], size // block)

    def run():
        out.zero_()
        add()

    right = torch.bincount(x, minlength=256)
    by_turns(row, run, {"torch": lambda: torch.bincount(x, minlength=256)},
             lambda: (out - right).abs().max().item())


def vector_add(compiler, row, size, block=1024):
    source = (ROOT / "examples/vector-add/vector-add.tile").read_text()
    x, y, out, other = torch.randn(size), torch.randn(size), torch.zeros(size), torch.zeros(size)
    bind = compiler.kernel(source, "vector_add", "*fp32:16, *fp32:16, *fp32:16, i32",
                           {"BLOCK": block})
    run = bind([x, y, out, size], -(-size // block))
    by_turns(row, run, {"torch": lambda: torch.add(x, y, out=other)} | other_peers.add(x, y),
             lambda: (out - (x + y)).abs().max().item())


def softmax(compiler, row, rows, columns):
    source = (ROOT / "examples/softmax/softmax.tile").read_text()
    x, out = torch.randn(rows, columns), torch.zeros(rows, columns)
    bind = compiler.kernel(source, "softmax", "*fp32:16, *fp32:16, i32:16, i32:16, i32, i32",
                           {"BLOCK": columns})
    run = bind([x, out, columns, columns, rows, columns], 16)
    peers = {"torch": lambda: torch.softmax(x, 1)} | other_peers.softmax(x)
    by_turns(row, run, peers,
             lambda: (out - torch.softmax(x.double(), 1)).abs().max().item())


def main(tilec, *wanted):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    compiler = Compiler(tilec)
    rows = {}
    for kind in "fp32", "bf16", "int8":
        for size in 256, 1000, 1024, 2048:
            rows[f"matmul {kind} {size}³"] = (matmul, kind, size)
    for bits in 8, 4:
        for kind in "bf16", "fp16":
            for size in 16, 256:
                rows[f"int{bits} weights {kind} {size} x 1024²"] = (weights, bits, kind, size)
    for kind in TYPES:
        for dim in 64, 128:
            for causal in False, True:
                name = f"attention{', causal' * causal} {kind} D={dim}"
                rows[name] = (attention, kind, dim, causal)
    for size in 20, 24:
        rows[f"vector add 2^{size}"] = (vector_add, 1 << size)
    rows["softmax 4096 x 1024"] = (softmax, 4096, 1024)
    for kind, size in ("sum", 4096), ("cumsum", 1024), ("topk", 1024), ("sort", 1024):
        rows[f"{kind} 4096 x {size}"] = (over_rows, kind, 4096, size)
    rows["histogram 2^22"] = (histogram, 1 << 22)
    for row, (function, *args) in rows.items():
        if not wanted or any(row.startswith(x) for x in wanted):
            function(compiler, row, *args)


if __name__ == "__main__":
    main(*sys.argv[1:])
