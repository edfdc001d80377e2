# make_types.py -- writes types.txt: the type of each expression in Triton.
#
#   python3 make_types.py               # all tables
#   python3 make_types.py --new         # those that are not there yet
#   python3 make_types.py WORD...       # prints those with a WORD
#
# Needs one of RELEASES, whose part of each cell it replaces: run it with each.
# Every cell is a kernel that Triton's own frontend is given; a cell is the type
# of `z` at the end, or `!` where Triton refuses; `a|b` where releases differ, in
# the order of RELEASES, with `?` for one that was not asked yet.
import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

HERE = pathlib.Path(__file__).parent
RELEASES = ["3.8", "3.9"]
RELEASE = RELEASES.index(".".join(triton.__version__.split(".")[:2]))
TYPES = "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp16 bf16 fp32 fp64".split()
LITERALS = (
    "True 0 1 -1 127 200 300 70000 -70000 2147483648 1099511627776 -1099511627776 "
    "9223372036854775808 0.5 1e300 float('inf')"
).split()
OPERATORS = "+ - * / // % & | ^ << >> < ==".split()
TILE = "v = tl.broadcast_to(x, [16])"
PRINT = "tl.static_print(z.dtype)"
PRINT_IN_LOOP = "    " + PRINT
POINTER = "q = p.to(tl.pointer_type(y.dtype))"


def binary():
    """Expressions of two run-time values."""
    for op in OPERATORS:
        yield [f"z = x {op} y"]
    yield from (
        [f"z = {text}"]
        for text in (
            "tl.maximum(x, y)",
            "tl.minimum(x, y)",
            "max(x, y)",
            "tl.where(c, x, y)",
            "tl.fdiv(x, y)",
            "tl.div_rn(x, y)",
            "tl.umulhi(x, y)",
            "tl.fma(x, y, x)",
            "tl.fma(x, 2, y)",
            "tl.clamp(x, y, y)",
            "tl.clamp(x, 0, y)",
            "tl.cdiv(x, y)",
            "x and y",
            "x or y",
            "x if c else y",
            "tl.join(x, y)",
            "tl.full([16], x, y.dtype)",
            "tl.cast(x, y.dtype)",
            "tl.cast(x, y.dtype, bitcast=True)",
            "x.to(y.dtype, fp_downcast_rounding='rtz')",
        )
    )
    yield [TILE, "z = v + y"]
    yield [TILE, "z = tl.where(v == v, x, y)"]
    yield [TILE, "z = tl.cat(v, tl.broadcast_to(y, [16]), can_reorder=True)"]
    yield ["if c:", "    z = x", "else:", "    z = y"]
    yield ["z = x", "for i in range(4):", "    z = y"]
    yield ["z = x", "for i in range(4):", "    z += y"]
    yield ["z = x", "while c:", "    z = y"]
    yield ["for i in range(x, y):", "    z = i", PRINT_IN_LOOP]
    yield [
        "a = tl.broadcast_to(x, [32, 32])",
        "b = tl.broadcast_to(y, [32, 32])",
        "z = tl.dot(a, b)",
    ]
    yield [POINTER, "tl.store(q, x)", "z = tl.load(q)"]
    yield [POINTER, "z = tl.load(q, mask=c, other=x)"]
    for name in "add max and xchg poll".split():
        yield [POINTER, f"z = tl.atomic_{name}(q, x)"]
    yield [POINTER, "tl.atomic_store(q, x)", "z = tl.atomic_load(q)"]
    yield [POINTER, "z = tl.atomic_cas(q, x, y)"]
    yield ["q = p.to(tl.pointer_type(x.dtype))", "z = q + y"]


