#!/usr/bin/env python3
"""beside_triton.py TILEC [CASE...] -- our PTX beside Triton's, as Markdown.

The same source, block sizes, warps, stages and target, the same ptxas; no GPU.
Needs Triton, whose disassembler is used; $TILE_PTXAS or ptxas on $PATH; and
libtilesim.so of the same build.

  spills, registers   by ptxas -v
  shared              bytes that a launch asks for, and ptxas's static ones
  loop, PTX and SASS  instructions from back edge to back edge of the loop with
                      the most matrix instructions (else of the largest), or of
                      a kernel without loops, by what one trip computes: FLOPs
                      of its matrix instructions, else bytes it loads
  access              bytes that an access to global memory moves, on average
  conflicts           turns of shared memory that bank conflicts cost, by the
                      simulator's counters, of a small launch on the same data;
                      then those of ldmatrix and cp.async
  compile             source to PTX in process, the best of five, first left out
"""
import importlib.util
import os
import re
import shutil
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

import in_simulator  # which needs numpy, as Triton does

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PTXAS = os.environ.get("TILE_PTXAS") or shutil.which("ptxas")
DISASSEMBLER = os.path.join(os.path.dirname(triton.__file__), "backends",
                            "nvidia", "bin", "nvdisasm")
TIMES = int(os.environ.get("TILE_TIMES", 5))
P16, P32 = "*fp16:16", "*fp32:16"

# -- What is compared ---------------------------------------------------------


class Case:
    """`args`: a type, or the value of a constexpr, for each parameter."""

    def __init__(self, name, path, kernel, args, warps=4, stages=3,
                 targets=("sm_80", "sm_86", "sm_89", "sm_90")):
        self.name, self.path, self.kernel = name, path, kernel
        self.args, self.warps, self.stages = args, warps, stages
        self.targets = targets
        self.grid, self.sizes = (1, 1, 1), {}

    def launch(self, *grid, **sizes):
        """What the simulator runs; `sizes` are of the integer parameters."""
        self.grid = grid + (1,) * (3 - len(grid))
        self.sizes = sizes
        return self


def example(name):
    return os.path.join(ROOT, "examples", name, name + ".tile")


def published(name):
    return os.path.join(ROOT, "..", "shared", "kernels", name + ".py")


DOT_TARGETS = ("sm_80", "sm_86", "sm_89")
DIM16 = "i32:16"


def matmul(m, n, k, warps, stages, out=P16):
    to = "" if out == P16 else " to fp32"
    return Case(f"matmul {m}x{n}x{k}{to}", example("matmul"), "matmul",
                [P16] * 2 + [out] + [DIM16] * 6 + [m, n, k, 8], warps, stages,
                DOT_TARGETS).launch(4, M=2 * m, N=2 * n, K=8 * k,
                                    a_stride=8 * k, b_stride=2 * n,
                                    c_stride=2 * n)


