"""figures.py -- figures of PTX and its machine code, found without a GPU.

ptxas tells registers and spills; loops and accesses are read from the text.
"""
import importlib.util
import os
import re
import shutil
import subprocess

PTXAS = os.environ.get("TILE_PTXAS") or shutil.which("ptxas")
DISASSEMBLER = os.path.join(
    os.path.dirname(importlib.util.find_spec("triton").origin), "backends",
    "nvidia", "bin", "nvdisasm")


def assemble(result, folder):
    source, cubin = (os.path.join(folder, n) for n in ("k.ptx", "k.cubin"))
    with open(source, "w") as file:
        file.write(result.ptx)
    # For sm_90 Triton writes sm_90a.
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
    """List the innermost loops: each from a label to the last branch back to
    it."""
    at = {text: i for i, (kind, text) in enumerate(body) if kind == "label"}
    ends = {}
    for i, (kind, text) in enumerate(body):
        target = re.search(r"\b(?:bra(?:\.uni)?|BRA(?:\.\w+)*)\b.*?"
                           r"([$.]L_*\w+)", text) if kind == "op" else None
        if target and at.get(target[1], i) < i:
            ends[at[target[1]]] = i + 1
    spans = list(ends.items())
    inner = [s for s in spans
             if not any(t != s and s[0] <= t[0] and t[1] <= s[1]
                        for t in spans)]
    return [[text for kind, text in body[a:b] if kind == "op"]
            for a, b in inner]


def is_mma(op):
    return op.startswith(("mma.sync", "wgmma.mma_async", "HMMA", "IMMA",
                          "QMMA", "BMMA", "HGMMA", "IGMMA", "QGMMA"))


def mma_flops(op):
    shape = (re.search(r"m(\d+)n(\d+)k(\d+)", op) or
             re.match(r"[A-Z]+GMMA\.(\d+)x(\d+)x(\d+)", op) or
             re.match(r"[A-Z]+\.(\d\d)(\d)(\d+)", op))
    return 2 * int(shape[1]) * int(shape[2]) * int(shape[3])


WIDTHS = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "b32": 4, "u32": 4,
          "s32": 4, "f32": 4, "b64": 8, "u64": 8, "f64": 8, "b128": 16}


def access_bytes(op):
    """Count the bytes of an access to global memory; 0 for any other op."""
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


CLASSES = {  # the first that matches; all else computes
    "mma": r"(mma\.sync|wgmma)",
    "ldmatrix": r"ldmatrix",
    "cp.async": r"cp\.async",
    "ld/st": r"(ld|st|atom|red)\.",
    "barriers": r"(bar|barrier|mbarrier|membar|fence)\.",
    "other": r"",
}


def count_classes(ops):
    """Count the instructions of each of CLASSES, in the order of CLASSES."""
    found = dict.fromkeys(CLASSES, 0)
    for op in ops:
        found[next(c for c, start in CLASSES.items()
                   if re.match(start, op))] += 1
    return list(found.values())


MOST_CLAMPS = 4  # of a mask's words


def usual_loops(found):
    """Leave out the second version of a loop that takes maxima as integers:
    the second version is for rows whose scores have all been negative."""
    def compares_integers(ops):
        found = [op for op in ops if re.match(r"max\.s32|VIMNMX", op)]
        return len(found) > MOST_CLAMPS
    several = [ops for ops in found if any(map(is_mma, ops))]
    if any(map(compares_integers, several)):
        return [ops for ops in several if compares_integers(ops)]
    return found


def main_loop(body):
    """The instructions of a trip, and the FLOPs or bytes of the trip."""
    every = [text for kind, text in body if kind == "op"]
    found = usual_loops(loops(body)) or [every]
    best = max(found, key=lambda ops: (sum(map(is_mma, ops)), len(ops)))
    if not any(map(is_mma, best)) and not any(map(access_bytes, best)):
        best = every
    flops = sum(mma_flops(op) for op in best if is_mma(op))
    work = flops / 1e4 if flops else sum(map(access_bytes, best)) or 1
    return best, work


def copying_loop(body):
    """The instructions of a trip of the role that only starts bulk copies; none
    where there is no such role.  Branches back over other code are longer."""
    def copies(op):
        return op.startswith(("UTMALDG", "cp.async.bulk"))
    return min((ops for ops in loops(body)
                if any(map(copies, ops)) and not any(map(is_mma, ops))),
               key=len, default=[])


def accesses(body):
    return [n for kind, text in body if kind == "op"
            if (n := access_bytes(text))]


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else 0


def add(result, folder):
    assemble(result, folder)
    body = ptx_body(result.ptx)
    result.accesses = accesses(body)
    ops, work = main_loop(body)
    result.classes, result.trip = count_classes(ops), len(ops)
    result.copies = len(copying_loop(body))
    result.density = (len(ops) + result.copies) / work
    body = sass_body(result.sass)
    ops, work = main_loop(body)
    result.sass_trip, result.sass_copies = len(ops), len(copying_loop(body))
    result.sass_density = (len(ops) + result.sass_copies) / work