def literal():
    """Expressions of a run-time value x and a literal y."""
    for op in OPERATORS:
        yield [f"z = x {op} y"]
        yield [f"z = y {op} x"]
    yield from (
        [f"z = {text}"]
        for text in (
            "tl.maximum(x, y)",
            "tl.minimum(y, x)",
            "max(y, x)",
            "tl.fdiv(x, y)",
            "tl.fdiv(y, x)",
            "tl.div_rn(x, y)",
            "tl.umulhi(x, y)",
            "tl.where(c, x, y)",
            "tl.where(c, y, x)",
            "tl.where(c, y, y)",
            "tl.fma(x, y, x)",
            "tl.fma(y, y, x)",
            "tl.clamp(x, y, y)",
            "tl.clamp(y, x, x)",
            "tl.cdiv(x, y)",
            "x and y",
            "x if c else y",
            "tl.full([16], y, x.dtype)",
        )
    )
    yield ["s = y", "z = x + s"]
    yield ["z = y", "for i in range(4):", "    z = x"]
    yield ["z = y", "for i in range(4):", "    z += x"]
    yield ["for i in range(0, x, y):", "    z = i", PRINT_IN_LOOP]
    pointer = "q = p.to(tl.pointer_type(x.dtype))"
    yield [pointer, "tl.store(q, y)", "z = tl.load(q)"]
    yield [pointer, "z = tl.load(q, mask=c, other=y)"]
    yield [pointer, "z = tl.atomic_add(q, y)"]
    yield [pointer, "z = tl.atomic_max(q, y)"]
    yield [pointer, "z = q + y"]


def unary():
    """Expressions of one run-time value."""
    yield from "-x ~x +x".split()
    yield "not x"
    for name in (
        "abs exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf floor ceil sigmoid"
    ).split():
        yield f"tl.{name}(x)"
        yield f"x.{name}()"
    for name in (
        "sum max min argmax(,0) argmin(,0) xor_sum reduce_or(,0) cumsum cumprod sort "
        "flip softmax zeros_like ravel"
    ).split():
        name, _, rest = name.partition("(")
        yield f"tl.{name}({'v' + rest.rstrip(')')})"
    yield "tl.sum(v, dtype=tl.float64)"
    yield "tl.cumsum(v, 0, dtype=tl.float64)"
    yield "tl.max(v, 0, return_indices=True)[0]"
    yield "tl.max(v, 0, return_indices=True)[1]"
    yield "tl.max(v, 0, return_indices=True, return_indices_tie_break_left=False)[1]"
    yield "tl.max(v, 0, keep_dims=True)"
    yield "tl.histogram(v, 16)"
    yield "tl.topk(v, 1)"
    yield "tl.topk(v, 4)"
    yield "tl.topk(v, 16)"
    yield "tl.load(p.to(tl.pointer_type(x.dtype)))"
    yield "tl.atomic_xchg(p.to(tl.pointer_type(x.dtype)), x)"
    yield "tl.randint(x, 0)"
    yield "tl.rand(0, x)"
    yield "int(x)"
    yield "float(x)"
    yield "bool(x)"


class Triton:
    """Triton's frontend; it compiles one kernel at a time."""

    def __init__(self):
        target = GPUTarget("cuda", 90, 32)
        self.target = target
        self.backend = make_backend(target)
        self.options = self.backend.parse_options({"arch": "sm90"})
        self.folder = tempfile.TemporaryDirectory()
        self.count = 0

    def load(self, lines, literal):
        """A module with the function; Triton wants its source in a file."""
        self.count += 1
        first = [f"y: tl.constexpr = {literal}"] if literal else []
        body = first + lines + [PRINT] * (PRINT_IN_LOOP not in lines)
        text = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        text += "def k(x, y, c, p):\n" if not literal else "def k(x, c, p):\n"
        text += "".join(f"    {line}\n" for line in body)
        path = pathlib.Path(self.folder.name) / f"k{self.count}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        path.unlink()
        return module.k

    def type_of(self, function, types):
        signature = dict(zip("xy", types), c="i1", p="*i8")
        signature = {n: signature[n] for n in function.arg_names}
        context = ir.context()
        ir.load_dialects(context)
        self.backend.load_dialects(context)
        out = io.StringIO()
        functions = self.backend.get_codegen_implementation(self.options)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                ASTSource(function, signature, {}).make_ir(
                    self.target, self.options, functions, self.backend.get_module_map(), context
                )
        except Exception:
            return "!"
        # The first type that is printed; the body of a loop is walked more than
        # once.
        name = [n for n in out.getvalue().split("\n") if n and " " not in n][0]
        name = name.replace("pointer<", "*").rstrip(">")
        return name.replace("uint", "u").replace("int", "i")