def attention(dim, block_m, block_n, causal, warps=4, stages=3):
    text = " causal" if causal else ""
    return Case(f"attention D={dim} {block_m}x{block_n}{text}",
                example("fused-attention"), "attention",
                [P16] * 4 + [P32, "fp32", DIM16, dim, block_m, block_n,
                             causal], warps, stages,
                DOT_TARGETS).launch(256 // block_m, 2, length=256)


def backward(kernel, causal):
    text = " causal" if causal else ""
    per_row = [P16] * 5 + [P32] * 2 + [P16] * 3
    return Case(f"attention {kernel} D=64 64x64{text}",
                example("attention-backward"), kernel,
                per_row + ["fp32", DIM16, 64, 64, 64, causal], 4, 2,
                DOT_TARGETS).launch(4, 2, length=256)


# Batch, head, row and column of a tensor.
STRIDES = [DIM16, DIM16, DIM16, 1]
ROWS = 256


def stride_sizes(tensors, names, width=64):
    """Of two heads; `tensors`: a letter and what its rows are called."""
    batch, head = names
    sizes = {}
    for tensor, row in tensors:
        start = f"stride_{tensor}"
        sizes |= {start + batch: 2 * ROWS * width, start + head: ROWS * width,
                  start + row: width}
    return sizes


def published_attention():
    """The sizes are those that the files themselves launch."""
    three = [P16] * 3
    both = published("fused_attention_fwd_bwd")
    loop_strides = [16384, 8192, 64, 1] * 4
    sizes = dict(Z=1, H=2, N_CTX=ROWS)
    forward = stride_sizes(["qm", "kn", "vk", "om"], "zh") | sizes
    flash = stride_sizes([(f"{t}_", "seq") for t in "QKVO"], ["batch", "head"],
                         width=128)
    return [
        Case(f"published: attention{' causal' if stage == 3 else ''}", both,
             "_attn_fwd", three + ["fp32", P32, P16] + 4 * STRIDES +
             ["i32", "i32", DIM16, 64, 64, 64, stage], 4, 3,
             DOT_TARGETS).launch(ROWS // 64, 2, **forward)
        for stage in (1, 3)
    ] + [
        Case("published: attention delta", both, "_attn_bwd_preprocess",
             [P16, P16, P32, "i32", "i32", DIM16, 128, 64]
             ).launch(ROWS // 128, 2, **sizes),
        Case("published: attention backward", both, "_attn_bwd",
             three + ["fp32"] + [P16] * 4 + [P32] * 2 + STRIDES +
             ["i32", DIM16, 32, 128, 128, 32, 2, 64], 4, 3,
             DOT_TARGETS).launch(ROWS // 128, 1, 2, **sizes,
                                 **stride_sizes([("", "tok")], "zh")),
        Case("published: attention, grid loop",
             published("fused_attention_grid_loop"), "_attn_fwd",
             three + [P32, P16, "fp32"] + loop_strides +
             [2, 2, 128, 64, 32, 64, 1], 4, 2, DOT_TARGETS).launch(2),
        Case("published: flash attention", published("flash_attention_causal"),
             "_attn_fwd", [P32] * 5 + ["fp32"] + 4 * STRIDES +
             [DIM16, DIM16, 1, "i32", 4, 2048, 128, 64, 64], 4, 3,
             DOT_TARGETS).launch(ROWS // 64, 2, BATCH_SIZE=1, **flash,
                                 stride_M_batch=8192, stride_M_head=2048),
    ]


def cases():
    row_sizes = dict.fromkeys(["columns", "stride", "x_stride", "out_stride"],
                              1024)
    found = [
        Case("vector add", example("vector-add"), "vector_add",
             [P32] * 3 + ["i32:16", 1024]).launch(4, n=4096),
        Case("vector add, any size", example("vector-add"), "vector_add",
             [P32] * 3 + ["i32", 1024]).launch(4, n=4001),
        Case("softmax 1024", example("softmax"), "softmax",
             [P32] * 2 + [DIM16] * 2 + ["i32", DIM16, 1024]
             ).launch(4, rows=4, **row_sizes),
        Case("softmax 1024, any size", example("softmax"), "softmax",
             [P32] * 2 + ["i32"] * 4 + [1024]
             ).launch(4, rows=4, columns=1001, x_stride=1001, out_stride=1001),
        Case("layer norm", example("layer-norm"), "layer_norm",
             [P32] * 6 + [DIM16, DIM16, "fp32", 1024]
             ).launch(4, **row_sizes),
        Case("row normalize", example("row-normalize"), "row_normalize",
             [P32] * 2 + [DIM16] * 2 + [1024]).launch(4, **row_sizes),
        matmul(128, 128, 32, 4, 3), matmul(64, 64, 32, 4, 3),
        matmul(128, 256, 64, 8, 3),
        matmul(128, 128, 32, 4, 3, P32), matmul(256, 128, 32, 8, 3, P32),
        attention(64, 128, 64, False), attention(64, 128, 64, True),
        attention(128, 128, 64, False, 8),
        backward("delta", False), backward("dkdv", True),
        backward("dq", True),
        Case("published: add", published("vector_add_softmax"), "add_kernel",
             [P32] * 3 + ["i32:16", 1024]).launch(4, n_elements=4096),
        Case("published: softmax", published("vector_add_softmax"),
             "softmax_kernel",
             [P32] * 2 + [DIM16, DIM16, "i32", DIM16, 1024, 2], 8
             ).launch(4, n_rows=16, n_cols=1024, input_row_stride=1024,
                      output_row_stride=1024),
    ] + published_attention()
    return [c for c in found if os.path.exists(c.path)]


# -- Compilers ----------------------------------------------------------------


class Result:
    def __init__(self, ptx, shared, seconds):
        self.ptx, self.shared, self.seconds = ptx, shared, seconds
        self.dynamic = shared


def signature_text(args):
    def text(x):
        return "True" if x is True else "False" if x is False else str(x)
    return ", ".join(text(a) for a in args)


def ours(tilec, case, target, folder):
    out = os.path.join(folder, "ours.ptx")
    command = [tilec, case.path, f"--kernel={case.kernel}", "--time-passes",
               f"--signature={signature_text(case.args)}", "--resource-usage",
               f"--num-warps={case.warps}", f"--num-stages={case.stages}",
               f"--target={target}", "-o", out]
    seconds = []
    for _ in range(TIMES + 1):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(run.stderr.strip().split("\n")[0])
        seconds.append(float(re.search(r"([\d.]+) ms  total", run.stderr)[1]))
    shared = int(re.search(r"(\d+) bytes of shared memory", run.stderr)[1])
    return Result(open(out).read(), shared, 1e-3 * min(seconds[1:]))


def load_kernel(case, folder):
    """The source as a module; what it imports for its host code is not there.
    """
    path = os.path.join(folder, "kernel.py")
    shutil.copy(case.path, path)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, case.kernel)
    while not isinstance(kernel, triton.runtime.JITFunction):
        kernel = kernel.fn  # under its autotuner
    return kernel


def triton_source(case, kernel):
    signature, constants, attributes = {}, {}, {}
    for i, (name, arg) in enumerate(zip(kernel.arg_names, case.args)):
        if not isinstance(arg, str):
            signature[name], constants[(i,)] = "constexpr", arg
            continue
        signature[name] = arg.split(":")[0]
        if arg.endswith(":16"):
            attributes[(i,)] = [["tt.divisibility", 16]]
    return ASTSource(kernel, signature, constexprs=constants, attrs=attributes)


def theirs(case, target, folder):
    kernel = load_kernel(case, folder)
    options = {"num_warps": case.warps, "num_stages": case.stages}
    where = GPUTarget("cuda", int(target[3:]), 32)
    seconds = []
    for i in range(TIMES + 1):
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, f"cache{i}")
        start = time.perf_counter()
        code = triton.compile(triton_source(case, kernel), target=where,
                              options=options)
        seconds.append(time.perf_counter() - start)
    result = Result(code.asm["ptx"], code.metadata.shared, min(seconds[1:]))
    result.names = kernel.arg_names
    return result


# -- Figures ------------------------------------------------------------------


def assemble(result, folder):
    source, cubin = (os.path.join(folder, n) for n in ("k.ptx", "k.cubin"))
    with open(source, "w") as file:
        file.write(result.ptx)
    # Triton says sm_90a where it is asked for sm_90.
    arch = re.search(r"\.target (sm_\w+)", result.ptx)[1]
    run = subprocess.run([PTXAS, "-v", f"-arch={arch}", source, "-o", cubin],
                         capture_output=True, text=True, check=True)
    log = run.stdout + run.stderr

    def number(words):
        found = re.search(r"(\d+) " + words, log)
        return int(found[1]) if found else 0
    result.registers = number("registers")
    result.spills = number("bytes spill stores") + number("bytes spill loads")
    result.shared += number("bytes smem")
    result.notes = re.findall(r"\((C75\d\d)\)", log)
    run = subprocess.run([DISASSEMBLER, "-c", cubin], capture_output=True,
                         text=True)
    result.sass = run.stdout


def ptx_body(ptx):
    """Labels and instructions of the kernel, in order."""
    found, inside = [], False
    for line in ptx.split("\n"):
        line = line.split("//")[0].strip()
        if line == "{" and not inside and not found:
            inside = True
        elif line.endswith(":") and inside:
            found.append(("label", line[:-1]))
        elif inside and re.match(r"(@!?%\w+\s+)?[a-z][\w.:]*[\s;]", line):
            name = re.sub(r"^@!?%\w+\s+", "", line)
            if not name.startswith("."):
                found.append(("op", name))
    return found


def sass_body(sass):
    found = []
    for line in sass.split("\n"):
        label = re.match(r"\s*(\.L_\w+):", line)
        op = re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?(.*);", line)
        if label:
            found.append(("label", label[1]))
        elif op and not op[1].startswith("NOP"):
            found.append(("op", op[1]))
    return found


def loops(body):
    """Innermost ones: from a label to the branch back to it."""
    at = {text: i for i, (kind, text) in enumerate(body) if kind == "label"}
    spans = []
    for i, (kind, text) in enumerate(body):
        target = re.search(r"\b(?:bra(?:\.uni)?|BRA(?:\.\w+)*)\b.*?"
                           r"([$.]L_*\w+)", text) if kind == "op" else None
        if target and at.get(target[1], i) < i:
            spans.append((at[target[1]], i + 1))
    inner = [s for s in spans
             if not any(t != s and s[0] <= t[0] and t[1] <= s[1]
                        for t in spans)]
    return [[text for kind, text in body[a:b] if kind == "op"]
            for a, b in inner]


def is_mma(op):
    return op.startswith(("mma.sync", "HMMA", "IMMA", "QMMA", "BMMA"))


def mma_flops(op):
    shape = (re.search(r"m(\d+)n(\d+)k(\d+)", op) or
             re.match(r"[A-Z]+\.(\d\d)(\d)(\d+)", op))
    return 2 * int(shape[1]) * int(shape[2]) * int(shape[3])


WIDTHS = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "b32": 4, "u32": 4,
          "s32": 4, "f32": 4, "b64": 8, "u64": 8, "f64": 8, "b128": 16}


