#!/usr/bin/env python3
"""Compiles kernels of public packages with one or more builds of tilec.

    packages.py COUNT FOLDER... -- TILEC...

A FOLDER is a package, unpacked: `pip download --no-deps PACKAGE`, `unzip *.whl '*.py'`.  A kernel is a function of a
module that is marked `jit` and returns nothing; COUNT kernels are compiled to IR, always the same ones.  The arguments
of their launches are unknown and are guessed from names and uses: a kernel that refuses its guess tells little, but it
should do so in every build.  Printed are the time and memory of each build, and the kernels for which the answer of a
build differs from that of the first build.
"""
import ast
import concurrent.futures
import os
import random
import re
import resource
import statistics
import sys
import tempfile

SECONDS, BYTES = 40, 6 << 30  # limits of a compilation
SIZES = re.compile(r"BLOCK|SIZE|TILE|DIM|LEN|STRIDE|NUM|^B[CDKMNSTV]$")
FLAGS = re.compile(r"^(HAS|USE|IS|DO|STORE|ENABLE|EVEN|APPLY|WITH)|IS_")
SCALES = {"eps", "scale", "alpha", "p", "sm_scale", "softmax_scale"}
ACCESSES = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "advance", "atomic_add", "atomic_max"}


def is_kernel(node):
    marked = any(re.search(r"\bjit\b", ast.unparse(d).split("(")[0]) for d in getattr(node, "decorator_list", []))
    return isinstance(node, ast.FunctionDef) and marked and not any(
        isinstance(x, ast.Return) and x.value is not None for x in ast.walk(node))


def kernels(root):
    for folder, _, files in sorted(os.walk(root)):
        for name in sorted(f for f in files if f.endswith(".py")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "jit" not in text or "triton" not in text:
                continue
            try:
                body = ast.parse(text).body
            except SyntaxError:
                continue
            for node in body:
                inner = ast.walk(node) if isinstance(node, (ast.If, ast.Try)) else [node]
                yield from ((path, x.name, signature(x)) for x in inner if is_kernel(x))


def base_name(node, made, depth=0):
    """The name that an address begins with, through the lines that made it."""
    while isinstance(node, ast.BinOp):
        node = node.left
    if isinstance(node, ast.Name) and node.id in made and depth < 4:
        return base_name(made[node.id], made, depth + 1)
    return node.id if isinstance(node, ast.Name) else None


def pointers(kernel):
    made = {x.targets[0].id: x.value for x in ast.walk(kernel)
            if isinstance(x, ast.Assign) and isinstance(x.targets[0], ast.Name) and isinstance(x.value, ast.BinOp)}
    calls = [x for x in ast.walk(kernel)
             if isinstance(x, ast.Call) and ast.unparse(x.func).split(".")[-1] in ACCESSES]
    first = [c.args[0] if c.args else c.keywords[0].value for c in calls if c.args or c.keywords]
    return {base_name(x, made) for x in first}


def constant(name, default):
    if isinstance(default, ast.Constant) and isinstance(default.value, (bool, int)):
        return str(int(default.value))
    if isinstance(default, ast.Constant) and default.value is None:
        return "none"
    return "32" if SIZES.search(name.upper()) else "0" if FLAGS.search(name.upper()) else "16"


def entry(parameter, default, given):
    name, note = parameter.arg, ast.unparse(parameter.annotation) if parameter.annotation else ""
    if "constexpr" in note:
        return constant(name, default)
    if name in given or "ptr" in name.lower():
        return "*fp32:16"
    if name.isupper() and len(name) > 1:
        return constant(name, default)
    return "fp32" if name.lower() in SCALES else "i32"


def signature(kernel):
    parameters, given = kernel.args.posonlyargs + kernel.args.args, pointers(kernel)
    defaults = [None] * (len(parameters) - len(kernel.args.defaults)) + kernel.args.defaults
    return ", ".join(entry(p, d, given) for p, d in zip(parameters, defaults))


def find(root):
    return list(kernels(root))


def compile_one(tilec, root, path, kernel, given):
    """Compile a kernel; return status, output and messages, seconds and MB."""
    command = [tilec, "--cache-dir=off", "--emit=ir", "--target=sm_90", f"--kernel={kernel}", f"--signature={given}",
               "-I", os.path.dirname(os.path.abspath(root)), "-o", "-", path]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(told.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            os.execv(tilec, command)
        _, status, used = os.wait4(child, 0)
        out.seek(0)
        told.seek(0)
        answer = (status, out.read() if not status else b"", told.read().decode(errors="replace"))
    return answer, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def first_error(answer):
    return next((line for line in answer[2].splitlines() if "error:" in line), "" if answer[0] else "compiles")


def package(root, count, tilecs):
    with concurrent.futures.ProcessPoolExecutor(1) as apart:  # memory of forked processes counts as the compiler's
        found = apart.submit(find, root).result()
    random.Random(5).shuffle(found)
    rows = [[] for _ in tilecs]
    for path, kernel, given in found[:count]:
        answers = [compile_one(tilec, root, path, kernel, given) for tilec in tilecs]
        for row, answer in zip(rows, answers):
            row.append(answer)
        first = answers[0][0]
        for tilec, (answer, *_) in zip(tilecs[1:], answers[1:]):
            if answer[:2] != first[:2] or first_error(answer) != first_error(first):
                print(f"{path}, {kernel}, {tilec}: {first_error(first)} -> {first_error(answer)}", flush=True)
    for tilec, row in zip(tilecs, rows):
        seconds, sizes = [r[1] for r in row], [r[2] for r in row]
        print(f"{os.path.basename(root)}: {len(found)} kernels; {len(row)} by {tilec}: "
              f"{sum(not r[0][0] for r in row)} compile; seconds {statistics.median(seconds):.2f}, most "
              f"{max(seconds):.2f}; MB {statistics.median(sizes):.0f}, most {max(sizes):.0f}", flush=True)


def main():
    at = sys.argv.index("--")
    for root in sys.argv[2:at]:
        package(root.rstrip("/"), int(sys.argv[1]), [os.path.abspath(t) for t in sys.argv[at + 1:]])


if __name__ == "__main__":
    main()