def merge(before, cell):
    """The cell with this release's part replaced."""
    parts = before.split("|") * (1 if "|" in before else len(RELEASES))
    parts[RELEASE] = cell
    return parts[0] if len(set(parts)) == 1 else "|".join(parts)


def read_cells():
    """{(lines, corner): {(row, column): cell}} of the tables that are there."""
    tables, body, path = {}, [], HERE / "types.txt"
    for line in path.read_text().split("\n") if path.exists() else []:
        words = line.split()
        if line.startswith("> "):
            body.append(line[2:])
        elif not words or line.startswith("#"):
            body = []
        elif words[0].startswith("x"):
            columns, cells = words[1:], {}
            tables["\n".join(body), words[0]] = cells
        else:
            cells.update({(words[0], c): t for c, t in zip(columns, words[1:])})
    return tables


def put(out, lines, corner, columns, rows):
    for line in lines:
        out.write(f"> {line}\n")
    table = [[corner, *columns]] + [[name, *cells] for name, cells in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns) + 1)]
    for row in table:
        cells = (c.ljust(n) for c, n in zip(row, widths))
        out.write("  ".join(cells).rstrip() + "\n")
    out.write("\n")
    out.flush()


def tables():
    """Yield lines, corner, columns, rows, and a function of a column: its
    literal, and a function of a row that gives the types."""
    for lines in binary():
        yield lines, "x\\y", TYPES, TYPES, lambda y: (None, lambda x: (x, y))
    for lines in literal():
        yield lines, "x\\literal", LITERALS, TYPES, lambda y: (y, lambda x: (x,))
    for text in unary():
        lines = [TILE] * ("v" in text) + [f"z = {text}"]
        yield lines, "x", TYPES, ["-"], lambda y: (None, lambda x: (y, "i32"))


def ask(triton, lines, columns, rows, how, known):
    """The rows of a table; Triton is asked only for cells that `known` lacks.
    """
    functions = {}
    out = [(x, []) for x in rows]
    for column in columns:
        literal, types = how(column)
        for x, cells in out:
            before = known.get((x, column), "|".join("?" * len(RELEASES)))
            if literal not in functions:
                functions[literal] = triton.load(lines, literal)
            cells.append(merge(before, triton.type_of(functions[literal], types(x))))
    return out


def main(words):
    triton, before = Triton(), read_cells()
    only_new = words == ["--new"]
    words = [] if only_new else words
    out = io.StringIO() if not words else sys.stdout
    out.write("# The types of `z`, by make_types.py.  `!`: refused.\n")
    out.write(f"# releases: {' '.join(RELEASES)}; `a|b`: where they differ\n\n")
    for lines, corner, columns, rows, how in tables():
        known = before.get(("\n".join(lines), corner), {})
        if words and not any(w in "\n".join(lines) for w in words):
            continue
        asked = known and not any("?" in cell for cell in known.values())
        if only_new and asked:
            cells = [(x, [known[x, c] for c in columns]) for x in rows]
        else:
            cells = ask(triton, lines, columns, rows, how, known)
        put(out, lines, corner, columns, cells)
    if not words:
        (HERE / "types.txt").write_text(out.getvalue())


if __name__ == "__main__":
    main(sys.argv[1:])