def access_bytes(op):
    """Of an access to global memory; 0 of anything else."""
    copied = re.match(r"cp\.async\.c[ag]\.shared\.global.*?\],\s*(?:\[.*?\]"
                      r",\s*)?(0x[0-9a-f]+|\d+)", op)
    if copied:
        return int(copied[1], 0)
    if re.match(r"(ld|st)\.(\w+\.)*global", op):
        vector = re.search(r"\.v(\d)", op)
        width = re.search(r"\.([busf]\d+)\s", op)
        return (int(vector[1]) if vector else 1) * WIDTHS[width[1]]
    sass = re.match(r"(LDG|STG|LDGSTS)\.(.*?) ", op)
    if sass:
        size = re.search(r"(?:^|\.)(U?8|S8|U?16|S16|64|128)(?:\.|$)", sass[2])
        return {"8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2,
                "64": 8, "128": 16}.get(size[1], 4) if size else 4
    return 0


def density(body):
    """Instructions by class, per mega-FLOP or per byte that moves."""
    every = [text for kind, text in body if kind == "op"]
    found = loops(body) or [every]
    best = max(found, key=lambda ops: (sum(map(is_mma, ops)), len(ops)))
    if not any(map(is_mma, best)) and not any(map(access_bytes, best)):
        best = every
    flops = sum(mma_flops(op) for op in best if is_mma(op))
    work = flops / 1e4 if flops else sum(map(access_bytes, best)) or 1
    return len(best) / work, sum(map(is_mma, best)), len(best)


