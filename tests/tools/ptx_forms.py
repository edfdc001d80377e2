#!/usr/bin/env python3
"""Which instructions does the simulator take that ptxas refuses, and the other way?

    ptx_forms.py PTXAS LIBTILESIM [--chip sm_89] [--opcode cvt] [--most 4000] [--old]

Forms are an opcode's words and types, by runtime/simulator/instructions.def and
words.def. Those of tests/sim/ptx are where the search begins; what either side takes
is changed by a word or a type, and that again, up to --most forms an opcode. With --old
what both take for the newest .version is tried for each earlier one.

Run by hand: for all chips it takes some minutes. It exits with 1 where the two differ.
"""
import argparse
import collections
import ctypes
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIMULATOR = f"{ROOT}/runtime/simulator"
CHIPS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]
VERSIONS = """6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5
8.6 8.7 8.8 9.0 9.1 9.2 9.3 9.4""".split()
HEAD = """.version {}
.target {}
.address_size 64
.visible .entry k() {{
.reg .b16 %h<99>; .reg .b32 %r<99>; .reg .b64 %d<99>; .reg .pred %p<9>; {}
"""
FIRST = HEAD.count("\n") + 1  # the line of the first form
FLOAT_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "f64": 64, "f32": 32}
INT_BITS = {"s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}

Row = collections.namedtuple("Row", "opcode shape num_types roles")
Form = collections.namedtuple("Form", "row words types count pair number")


def rows_of(name, pattern):
    with open(f"{SIMULATOR}/{name}") as f:
        text = re.sub(r"//.*", "", f.read()).replace("\\\n", " ")
    macros = dict(re.findall(r"#define (\w+) +([\w |]+)", text))
    text = re.sub(r"#define.*", "", text)
    return macros, re.findall(pattern, text, re.S)


def roles_in(text, macros):
    names = []
    for name in re.findall(r"\w+", text):
        names += roles_in(macros[name], macros) if name in macros else [name]
    return [n for n in names if n.startswith("ROLE_")]


def read_tables():
    """The rows, {role: [word]}, {type: bytes}."""
    macros, found = rows_of("instructions.def", r'INSN\((\w+), "([^"]*)", (\d),\s*([^,]*),\s*\w+\)')
    rows = [Row(o, s, int(n), tuple(roles_in(r, macros))) for o, s, n, r in found]
    words = collections.defaultdict(list)
    _, found = rows_of("words.def", r'WORD\(\w+, "([^"]*)", ([^)]*)\)')
    for spelling, roles in found:
        for role in roles_in(roles, {}):
            words[role].append(spelling)
    _, found = rows_of("types.def", r'TYPE\(\w+, "([^"]*)", (\d+), \w+\)')
    return rows, words, {t: int(b) for t, b in found}


ROWS, WORDS, TYPES = read_tables()


# -- The text of a form --------------------------------------------------------


def register(size, number):
    return {0: "%p", 1: "%h", 2: "%h", 4: "%r", 8: "%d", 16: "%q"}[size] + str(number)


def braces(items):
    return "{" + ", ".join(items) + "}"


def matrix_sizes(form):
    """m, n, k of the shape; None."""
    for word in form.words:
        found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word)
        if found:
            return [int(x) for x in found.groups()]
    return None


