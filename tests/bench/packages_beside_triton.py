#!/usr/bin/env python3
"""packages_beside_triton.py TILEC COUNT FOLDER... -- compares the time to compile
kernels of public packages to PTX for sm_90 with Triton's.

A FOLDER is a package, unpacked: `pip download --no-deps PACKAGE`, `unzip *.whl '*.py'`.
COUNT of its kernels are compiled, always the same ones: kernels that both compilers
accept with arguments guessed from names and uses (tests/tools/packages.py).  Triton gets
the text of the kernel alone, without the imports of its file, in a process that has
compiled one before, without its cache and ptxas.  tilec reads the file as it is, in a
process of its own from start to end; "alone" is this time less that of `tilec --version`,
which loads LLVM.  Times are processor seconds, the median of three.
"""
import ast
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
try:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia import compiler as nvidia
    from triton.compiler import ASTSource
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import packages

TURNS = 3


class Refused(Exception):
    """One of the compilers does not take the kernel."""


def text_of(path, kernel):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    node = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == kernel)
    node.decorator_list = []
    return f"import triton\nimport triton.language as tl\n\n\n@triton.jit\n{ast.unparse(node)}\n"


def load(path, kernel, folder):
    at = os.path.join(folder, f"{kernel}.py")
    with open(at, "w", encoding="utf-8") as file:
        file.write(text_of(path, kernel))
    names = {"__name__": kernel, "__file__": at}
    with open(at, encoding="utf-8") as file:
        exec(compile(file.read(), at, "exec"), names)
    return names[kernel]


def source(kernel, given):
    signature, constants, attributes = {}, {}, {}
    for k, (name, entry) in enumerate(zip(kernel.arg_names, given.split(", "))):
        if entry == "none" or entry.lstrip("-").isdigit():
            signature[name] = "constexpr"
            constants[(k,)] = None if entry == "none" else int(entry)
        else:
            signature[name], _, divisible = entry.partition(":")
            if divisible:
                attributes[(k,)] = [["tt.divisibility", int(divisible)]]
    return ASTSource(kernel, signature, constexprs=constants, attrs=attributes)


def theirs(kernel, given):
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        start = time.process_time()
        try:
            triton.compile(source(kernel, given), target=GPUTarget("cuda", 90, 32))
        except Exception as error:
            raise Refused(f"Triton: {type(error).__name__}") from error
        return time.process_time() - start


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise Refused("tilec")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(tilec, root, path, kernel, given):
    command = [tilec, "--cache-dir=off", "--target=sm_90", f"--kernel={kernel}", f"--signature={given}",
               "-I", os.path.dirname(os.path.abspath(root)), "-o", os.devnull, "--emit=ptx", path]
    return processor_time(command)


def measure(tilec, root, found, count, folder):
    ratios, start = [], statistics.median(processor_time([tilec, "--version"]) for _ in range(9))
    for path, name, given in found:
        if len(ratios) == count:
            break
        try:
            kernel = load(path, name, folder)
            theirs(kernel, given)  # the first of a process loads more
            a = statistics.median(ours(tilec, root, path, name, given) for _ in range(TURNS))
            b = statistics.median(theirs(load(path, name, folder), given) for _ in range(TURNS))
        except (Refused, SyntaxError, NameError):
            continue
        alone = max(a - start, 0)
        ratios.append((a / b, alone / b))
        print(f"| `{name}` | {1000 * a:.0f} ms | {1000 * alone:.0f} ms | {1000 * b:.0f} ms | {a / b:.2f} | "
              f"{alone / b:.2f} |", flush=True)
    return ratios


def main():
    tilec, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    nvidia.CUDABackend.make_cubin = lambda *_, **__: b""
    for root in sys.argv[3:]:
        found = list(packages.kernels(root))
        random.Random(5).shuffle(found)
        print(f"| {os.path.basename(root.rstrip('/'))} | tilec | alone | Triton {triton.__version__} | ratio | alone |")
        print("|---|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as folder:
            ratios = measure(tilec, root, found, count, folder)
        if ratios:
            print(f"| median | | | | {statistics.median(r[0] for r in ratios):.2f} | "
                  f"{statistics.median(r[1] for r in ratios):.2f} |")


if __name__ == "__main__":
    main()
