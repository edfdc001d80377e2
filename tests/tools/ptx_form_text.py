"""The forms of instructions that the simulator knows, and their text, for ptx_forms.py."""
import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLES = f"{ROOT}/runtime/simulator/code"
# Bits of an element of a matrix; of other types 32.
BITS = {"f64": 64, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4,
        "u4": 4, "b1": 1}

Row = collections.namedtuple("Row", "opcode shape num_types roles")
Form = collections.namedtuple("Form", "row words types count pair number")


def rows_of(name, pattern):
    with open(f"{TABLES}/{name}") as f:
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
    """Read the rows, {role: [word]}, and {type: bytes}."""
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


def role_of(row, word, taken):
    for role in row.roles:
        if word in WORDS[role] and role not in taken:
            return role
    return None


def roles_taken(form):
    taken = {}
    for word in form.words:
        role = role_of(form.row, word, taken)
        if role:
            taken[role] = word
    return taken


def register(size, number):
    return {0: "%p", 1: "%h", 2: "%h", 4: "%r", 8: "%d", 16: "%q"}[size] + str(number)


def braces(items):
    return "{" + ", ".join(items) + "}"


def matrix_sizes(form):
    """The sizes m, n, k of the shape, or None."""
    for word in form.words:
        found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word)
        if found:
            return [int(x) for x in found.groups()]
    return None


def share_of_lane(elements, bits):
    """A lane's part of a matrix of so many elements: the number of registers,
    and the bytes of each."""
    size = 8 if bits == 64 else 4
    return max(1, elements * bits // (32 * 8 * size)), size


def registers_of(form, index):
    """Registers for operand `index` of a product: their number, and the bytes
    of each."""
    m, n, k = matrix_sizes(form)
    if form.row.num_types == 4:
        name = form.types[index]
        bits = BITS.get(name, 32)
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
    return share_of_lane(elements, bits)


def loaded_fragment(form):
    m, n, k = matrix_sizes(form) or (16, 16, 16)
    name = form.types[0]
    if name == "f16" and ("a" in form.words or "b" in form.words):
        return 8, 4
    elements = m * k if "a" in form.words else k * n if "b" in form.words else m * n
    return share_of_lane(elements, BITS.get(name, 32))


def is_wide(row):
    """Is this a product of wgmma, of which `number` is the number of columns?
    """
    return row.opcode == "wgmma" and "f" in row.shape


def wide_fragment(form, index):
    if index:
        return 4, 4
    return form.number // (4 if form.types[0] == "f16" else 2), 4


def fragment(form, index, number):
    opcode = form.row.opcode
    if is_wide(form.row):
        count, size = wide_fragment(form, index)
    elif opcode.endswith("matrix"):
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


def coordinates(form, register_of, but):
    """As many registers as the form has dimensions, less `but`."""
    dims = next((int(w[0]) for w in form.words if w in ("1d", "2d", "3d", "4d", "5d")), 1)
    return braces(register_of(20 + i) for i in range(max(dims - but, 1)))


def operand(form, letter, index):
    sizes = [TYPES[t] for t in form.types] + [4, 4]
    first, second, number = sizes[0], sizes[1], 1 + 20 * index
    small = 1 + index
    if letter == "f":
        return fragment(form, index, number)
    if letter in "daPesbcv":
        size = second if letter in "ebv" else first
        if letter == "s":
            return elements(form, size, number % 80)
        return register(size, small)
    if letter == "x":
        return elements(form, first, number % 80)
    if letter == "i" and is_wide(form.row):
        return "0"
    if letter in "wW":
        return register(min(2 * max(first, 1), 16), small)
    if letter in "yz":
        part = max(first // form.number, 1)
        return braces(register(part, 10 + i) for i in range(form.number))
    if letter == "M":
        return f"[%d{small}, {coordinates(form, '%r{}'.format, 0)}]"
    if letter == "o":
        return coordinates(form, "%h{}".format, 2)
    return {"h": f"%h{small}", "D": f"%r{small}", "p": f"%p{small}", "Q": f"%r{small}",
            "F": f"%r{small}", "u": f"%r{small}", "A": f"%d{small}", "q": f"%p{small}",
            "S": f"%p{small}", "k": "1",
            "m": f"[%d{small}]", "i": str(form.number), "t": "%tid", "T": f"%r{small}",
            "V": f"%r{small}"}[letter]


# ptxas does not look at these words of another instruction.
OF_ONE = {w: ["testp"] for w in "finite infinite number notanumber normal subnormal".split()}
OF_ONE |= {"all": ["vote", "match"], "any": ["vote", "match"]}
OF_ONE |= {w: ["tensormap"] for w in """global_address rank box_dim global_dim global_stride
    element_stride elemtype interleave_layout swizzle_mode fill_mode replace""".split()}
OF_ONE |= {"tensormap::generic": ["tensormap", "fence"]}

# Roles whose words belong to the name of some instructions: ptxas wants them first.
FIRST_ROLES = ["ROLE_" + r for r in "PRODUCT ASYNC GROUP WARP DIRECTION MODE OP TO HALF APPROX".split()]


def in_order(form):
    """The words, reordered so that the words of the opcode's name come first.
    """
    taken = roles_taken(form)
    first = ["ROLE_SCOPE"] if form.row.opcode in ("bar", "barrier") else []
    if "tensor" in taken.values():
        first = ["ROLE_REDUCE", "ROLE_ASYNC", "ROLE_MODE"]
        first += ["ROLE_GROUP"] * (taken.get("ROLE_GROUP") == "prefetch")
        first += ["ROLE_TENSOR", "ROLE_SHAPE", "ROLE_CACHE", "ROLE_SPACE", "ROLE_SPACE2"]
    elif form.row.opcode == "tensormap":
        first = ["ROLE_MODE", "ROLE_WALK", "ROLE_SPACE", "ROLE_SPACE2"]
    elif taken.get("ROLE_MODE") in ("bulk", "proxy"):
        first = ["ROLE_REDUCE", "ROLE_ASYNC"] * (form.row.opcode == "cp") + ["ROLE_MODE"]
    roles = list(dict.fromkeys([*first, *FIRST_ROLES, *form.row.roles]))
    words = [taken[r] for r in roles if r in taken]
    if is_wide(form.row):
        words = [re.sub(r"^m64k", f"m64n{form.number}k", w) for w in words]
    return words


def text_of(form):
    letters = form.row.shape.replace("?", "")[:form.count]
    operands = [operand(form, letter, i) for i, letter in enumerate(letters)]
    if form.pair and operands:
        operands[0] += "|%p8"
    name = ".".join([form.row.opcode, *in_order(form), *form.types])
    return f"{name} {', '.join(operands)};"