def accesses(body):
    return [n for kind, text in body if kind == "op"
            if (n := access_bytes(text))]


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else 0


def figures(result, folder):
    assemble(result, folder)
    body = ptx_body(result.ptx)
    result.accesses = accesses(body)
    result.density, result.mmas, result.trip = density(body)
    result.sass_density, _, result.sass_trip = density(sass_body(result.sass))


def simulator_of(tilec):
    return os.path.join(os.path.dirname(os.path.abspath(tilec)), "..",
                        "runtime", "simulator", "libtilesim.so")


def count_conflicts(tilec, case, a, b):
    """Both kernels on the same data; they must give the same results."""
    args = [(kind.split(":")[0], case.sizes.get(name))
            for name, kind in zip(b.names, case.args) if isinstance(kind, str)]
    for side in a, b:
        side.conflicts, side.arrays = in_simulator.apart(
            in_simulator.launch, simulator_of(tilec), side.ptx,
            side.dynamic, case.warps, case.grid, args)
    if not in_simulator.is_same(a.arrays, b.arrays):
        raise RuntimeError("the results differ")


# -- The table ----------------------------------------------------------------


def ratio(a, b):
    return a / b if b else (1.0 if not a else float("inf"))


def misses(a, b, limit_of_time):
    checks = [
        ("spills", not a.spills or b.spills),
        ("registers", ratio(a.registers, b.registers) <= 1.10),
        ("shared", a.shared <= b.shared),
        ("PTX", ratio(a.density, b.density) <= 1.10),
        ("SASS", ratio(a.sass_density, b.sass_density) <= 1.10),
        ("access", mean(a.accesses) >= mean(b.accesses) - 1e-9),
        ("conflicts", a.conflicts.total <= b.conflicts.total),
        *[(name, not count) for name, count in a.conflicts.by_name.items()],
        ("compile", ratio(a.seconds, b.seconds) <= limit_of_time),
        ("notes", not a.notes),
    ]
    return [name for name, met in checks if not met]


