# make_values.py -- writes values.txt: the results of each operation.
#
#   python3 make_values.py
#
# Needs torch, numpy and one of the releases of Triton in types.txt, whose rows
# it replaces: run it with each.  Integers, fp16, fp32 and fp64 are computed by
# Triton's interpreter.  The interpreter has no arithmetic on bf16, so that bf16
# operands are converted to the type in which they are computed, and PyTorch
# rounds.  Types of results are those of types.txt.  Casts are NumPy's and
# PyTorch's; casts that round towards zero use exact fractions.
import os

os.environ["TRITON_INTERPRET"] = "1"

import math
import operator
import io
import pathlib
import re
import warnings
from fractions import Fraction
from functools import reduce
from itertools import accumulate

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpreterBuilder

HERE = pathlib.Path(__file__).parent
RELEASE = ".".join(triton.__version__.split(".")[:2])
NEW = RELEASE != "3.8"  # a literal takes the type of the other side
INTS = "i8 i16 i32 i64 u8 u16 u32 u64".split()
FLOATS = "fp16 bf16 fp32 fp64".split()
TYPES = ["i1", *INTS, *FLOATS]
FP8 = ["fp8e5", "fp8e4nv"]
LANES = 16
TORCH = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "u8": torch.uint8, "u16": torch.uint16,
    "u32": torch.uint32, "u64": torch.uint64, "fp16": torch.float16,
    "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64,
    "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn,
}  # fmt: skip
NUMPY = {
    **{f"i{n}": np.dtype(f"int{n}") for n in (8, 16, 32, 64)},
    **{f"u{n}": np.dtype(f"uint{n}") for n in (8, 16, 32, 64)},
    "i1": np.dtype(bool), "fp16": np.dtype(np.float16),
    "fp32": np.dtype(np.float32), "fp64": np.dtype(np.float64),
}  # fmt: skip
nan, inf = float("nan"), float("inf")


def bits_of(name):
    return int("".join(c for c in name.replace("e4nv", "").replace("e5", "") if c.isdigit()))


def is_float(name):
    return name in FLOATS + FP8


# -- Inputs: four lists of each type --------------------------------------------