def registers_of(form, index):
    """Of operand `index` of a product: how many and of how many bytes."""
    m, n, k = matrix_sizes(form)
    if form.row.num_types == 4:
        name = form.types[index]
        bits = FLOAT_BITS.get(name) or INT_BITS.get(name) or 32
    else:
        name, bits = "f16", 16
        if index in (0, 3):
            name, bits = form.types[index > 0], 16 if form.types[index > 0] == "f16" else 32
    elements = {0: m * n, 1: m * k, 2: k * n, 3: m * n}[index]
    if index == 1 and "sp" in "".join(form.words).split("::")[0] and form.row.opcode == "mma":
        elements //= 2
    if form.row.opcode == "wmma" and name == "f16" and index in (1, 2):
        return 8, 4
    if form.row.opcode == "mma" and [m, n, k] == [8, 8, 4] and bits != 64:
        return (2, 4) if index in (1, 2) else (4 if bits == 16 else 8, 4)
    size = 8 if bits == 64 else 4
    return max(1, elements * bits // (32 * 8 * size)), size


def loaded_fragment(form):
    m, n, k = matrix_sizes(form) or (16, 16, 16)
    name = form.types[0]
    bits = FLOAT_BITS.get(name) or INT_BITS.get(name) or 32
    if name == "f16" and ("a" in form.words or "b" in form.words):
        return 8, 4
    elements = m * k if "a" in form.words else k * n if "b" in form.words else m * n
    size = 8 if bits == 64 else 4
    return max(1, elements * bits // (32 * 8 * size)), size


def fragment(form, index, number):
    opcode = form.row.opcode
    if opcode.endswith("matrix"):
        count = next((int(w[1]) for w in form.words if w in ("x1", "x2", "x4")), 1)
        size = 4
    elif form.row.num_types == 1:
        count, size = loaded_fragment(form)
    else:
        count, size = registers_of(form, index) if matrix_sizes(form) else (4, 4)
    return braces(register(size, number + i) for i in range(count))


def elements(form, size, number):
    count = next((int(w[1]) for w in form.words if w in ("v2", "v4", "v8")), 0)
    names = [register(size, number + i) for i in range(max(count, 1))]
    return braces(names) if count else names[0]


def operand(form, letter, index):
    sizes = [TYPES[t] for t in form.types] + [4, 4]
    first, second, number = sizes[0], sizes[1], 1 + 20 * index
    small = 1 + index
    if first == 0 or letter in "pq":
        small = 1 + index
    if letter in "daPesbcv":
        size = second if letter in "ebv" else first
        if letter == "s":
            return elements(form, size, number % 80)
        return register(size, small)
    if letter == "x":
        return elements(form, first, number % 80)
    if letter in "wW":
        return register(min(2 * max(first, 1), 16), small)
    if letter in "yz":
        part = max(first // form.number, 1)
        return braces(register(part, 10 + i) for i in range(form.number))
    return {"D": f"%r{small}", "p": f"%p{small}", "Q": f"%r{small}", "F": f"%r{small}",
            "u": f"%r{small}", "A": f"%d{small}", "q": f"%p{small}", "m": f"[%d{small}]",
            "i": str(form.number), "t": "%tid", "T": f"%r{small}", "V": f"%r{small}",
            "f": fragment(form, index, number) if letter == "f" else ""}[letter]


# ptxas does not look at these words of another instruction.
OF_ONE = {w: ["testp"] for w in "finite infinite number notanumber normal subnormal".split()}
OF_ONE |= {"all": ["vote", "match"], "any": ["vote", "match"]}

# Of some instructions these belong to the name, so that ptxas wants them first.
FIRST_ROLES = ["ROLE_" + r for r in "ASYNC GROUP WARP DIRECTION MODE OP TO HALF APPROX".split()]


def in_order(form):
    """The words, so that those of a name come first."""
    taken = roles_taken(form)
    first = ["ROLE_SCOPE"] if form.row.opcode in ("bar", "barrier") else []
    roles = first + FIRST_ROLES + [r for r in form.row.roles if r not in FIRST_ROLES + first]
    return [taken[r] for r in roles if r in taken]


def text_of(form):
    letters = form.row.shape.replace("?", "")[:form.count]
    operands = [operand(form, letter, i) for i, letter in enumerate(letters)]
    if form.pair and operands:
        operands[0] += "|%p8"
    name = ".".join([form.row.opcode, *in_order(form), *form.types])
    return f"{name} {', '.join(operands)};"


# -- The search ----------------------------------------------------------------


def is_sane(form):
    if "param::func" in form.words:  # takes no register as an address
        return False
    return all(form.row.opcode in OF_ONE.get(w, [form.row.opcode]) for w in form.words)


def counts_of(row):
    least = len(row.shape.split("?")[0])
    return range(least, len(row.shape.replace("?", "")) + 1)


def numbers_of(row):
    if "i" in row.shape:
        return {"cp": [4, 8, 16, 0], "lop3": [128], "discard": [128]}.get(row.opcode, [0, 128])
    return [2, 4] if "y" in row.shape or "z" in row.shape else [0]


def role_of(row, word, taken):
    for role in row.roles:
        if word in WORDS[role] and role not in taken:
            return role
    return None


# What the files of the tests, which are for sm_89, do not have.
OF_HOPPER = """stmatrix.sync.aligned.m8n8.x4.shared.b16; red.global.add.v4.f32;
mbarrier.try_wait.parity.acquire.cta.shared.b64; griddepcontrol.wait;"""


def harvest(opcodes):
    """The forms in the PTX of the tests."""
    forms = set()
    texts = [OF_HOPPER]
    for path in sorted(glob.glob(f"{ROOT}/tests/sim/ptx/*.ptx")):
        with open(path) as f:
            texts.append(f.read())
    for text in texts:
        for name in re.findall(r"([a-z]\w*(?:\.[\w:]+)*)[^;\"]*;", text):
            opcode, *parts = name.split(".")
            if opcode not in opcodes:
                continue
            for row in ROWS:
                if row.opcode == opcode:
                    forms |= forms_of_words(row, parts)
    return forms


def forms_of_words(row, parts):
    words, types, taken = [], [], set()
    for part in parts:
        if part in TYPES and len(types) < row.num_types:
            types.append(part)
            continue
        role = role_of(row, part, taken)
        if not role:
            return set()
        taken.add(role)
        words.append(part)
    if len(types) != row.num_types:
        return set()
    pairs = (False, True) if row.shape and row.shape[0] in "pPQ" else (False,)
    return {Form(row, tuple(words), tuple(types), c, p, n)
            for c in counts_of(row) for n in numbers_of(row) for p in pairs}


def seeds_of(opcode):
    forms = set()
    for row in ROWS:
        if row.opcode != opcode:
            continue
        choices = [()] + [(w,) for role in row.roles for w in WORDS[role]]
        for words in choices:
            for t in TYPES if row.num_types else [None]:
                forms |= {Form(row, words, (t,) * row.num_types, c, False, n)
                          for c in counts_of(row) for n in numbers_of(row)}
    return forms


def roles_taken(form):
    taken = {}
    for word in form.words:
        role = role_of(form.row, word, taken)
        if role:
            taken[role] = word
    return taken


def neighbours(form, others):
    row, taken = form.row, roles_taken(form)
    out = set()
    for role in row.roles:
        kept = tuple(w for w in form.words if w != taken.get(role))
        out.add(form._replace(words=kept))
        out |= {form._replace(words=kept + (w,)) for w in WORDS[role] if w not in kept}
    for i in range(row.num_types):
        for t in TYPES:
            types = list(form.types)
            types[i] = t
            out.add(form._replace(types=tuple(types)))
            if i == 0 and row.num_types > 2:
                out.add(form._replace(types=(t, *types[1:-1], t)))
            if i == 1 and row.num_types == 4:
                out.add(form._replace(types=(types[0], t, t, types[3])))
    for other in others:
        if other.row == row:
            out.add(form._replace(types=other.types))
    out |= {form._replace(count=c) for c in counts_of(row)}
    out |= {form._replace(number=n) for n in numbers_of(row)}
    if row.shape and row.shape[0] in "pPQ":
        out.add(form._replace(pair=not form.pair))
    return out


# -- The two sides -------------------------------------------------------------


def head(chip, version):
    return HEAD.format(version, chip, ".reg .b128 %q<9>;" if float(version) >= 8.3 else "")


BATCH = 500  # ptxas ends its list of errors at some length


def ptxas_messages(ptxas, chip, version, texts, path):
    """{index: message}; the line behind the forms is wrong, so that nothing is compiled."""
    with open(path, "w") as f:
        f.write(head(chip, version) + "\n".join(texts) + "\nwrong.on.purpose;\nret;\n}\n")
    out = subprocess.run([ptxas, f"-arch={chip}", path, "-o", "/dev/null"],
                         capture_output=True, text=True).stderr
    found = re.findall(r"line (\d+); (?:error|fatal) *: (.*)", out)
    messages = {int(line) - FIRST: message for line, message in reversed(found)}
    if min(messages, default=-1) < 0:
        sys.exit(f"ptxas: {out[:300]}")
    return messages


def ptxas_refuses(ptxas, chip, version, texts):
    """{index: message} of the lines that ptxas refuses."""
    refused = {}
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(texts), BATCH):
            left = list(range(start, min(start + BATCH, len(texts))))
            while left:
                messages = ptxas_messages(ptxas, chip, version, [texts[i] for i in left],
                                          f"{folder}/forms.ptx")
                refused |= {left[i]: m for i, m in messages.items() if i < len(left)}
                if len(left) in messages:  # it came to the end
                    break
                left = [i for i in left if i not in refused]
        # After an error it does not always find where the next instruction begins.
        for i in [i for i, m in refused.items() if "Parsing error" in m]:
            messages = ptxas_messages(ptxas, chip, version, [texts[i]], f"{folder}/one.ptx")
            if 0 not in messages:
                del refused[i]
    return refused


class Simulator:
    def __init__(self, library):
        os.environ["TILE_SIM_CHIP"] = "sm_90"
        self.cuda = ctypes.CDLL(library)
        context = ctypes.c_void_p()
        self.cuda.cuInit(0)
        self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        self.cuda.cuCtxPushCurrent_v2(context)

    def refuses(self, chip, version, texts):
        refused = {}
        log = ctypes.create_string_buffer(400)
        options = (ctypes.c_int * 2)(5, 6)
        for i, text in enumerate(texts):
            values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
            module = ctypes.c_void_p()
            whole = (head(chip, version) + text + "\nret;\n}\n").encode()
            if self.cuda.cuModuleLoadDataEx(ctypes.byref(module), whole, 2, options, values):
                refused[i] = log.value.decode()
            else:
                self.cuda.cuModuleUnload(module)
        return refused


# -- Comparing -----------------------------------------------------------------


# What ptxas takes beyond the manual: it ignores an operand or a word, says later that the
# form is none, or computes something else than the form says.
LENIENT = """atom\\.(and|or|xor|exch).*b32 %r\\d+, \\[%d2\\], %r\\d+, %r\\d+;
cvta\\..*u32 ; fma\\.r[zmp]\\..*bf16 ; madc\\.hi\\.[su]16 ; mov\\.b128 %q\\d+, %tid ; testp\\.f
v(absdiff|add|max|min|set|shl|shr|sub)\\.((clamp|wrap|sat|lt|le|gt|ge|eq|ne|lo|ls|hi|hs)\\.)*[su]32.*%r4;
vavrg[24]\\..*s32 ; mma\\..*m8n8k4.*bf16 ; atom\\..*b128 ; fence\\..*(acquire|release)
wmma\\.load\\.c.*\\.f32 ; wmma\\..*\\.[su]4"""
LENIENT = [re.compile(p.strip()) for line in LENIENT.split("\n") for p in line.split(" ; ")]


def is_lenient(text):
    return any(p.match(text) for p in LENIENT)


def explore(opcode, chip, version, args, simulator):
    """What both take, and the differences, of one opcode."""
    draw = random.Random(opcode)
    seen, both, differences, taken_forms = set(), [], [], []
    frontier = sorted(harvest({opcode}), key=text_of)
    fresh = seeds_of(opcode)
    while frontier and len(seen) < args.most:
        frontier = frontier[:args.most]
        texts = [text_of(f) for f in frontier]
        theirs = ptxas_refuses(args.ptxas, chip, version, texts)
        ours = simulator.refuses(chip, version, texts)
        for i, form in enumerate(frontier):
            if (i in theirs) != (i in ours) and not (i in ours and is_lenient(texts[i])):
                differences.append((texts[i], theirs.get(i), ours.get(i)))
            if i in theirs and i in ours:
                continue
            if i not in theirs and i not in ours:
                both.append(texts[i])
            taken_forms.append(form)
            fresh |= neighbours(form, draw.sample(taken_forms, min(8, len(taken_forms))))
        seen |= set(texts)
        chosen = {text_of(f): f for f in sorted(fresh, key=text_of)}
        frontier = [f for text, f in sorted(chosen.items()) if text not in seen and is_sane(f)]
        fresh = set()
        draw.shuffle(frontier)
    # An error in one line may hide that of another: each on its own.
    return both, [d for d in differences
                  if bool(d[1]) == (0 in ptxas_refuses(args.ptxas, chip, version, [d[0]]))]


def compare_old(chip, texts, args, simulator):
    """For each version what the two differ in, of forms that both take later."""
    count = 0
    known = [v for v in VERSIONS if float(v) >= FIRST_VERSION[chip]
             and float(v) <= float(args.version)]
    for version in known:
        theirs = ptxas_refuses(args.ptxas, chip, version, texts)
        ours = simulator.refuses(chip, version, texts)
        for i in sorted(set(theirs) ^ set(ours)):
            alone = ptxas_refuses(args.ptxas, chip, version, [texts[i]])
            if (0 in alone) == (i in ours):
                continue
            print(f"{chip} {version} {'taken' if i in theirs else 'refused'} here: "
                  f"{texts[i]}  -- {theirs.get(i) or ours.get(i)}")
            count += 1
    return count


FIRST_VERSION = {"sm_75": 6.3, "sm_80": 7.0, "sm_86": 7.1, "sm_89": 7.8, "sm_90": 7.8}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("library")
    parser.add_argument("--chip", action="append")
    parser.add_argument("--opcode", action="append")
    parser.add_argument("--most", type=int, default=4000)
    parser.add_argument("--version", default="9.0", help="the newest that ptxas knows")
    parser.add_argument("--old", action="store_true")
    args = parser.parse_args()
    simulator = Simulator(args.library)
    differ = tried = 0
    for chip in args.chip or CHIPS:
        both = []
        for opcode in args.opcode or sorted({row.opcode for row in ROWS}):
            taken, differences = explore(opcode, chip, args.version, args, simulator)
            both += taken
            for text, theirs, ours in sorted(differences):
                print(f"{chip} {'taken' if theirs else 'refused'} here: {text}  -- {theirs or ours}")
            differ += len(differences)
        tried += len(both)
        if args.old:
            differ += compare_old(chip, both, args, simulator)
    print(f"{tried} forms are taken by both; {differ} differences")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
