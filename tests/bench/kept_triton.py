#!/usr/bin/env python3
"""kept_triton.py -- measures triton.compile() of a kernel that Triton's cache has:
two kernels, in processes of their own, medians of nine.

The first compilation of a process also looks at all files of Triton.  There is
no GPU: the times leave out the driver's part of a launch and the arguments.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED, PROCESSES = 77, 9
try:
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def compile_one(block):
    source = ASTSource(add, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"},
                       {"BLOCK": block})
    start = time.perf_counter()
    triton.compile(source, target=GPUTarget("cuda", 80, 32))
    return time.perf_counter() - start


def process():
    output = subprocess.run([sys.executable, __file__, "child"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return [float(word) for word in output.split()]


def main():
    if sys.argv[1:]:
        print(compile_one(1024), compile_one(512))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        process()
        times = [process() for _ in range(PROCESSES)]
    for name, column in zip(("first", "next"), zip(*times)):
        print(f"Triton {triton.__version__}, {name} of a process: "
              f"{statistics.median(column) * 1e3:.2f} ms, to {max(column) * 1e3:.2f}")


main()