def inputs(name):
    """X: edge cases.  Y: divisors.  S: shift counts.  C: small numbers, for
    casts."""
    if name == "i1":
        return {k: [0, 1] * 8 for k in "XC"} | {"Y": [1] * 16, "S": [0] * 8 + [1] * 8}
    if is_float(name):
        return {
            "X": [0.0, -0.0, 1.5, -2.5, 0.1, 100.25, -7, nan, inf, -inf, 3, 2**-7, nan, 1, -1, 64],
            "Y": [1, -1, 2.5, 0.5, -3, 7, nan, 2, 4, 0.25, -100.5, 3, nan, 1, 0.75, -0.125],
            "C": [0, -0.0, 0.5, 1.5, 2.5, 0.99, 3.75, 7, 100, 126.9, 0.1, 64, 1e-3, 20.3, 2**-9, 127],
        }
    bits = bits_of(name)
    low, high = (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    small = [0, 1, 2, 7, 100, 37, 13, 5] if name[0] == "u" else [0, 1, -1, 7, -7, 100, -100, 37]
    edges = [high, high - 1, low, high // 2 + 1, high // 3, low // 3, 3, 11]
    other = [3, 10, 7, 2, 5, 1, 9, 6] if name[0] == "u" else [3, -3, 7, 2, -2, 10, -7, 1]
    return {
        "X": small + edges,
        "Y": other + [high, 7, 2, high // 2 + 1, 1, low or 4, 100, high],
        "S": [*range(8), 0, 1, 2, 3, 7, 6, 5, 4],
        "C": small + edges,
    }


def tensor(values, name):
    if name == "u64":
        return torch.from_numpy(np.array(values, np.uint64))
    return torch.tensor(values, dtype=torch.float64 if is_float(name) else torch.int64).to(TORCH[name])


# -- Bits, one hexadecimal number a lane ------------------------------------------


def hex_of(x):
    """The elements of a torch tensor or a NumPy array in hex; NaNs are all
    alike."""
    if isinstance(x, np.ndarray):
        x = torch.from_numpy(np.ascontiguousarray(x))
    if x.dtype == torch.bool:
        x = x.to(torch.uint8)
    raw = x.contiguous().view(torch.uint8).numpy().reshape(x.numel(), -1)[:, ::-1]
    words = [row.tobytes().hex().lstrip("0") or "0" for row in raw]
    if x.dtype.is_floating_point:
        words = ["nan" if n else w for n, w in zip(torch.isnan(x).tolist(), words)]
    return " ".join(words)


# max and min of a GPU return the number if one operand is a NaN.
InterpreterBuilder.create_maxnumf = lambda self, x, y: self.binary_op(x, y, np.fmax)
InterpreterBuilder.create_minnumf = lambda self, x, y: self.binary_op(x, y, np.fmin)

# -- Operators --------------------------------------------------------------------

RESULT = []


@triton.jit
def run(X, Y, f: tl.constexpr):
    i = tl.arange(0, 16)
    f(tl.load(X + i), tl.load(Y + i))


def interpret(f, x, y):
    """The type and the values of f(x, y)."""
    RESULT.clear()
    run[(1,)](x, y, f)
    z = RESULT[0]
    name = str(z.dtype).replace("uint", "u").replace("int", "i")
    return name, z.handle.data.reshape(-1).copy()


def substitute(text, name, other):
    """The type in which a bf16 operand is computed."""
    if name != "bf16" or other != "fp16" or any(op in text for op in ("/", "%", "div")):
        return "fp32" if name == "bf16" else name
    return "fp16"


def operators(out, types):
    names = {"Y": "+ - * < >= == != / // %".split(), "S": "<< >>".split()}
    texts = [(f"x {op} y", "Y") for op in names["Y"]]
    texts += [(f"x {op} y", "X") for op in "& | ^".split()]
    texts += [(f"x {op} y", "S") for op in names["S"]]
    texts += [(f"tl.{name}(x, y)", "Y") for name in ("maximum", "minimum", "fdiv")]
    texts += [("tl.clamp(x, 0, y)", "Y")]
    texts += [("tl.where(x < y, x, y)", "Y")]
    texts += [
        (f"tl.{name}(x, y, propagate_nan=tl.PropagateNan.ALL)", "Y")
        for name in ("maximum", "minimum")
    ]
    for text, kind in texts:
        out.write(f"> z = {text}\n")
        f = eval(f"lambda x, y: RESULT.append({text})", globals())
        for a in TYPES:
            for b in TYPES:
                operate(out, types, text, kind, f, a, b)
        out.write("\n")


def table_of(text):
    """The expression of types.txt whose types this expression has."""
    if "where" in text:
        return "tl.where(c, x, y)"
    if text in ("x >= y", "x != y"):
        return "x < y"
    return text.split(", propagate")[0] + ")" * ("propagate" in text)


def operate(out, types, text, kind, f, a, b):
    if kind == "S" and (is_float(a) or is_float(b) or a == b == "i1"):
        return
    if "ALL" in text and not (is_float(a) and is_float(b)):
        return
    if "clamp" in text and (is_float(a) or is_float(b)):
        return
    x, y = tensor(inputs(a)["X"], a), tensor(inputs(b)[kind], b)
    s = x.to(TORCH[substitute(text, a, b)])
    t = y.to(TORCH[substitute(text, b, a)])
    wanted = types["z = " + table_of(text)][a, b]
    if wanted == "!":
        return
    if a == b == "i1" and text in ("x + y", "x - y"):  # NumPy's are not of one bit
        name, values = "i1", x ^ y
    else:
        name, values = interpret(f, s, t)
    if name != wanted:
        assert "bf16" in (a, b), (text, a, b, name, wanted)
        values = torch.from_numpy(values).to(TORCH[wanted])
    out.write(f"{a} {b} {wanted} X {kind} {hex_of(values)}\n")


LITERALS = [  # expression, table and column of types.txt
    ("x + 3", "x + y", "1"),
    ("5 - x", "y - x", "1"),
    ("x * 2", "x * y", "1"),
    ("x * 0.75", "x * y", "0.5"),
    ("x / 3", "x / y", "1"),
    ("x // 3", "x // y", "1"),
    ("x % 5", "x % y", "1"),
    ("x // -7", "x // y", "-1"),
    ("x % -7", "x % y", "-1"),
    ("x >> 1", "x >> y", "1"),
    ("x << 2", "x << y", "1"),
    ("x & 6", "x & y", "1"),
    ("x ^ -1", "x ^ y", "-1"),
    ("x < 7", "x < y", "1"),
    ("x == 100", "x == y", "1"),
    ("x > 1.5", "x < y", "0.5"),
    ("x == 0.1", "x == y", "0.5"),
    ("x < 0.1", "x < y", "0.5"),
    ("tl.maximum(x, 2)", "tl.maximum(x, y)", "1"),
    ("tl.maximum(0.1, x)", "tl.maximum(x, y)", "0.5"),
    ("tl.fdiv(x, 3)", "tl.fdiv(x, y)", "1"),
    ("tl.where(x > 5, x, 1)", "tl.where(c, x, y)", "1"),
    ("tl.where(x > 5, 0.5, x)", "tl.where(c, y, x)", "0.5"),
]


def as_taken(text, name):
    """Round bf16 literals beforehand, since bf16 has no arithmetic here."""
    if name != "bf16" or not NEW or any(op in text for op in "*-"):
        return text
    rounded = lambda m: repr(float(torch.tensor(float(m[0])).to(torch.bfloat16)))
    return re.sub(r"\d+\.\d+", rounded, text)


def literals(out, types):
    """Write tables of literals: each takes the other side's type or has its
    own."""
    for text, table, column in LITERALS:
        out.write(f"> z = {text}\n")
        for a in TYPES:
            f = eval(f"lambda x, y: RESULT.append({as_taken(text, a)})", globals())
            wanted = types["z = " + table + " (literals)"][a, column]
            if wanted == "!" or a == "i1":
                continue
            x = tensor(inputs(a)["X"], a)
            s = x.to(torch.float32) if a == "bf16" else x
            name, values = interpret(f, s, s)
            if name != wanted:
                assert a == "bf16", (text, a, name, wanted)
                values = torch.from_numpy(values).to(TORCH[wanted])
            out.write(f"{a} - {wanted} X - {hex_of(values)}\n")
        out.write("\n")


# -- Casts ------------------------------------------------------------------------


def casts(out, text):
    out.write(text)
    for a in TYPES + FP8:
        for b in TYPES + FP8:
            kind = "C" if is_float(a) and not is_float(b) or b in FP8 else "X"
            if a in FP8 and not is_float(b) or b in FP8 and not is_float(a):
                continue  # there are none
            x = tensor(inputs(a)[kind], a)
            half = a in ("fp16", "bf16") or a in FP8
            z = (x.to(torch.float32) if half else x).to(TORCH[b])
            if b == "i1":
                # Before 3.9, Triton stored an int8; a load gives true if the
                # byte is not 0.
                byte = "store" in text and not NEW
                z = (x.to(torch.int8) if byte else x.to(torch.float64)) != 0
            out.write(f"{a} - {b} {kind} - {hex_of(z)}\n")
    out.write("\n")


FORMATS = {"fp16": (10, -14), "bf16": (7, -126), "fp32": (23, -126)}


def truncate(value, name):
    """Truncate towards zero, to the values of a format; no value here is too
    big."""
    if value == 0 or value != value or abs(value) == inf:
        return value
    mantissa, least = FORMATS[name]
    f = Fraction(value)
    exponent = max(int(np.frexp(value)[1]) - 1, least)
    unit = Fraction(2) ** (exponent - mantissa)
    return float(Fraction(int(f / unit)) * unit)


def downcasts(out):
    out.write("> z = x.to(T, fp_downcast_rounding='rtz')\n")
    for a, b in [("fp32", "fp16"), ("fp32", "bf16"), ("fp64", "fp32"), ("fp64", "fp16")]:
        x = tensor(inputs(a)["X"], a)
        z = torch.tensor([truncate(v, b) for v in x.tolist()], dtype=torch.float64)
        out.write(f"{a} - {b} X - {hex_of(z.to(TORCH[b]))}\n")
    out.write("\n")


def bitcasts(out):
    out.write("> z = x.to(T, bitcast=True)\n")
    names = [n for n in TYPES + FP8 if n != "i1"]
    for a in names:
        for b in names:
            if bits_of(a) == bits_of(b):
                x = tensor(inputs(a)["C"], a)
                out.write(f"{a} - {b} C - {hex_of(x.view(TORCH[b]))}\n")
    out.write("\n")


# -- Reductions and scans -----------------------------------------------------------


def of_reductions(name):
    """R: ties, and numbers whose sum is exact in every order.  P: the same for
    products."""
    if name == "i1":
        values = [0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0]
        return {"R": values, "P": [1] * 9 + values[9:]}
    if is_float(name):
        return {
            "R": [1.5, -2, 4, 0.5, 8, 4, -2, 8, 0, 7, -6.5, 1, 2, -0.25, 3, -6.5],
            "P": [1, 2, 0.5, 2, -1, 4, 0.25, 1, -2, 1, 2, 0.5, -1, 1, 4, 0.5],
        }
    bits = bits_of(name)
    high = 2**bits - 1 if name[0] == "u" else 2 ** (bits - 1) - 1
    low = 0 if name[0] == "u" else -high - 1
    signs = [1, -1] if name[0] == "i" else [1, 1]
    small = [3, 7, 5, 7, 2, 0, low, 1, high, 5, high, low, 4, 6, 1, 3]
    return {
        "R": [v * signs[i % 2] if v < 8 and v > low else v for i, v in enumerate(small)],
        "P": [v * signs[i % 2] for i, v in enumerate([1, 2, 3, 5, 1, 7, 11, 2, 9, 13, 1, 3, 7, 5, 2, 3])],
    }


def wrapped(values, name):
    """Integers modulo their width; other values as they are."""
    if is_float(name):
        return values
    if name == "i1":
        return [bool(v & 1) for v in values]
    bits = bits_of(name)
    values = [v % 2**bits for v in values]
    sign = 2 ** (bits - 1) if name[0] == "i" else 2**bits
    return [v - 2**bits if v >= sign else v for v in values]


def running(combine, values):
    return list(accumulate(values, combine))


def both_ways(combine):
    """Two scans by `combine`: forward, and from the end."""
    return (
        lambda v: running(combine, v),
        lambda v: running(combine, v[::-1])[::-1],
    )


SUMS, PRODUCTS = both_ways(operator.add), both_ways(operator.mul)
FIRST_MAX, FIRST_MIN = lambda v: v.index(max(v)), lambda v: v.index(min(v))
XOR, OR = lambda v: reduce(operator.xor, v), lambda v: reduce(operator.or_, v)
REDUCTIONS = [  # expression, that of types.txt, list, meaning
    ("tl.sum(x)", "tl.sum(v)", "R", sum),
    ("tl.sum(x, dtype=tl.float64)", "tl.sum(v, dtype=tl.float64)", "P", sum),
    ("tl.max(x)", "tl.max(v)", "R", max),
    ("tl.min(x)", "tl.min(v)", "R", min),
    ("tl.argmax(x, 0)", "tl.argmax(v,0)", "R", FIRST_MAX),
    ("tl.argmin(x, 0)", "tl.argmin(v,0)", "R", FIRST_MIN),
    ("tl.max(x, 0, return_indices=True)[0]", None, "R", max),
    ("tl.min(x, 0, return_indices=True)[1]", "tl.argmin(v,0)", "R", FIRST_MIN),
    ("tl.xor_sum(x)", "tl.xor_sum(v)", "R", XOR),
    ("tl.reduce_or(x, 0)", "tl.reduce_or(v,0)", "R", OR),
    ("tl.cumsum(x, 0)", "tl.cumsum(v)", "R", SUMS[0]),
    ("tl.cumsum(x, 0, reverse=True)", "tl.cumsum(v)", "R", SUMS[1]),
    ("tl.cumprod(x, 0)", "tl.cumprod(v)", "P", PRODUCTS[0]),
    ("tl.cumprod(x, 0, reverse=True)", "tl.cumprod(v)", "P", PRODUCTS[1]),
    ("tl.sort(x)", "tl.sort(v)", "R", sorted),
    ("tl.sort(x, descending=True)", "tl.sort(v)", "R", lambda v: sorted(v)[::-1]),
    ("tl.flip(x, 0)", "tl.sort(v)", "R", lambda v: v[::-1]),
]


def reductions(out, types):
    indices = "tl.max(v, 0, return_indices=True)[0]"
    for text, key, kind, meaning in REDUCTIONS:
        out.write(f"> z = {text}\n")
        for a in TYPES:
            wanted = types[f"v = tl.broadcast_to(x, [16]); z = {key or indices}"][a]
            if wanted == "!":
                continue
            z = meaning([v + 0 for v in of_reductions(a)[kind]])
            z = tensor(wrapped(z if isinstance(z, list) else [z] * LANES, wanted), wanted)
            out.write(f"{a} - {wanted} {kind} - {hex_of(z)}\n")
        out.write("\n")


def numbers_of_nan(out):
    """Write maxima and minima of numbers and NaN, which are numbers."""
    for text, meaning in (("tl.max(x)", np.nanmax), ("tl.min(x)", np.nanmin)):
        out.write(f"> z = {text}\n")
        for a in FLOATS:
            z = tensor([float(meaning(inputs(a)["X"]))] * LANES, "fp64" if a == "fp64" else "fp32")
            out.write(f"{a} - {'fp64' if a == 'fp64' else 'fp32'} X - {hex_of(z)}\n")
        out.write("\n")


def in_order(v):
    """Sort: a NaN is above infinity, and -0 before 0."""
    return sorted(v, key=lambda x: (math.isnan(x), x, math.copysign(1, x)))


def orders_of_nan(out):
    """Write sorts, which keep every NaN, and places of the greatest and least
    number."""
    for text, meaning in (
        ("tl.sort(x)", in_order),
        ("tl.sort(x, descending=True)", lambda v: in_order(v)[::-1]),
        ("tl.argmax(x, 0)", lambda v: [int(np.nanargmax(v))] * LANES),
        ("tl.argmin(x, 0)", lambda v: [int(np.nanargmin(v))] * LANES),
    ):
        out.write(f"> z = {text}\n")
        for a in FLOATS + FP8:
            wanted = "i32" if "arg" in text else a
            z = meaning(tensor(inputs(a)["X"], a).double().tolist())
            out.write(f"{a} - {wanted} X - {hex_of(tensor(z, wanted))}\n")
        out.write("\n")


def read_types():
    """{expression: {(x, y): type}} of the tables with two types, or {x: type}."""
    tables, body = {}, []
    releases = []
    for line in (HERE / "types.txt").read_text().split("\n"):
        words = line.split()
        if line.startswith("# releases: "):
            releases = line.split(";")[0].split()[2:]
        if not line.startswith(("#", ">")):
            part = lambda word: word.split("|")[releases.index(RELEASE) if "|" in word else 0]
            words = [part(word) for word in words]
        if line.startswith("> "):
            body.append(line[2:])
        elif not words:
            body = []
        elif words[0].startswith("x"):
            columns, cells = words[1:], {}
            if len(words[0]) > 1:
                literals = "" if words[0] == "x\\y" else " (literals)"
                tables["; ".join(body) + literals] = cells
        elif words[0] == "-":
            tables["; ".join(body)] = dict(zip(columns, words[1:]))
        elif words[0] != "#":
            cells.update({(words[0], c): t for c, t in zip(columns, words[1:])})
    return tables


# -- The file -----------------------------------------------------------------------


def split(text):
    """List the blocks as (lines, {key of a row: the row})."""
    blocks = []
    for block in text.strip().split("\n\n"):
        lines = [line for line in block.split("\n") if line[0] in "#=>"]
        rows = [line for line in block.split("\n") if line[0] not in "#=>"]
        # A cast has a row for each type of the result.
        parts = (0, 1, 2, 3, 4) if "(T" in lines[-1] or "store" in block else (0, 1, 3, 4)
        of = lambda row: tuple(row.split()[i] for i in parts)
        key = ("\n".join(lines), sum(lines == b[0][0].split("\n") for b in blocks))
        blocks.append((key, {of(row): row for row in rows}))
    return blocks


def read_release(text, release):
    """The file as it was written with that release alone."""
    lines = [line.removeprefix(f"@{release} ") for line in text.split("\n")]
    return "\n".join(line for line in lines if not line.startswith("@"))


def merge(texts):
    """{release: text} as one, with `@release` where rows differ."""
    out = io.StringIO()
    all_blocks = {release: dict(split(text)) for release, text in texts.items()}
    for block, rows in split(texts[RELEASE]):
        out.write(block[0] + "\n")
        by = {release: blocks.get(block, rows) for release, blocks in sorted(all_blocks.items())}
        for key in dict.fromkeys(key for rows in by.values() for key in rows):
            found = {release: rows.get(key) for release, rows in by.items()}
            same = len(set(found.values())) == 1
            for release, row in found.items():
                if row and (not same or release == RELEASE):
                    out.write(row + "\n" if same else f"@{release} {row}\n")
        out.write("\n")
    return out.getvalue()


def write_all(out):
    out.write("# Values in hexadecimal, by make_values.py.\n")
    out.write("# `@3.9`: of a row of that release alone.\n\n")
    for name in TYPES + FP8:
        for kind, values in {**inputs(name), **of_reductions(name)}.items():
            out.write(f"= {name} {kind} {hex_of(tensor(values, name))}\n")
    out.write("\n")
    reductions(out, read_types())
    numbers_of_nan(out)
    orders_of_nan(out)
    operators(out, read_types())
    literals(out, read_types())
    casts(out, "> z = x.to(T)\n")
    casts(out, "> tl.store(Z + i, x)\n> z = tl.load(Z + i)\n")
    downcasts(out)
    bitcasts(out)


def main():
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    out, path = io.StringIO(), HERE / "values.txt"
    write_all(out)
    before = path.read_text() if path.exists() else ""
    texts = {release: read_release(before, release) for release in ("3.8", "3.9") if before}
    path.write_text(merge({**texts, RELEASE: out.getvalue()}))


if __name__ == "__main__":
    main()