def conflicts(side):
    counts = side.conflicts
    return f"{counts.total} ({', '.join(map(str, counts.by_name.values()))})"


def row(case, target, a, b):
    limit = 0.25 if "attention" in case.name else 0.5
    missed = misses(a, b, limit)
    cells = [
        case.name, target, f"{a.spills} / {b.spills}",
        f"{a.registers} / {b.registers}", f"{a.shared} / {b.shared}",
        f"{a.mmas} / {b.mmas}",
        f"{a.trip} / {b.trip}, {ratio(a.density, b.density):.2f}",
        f"{a.sass_trip} / {b.sass_trip}, "
        f"{ratio(a.sass_density, b.sass_density):.2f}",
        f"{mean(a.accesses):.1f} / {mean(b.accesses):.1f}",
        f"{conflicts(a)} / {conflicts(b)}",
        f"{1e3 * a.seconds:.0f} / {1e3 * b.seconds:.0f} ms, "
        f"{ratio(a.seconds, b.seconds):.2f}",
        "missed: " + ", ".join(missed) if missed else "met",
    ]
    return "| " + " | ".join(cells) + " |"


def refused_row(tilec, case, target, refusal, b):
    """What Triton compiles and the chip does not load is no kernel either."""
    fits = in_simulator.apart(in_simulator.loads, simulator_of(tilec), target,
                              b.ptx, b.dynamic)
    needed = re.search(r"need (\d+) bytes of shared memory", str(refusal))
    shared = f"{needed[1] if needed else '?'} / {b.shared}"
    verdict = (f"refused: {refusal}" if fits or not needed else
               "neither kernel fits: ours is refused, Triton's does not load")
    cells = [case.name, target, "", "", shared, *[""] * 6, verdict]
    return "| " + " | ".join(cells) + " |"


def compare(tilec, case, target):
    folder = tempfile.mkdtemp()
    try:
        b = theirs(case, target, folder)
        try:
            a = ours(tilec, case, target, folder)
        except RuntimeError as refusal:
            return refused_row(tilec, case, target, refusal, b)
        figures(a, folder)
        figures(b, folder)
        count_conflicts(tilec, case, a, b)
        return row(case, target, a, b)
    except Exception as error:
        return f"| {case.name} | {target} | {type(error).__name__}: {error} |"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def without_ptxas():
    """Triton's last stage is not what is timed."""
    def make_cubin(self, source, metadata, *rest):
        return b""
    nvidia.CUDABackend.make_cubin = make_cubin


def main():
    tilec, wanted = sys.argv[1], sys.argv[2:]
    if not PTXAS:
        print("SKIP: ptxas is not installed")
        sys.exit(SKIPPED)
    if not os.path.exists(simulator_of(tilec)):
        print("SKIP: libtilesim.so is not built beside tilec")
        sys.exit(SKIPPED)
    without_ptxas()
    print("| kernel | target | spills | registers | shared | mma a trip | "
          "PTX a trip, ratio | SASS a trip, ratio | bytes an access | "
          "conflicts (ldmatrix, cp.async) | compile | verdict |\n" +
          "|---" * 12 + "|")
    for case in cases():
        for target in case.targets:
            text = f"{case.name} {target}"
            if not wanted or any(w in text for w in wanted):
                print(compare(tilec, case, target), flush=True)


if __name__ == "__main__":
    main()
