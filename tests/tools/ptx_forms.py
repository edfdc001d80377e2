#!/usr/bin/env python3
"""Finds instructions that the simulator takes and ptxas refuses, and the other way.

    ptx_forms.py PTXAS LIBTILESIM [--chip sm_89] [--opcode cvt] [--most 3000] [--old]

A form is a row of runtime/simulator/code/instructions.def with words, by words.def, types and
a number of operands. If a row has at most --most forms, all are tried. Otherwise the search
begins with the forms in tests/sim/ptx and with forms of no word or one word; each form that
ptxas or the simulator takes is changed by a word, the types or the operands, and so are the
changed forms that they take. Beyond --most forms, only a form with a new pair of two words, or
of a word and types, is tried. Nothing is random: two runs try the same forms.

With --old each form that both take for the newest .version is also tried in the first .version
with which ptxas takes it, found by bisection, and in the .version before.

Run by hand: about two minutes a chip. Exits with 1 where the two differ.
"""
import argparse
import collections
import ctypes
import glob
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

from ptx_form_text import (Form, OF_ONE, ROOT, ROWS, TYPES, WORDS, is_wide, roles_taken,
                           text_of)

CHIPS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"]
VERSIONS = """6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5
8.6 8.7 8.8 9.0 9.1 9.2 9.3 9.4""".split()
HEAD = """.version {}
.target {}
.address_size 64
.visible .entry k() {{
.reg .b16 %h<99>; .reg .b32 %r<299>; .reg .b64 %d<99>; .reg .pred %p<9>; {}
"""
FIRST = HEAD.count("\n") + 1  # the line of the first form


# -- The search ----------------------------------------------------------------


def is_sane(form):
    if "param::func" in form.words:  # takes no register as an address
        return False
    return all(form.row.opcode in OF_ONE.get(w, [form.row.opcode]) for w in form.words)


def counts_of(row):
    least = len(row.shape.split("?")[0])
    return range(least, len(row.shape.replace("?", "")) + 1)


def numbers_of(row):
    if is_wide(row):
        return [8, 24, 40, 256]
    if "i" in row.shape:
        return {"cp": [4, 8, 16, 0], "lop3": [128], "discard": [128],
                "tensormap": [0, 128, 13, 3, 5]}.get(row.opcode, [0, 128])
    return [2, 4] if "y" in row.shape or "z" in row.shape else [0]


def pairs_of(row):
    return (False, True) if row.shape and row.shape[0] in "pPQ" else (False,)


def make(row, words, types, count, pair, number):
    """The form, its words in the order of the row's roles; None where they do not fit."""
    form = Form(row, words, types, count, pair, number)
    taken = roles_taken(form)
    if len(taken) != len(words):
        return None
    form = form._replace(words=tuple(taken[r] for r in row.roles if r in taken))
    return form if is_sane(form) else None


# Forms of sm_90 that are in no file of the tests.
OF_HOPPER = """stmatrix.sync.aligned.m8n8.x4.shared.b16; red.global.add.v4.f32;
mbarrier.try_wait.parity.acquire.cta.shared.b64; griddepcontrol.wait;
cp.async.bulk.prefetch.tensor.3d.L2.global.im2col;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster;
cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group;
cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint;
cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes;
cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster;
tensormap.replace.tile.elemtype.global.b1024.b32; tensormap.replace.tile.rank.b1024.b32;
fence.proxy.tensormap::generic.release.gpu; prefetch.param.tensormap;
wgmma.mma_async.sync.aligned.m64k16.f32.f16.f16; wgmma.mma_async.sync.m64k8.f32.tf32.tf32;
wgmma.mma_async.sync.aligned.m64k32.s32.s8.s8; wgmma.mma_async.sync.aligned.m64k32.f16.e4m3.e5m2;
wgmma.mma_async.sync.aligned.m64k256.s32.b1.b1.and.popc;
wgmma.mma_async.sp.sync.aligned.m64k32.f32.bf16.bf16;
wgmma.mma_async.sp.sync.aligned.m64k16.f32.tf32.tf32;
wgmma.mma_async.sp.sync.aligned.m64k64.s32.u8.u8;"""


def harvest(row):
    """The forms of the row in the PTX of the tests."""
    forms = set()
    texts = [OF_HOPPER]
    for path in sorted(glob.glob(f"{ROOT}/tests/sim/ptx/*.ptx")):
        with open(path) as f:
            texts.append(f.read())
    for text in texts:
        for name in re.findall(r"([a-z]\w*(?:\.[\w:]+)*)[^;\"]*;", text):
            opcode, *parts = name.split(".")
            if opcode == row.opcode:
                forms |= forms_of_words(row, parts)
    return forms


def with_operands(row, words, types):
    forms = {make(row, words, types, c, p, n) for c in counts_of(row)
             for n in numbers_of(row) for p in pairs_of(row)}
    return forms - {None}


def forms_of_words(row, parts):
    types = tuple(p for p in parts if p in TYPES)[:row.num_types]
    words = tuple(p for p in parts if p not in types)
    return with_operands(row, words, types) if len(types) == row.num_types else set()


def choices(row):
    return [(None, *WORDS[role]) for role in row.roles]


def size_of(row):
    sizes = [len(c) for c in choices(row)] + [len(TYPES)] * row.num_types
    sizes += [len(counts_of(row)), len(numbers_of(row)), len(pairs_of(row))]
    return math.prod(sizes)


def all_of(row):
    """Every form there could be of the row."""
    forms = set()
    for words in itertools.product(*choices(row)):
        for types in itertools.product(TYPES, repeat=row.num_types):
            forms |= with_operands(row, tuple(w for w in words if w), types)
    return forms


def seeds_of(row):
    """Forms of the tests, and forms with no word or one word and equal types.
    """
    forms = harvest(row)
    for word in [None] + [w for role in row.roles for w in WORDS[role]]:
        for t in TYPES if row.num_types else [None]:
            forms |= with_operands(row, (word,) if word else (), (t,) * row.num_types)
    return forms


def neighbours(form, tuples):
    """List (form, its new feature): one word, type or operand is changed."""
    row, taken = form.row, roles_taken(form)
    out = []

    def add(new, **changes):
        made = make(*form._replace(**changes))
        if made and made != form:
            out.append((made, new))

    for role in row.roles:
        kept = tuple(w for r, w in taken.items() if r != role)
        for word in (None, *WORDS[role]):
            add((role, word), words=kept + ((word,) if word else ()))
    changed = set(tuples)
    for i in range(row.num_types):
        changed |= {form.types[:i] + (t,) + form.types[i + 1:] for t in TYPES}
    for types in sorted(changed):
        add(("types", types), types=types)
    for count in counts_of(row):
        add(("count", count), count=count)
    for number in numbers_of(row):
        add(("number", number), number=number)
    for pair in pairs_of(row):
        add(("pair", pair), pair=pair)
    return out


def features(form):
    return [*roles_taken(form).items(), ("types", form.types), ("count", form.count),
            ("number", form.number), ("pair", form.pair)]


class Search:
    """The forms of a row to try next, found from forms that ptxas or the
    simulator takes. Up to `most` forms, all neighbours of the taken forms are
    tried, and then only forms with a pair of features that has not been tried.
    """

    def __init__(self, row, most):
        self.row, self.most = row, most
        self.whole = size_of(row) <= most
        self.frontier = sorted(all_of(row) if self.whole else seeds_of(row), key=text_of)
        self.seen = set(self.frontier)
        self.tuples, self.together = set(), set()

    def is_new(self, form, new):
        fresh = {(new, other) for other in features(form)} - self.together
        self.together |= fresh
        return fresh and form not in self.seen

    def advance(self, taken):
        self.frontier = []
        if self.whole:
            return
        self.tuples |= {f.types for f in taken}
        tuples = self.tuples if self.row.num_types > 1 else ()
        for form in sorted(taken, key=text_of):
            for made, new in neighbours(form, tuples):
                few = len(self.seen) < self.most
                if self.is_new(made, new) or few and made not in self.seen:
                    self.seen.add(made)
                    self.frontier.append(made)


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
    """Ask ptxas: {index: message} of the lines that it refuses. Where ptxas
    cannot parse a line, it stops; the next run, with that line first, shows
    whether the line itself was wrong."""
    refused = {}
    start = 0
    with tempfile.TemporaryDirectory() as folder:
        while start < len(texts):
            part = texts[start:start + BATCH]
            found = ptxas_messages(ptxas, chip, version, part, f"{folder}/forms.ptx")
            end = max(found)
            parses = "Parsing error" not in found[end]
            refused |= {start + i: m for i, m in found.items()
                        if i < len(part) and (i < end or parses or end == 0)}
            start += end + (parses or end == 0) if end < len(part) else len(part)
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


# Forms that ptxas accepts beyond the manual: it ignores an operand or a word, makes no code,
# or code that computes something else.
LENIENT = [re.compile(pattern) for pattern in (
    # ptxas makes no code of these: no fence below sm_90, no product of these types or
    # shapes. From sm_90 on there is a fence, of any version; by the manual from 8.6 on.
    r"fence\..*(acquire|release)",
    r"mma\..*m8n8k4.*bf16",
    r"wmma\.mma\.(?!.*m8n8k4).*\.f64 ",
    r"wmma\.mma\..*m8n8k4.*\.[su]8",
    r"wmma\.mma\..*\.u32 ",
    # The product of m8n8k32, whatever the shape says.
    r"wmma\.mma\.(?!.*m8n8k32).*\.[su]4",
    # Fragments that no product takes.
    r"wmma\.(load|store)\.(?!.*k16.*\.(b?f16|[su]8|f32|s32) |.*n16k8.*\.t?f32 "
    r"|.*k4.*\.f64 |.*k32.*\.([su]4|s32) |.*k128.*\.(b1|s32) )",
    r"atom\.(and|or|xor|exch).*b32 %r\d+, \[%d2\], %r\d+, %r\d+;",
    r"atom\..*b128",
    # The source, or the mbarrier, is no address.
    r"cp(\.reduce)?\.async\.bulk\.tensor\..*\}\], %d2;",
    r"cp\.reduce\.async\.bulk\.mbarrier.*, %d4;",
    r"cvta\..*u32",
    r"fma\.r[zmp]\..*bf16",
    r"madc\.hi\.[su]16",
    r"mov\.b128 %q\d+, %tid",
    r"testp\.f",
    r"v(absdiff|add|max|min|set|shl|shr|sub)\.((clamp|wrap|sat|lt|le|gt|ge|eq|ne|lo|ls|hi|hs)\.)*"
    r"[su]32.*%r4;",
    # A sparse product without metadata.
    r"wgmma\.mma_async\.sp\..*tf32.*%d3, %p4",
    r"vavrg[24]\..*s32",
)]


def is_lenient(text):
    return any(p.match(text) for p in LENIENT)


def explore(row, chip, version, args, simulator):
    """Compare one row: forms that both take, and the differences."""
    search, both, differences = Search(row, args.most), [], []
    while search.frontier:
        forms = search.frontier
        texts = [text_of(f) for f in forms]
        theirs = ptxas_refuses(args.ptxas, chip, version, texts)
        ours = simulator.refuses(chip, version, texts)
        for i in range(len(forms)):
            if (i in theirs) != (i in ours) and not (i in ours and is_lenient(texts[i])):
                differences.append((texts[i], theirs.get(i), ours.get(i)))
        both += [texts[i] for i in range(len(forms)) if i not in theirs and i not in ours]
        search.advance([f for i, f in enumerate(forms) if i not in theirs or i not in ours])
    # An error in one line may hide the error of another, so each line is
    # assembled by itself.
    return both, [d for d in differences
                  if bool(d[1]) == (0 in ptxas_refuses(args.ptxas, chip, version, [d[0]]))]


def first_versions(chip, known, texts, args):
    """Index for each text of the first known version with which ptxas takes
    it."""
    low, high = [0] * len(texts), [len(known) - 1] * len(texts)  # taken at `high`
    while True:
        groups = collections.defaultdict(list)
        for i in range(len(texts)):
            if low[i] < high[i]:
                groups[(low[i] + high[i]) // 2].append(i)
        if not groups:
            return high
        for middle, members in sorted(groups.items()):
            refused = ptxas_refuses(args.ptxas, chip, known[middle], [texts[i] for i in members])
            for k, i in enumerate(members):
                if k in refused:
                    low[i] = middle + 1
                else:
                    high[i] = middle


def compare_old(chip, texts, args, simulator):
    """Count the differences with the first version of each form and the
    version before."""
    known = [v for v in VERSIONS if number_of(v) >= number_of(FIRST_VERSION[chip])
             and number_of(v) <= number_of(args.version)]
    firsts = first_versions(chip, known, texts, args)
    count = 0
    for at, version in enumerate(known):
        since = [t for t, f in zip(texts, firsts) if f == at]
        before = [t for t, f in zip(texts, firsts) if f == at + 1]
        refused = simulator.refuses(chip, version, since)
        refused_before = simulator.refuses(chip, version, before)
        found = [f"refused here: {since[i]}  -- {message}" for i, message in refused.items()
                 if not is_lenient(since[i])]
        found += [f"taken here: {text}" for i, text in enumerate(before) if i not in refused_before]
        for line in found:
            print(f"{chip} {version} {line}")
        count += len(found)
    return count


def number_of(version):
    return [int(part) for part in version.split(".")]


FIRST_VERSION = {"sm_75": "6.3", "sm_80": "7.0", "sm_86": "7.1", "sm_87": "7.4", "sm_89": "7.8",
                 "sm_90": "7.8", "sm_90a": "8.0"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("library")
    parser.add_argument("--chip", action="append")
    parser.add_argument("--opcode", action="append")
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--version", default="9.0", help="the newest that ptxas knows")
    parser.add_argument("--old", action="store_true")
    args = parser.parse_args()
    simulator = Simulator(args.library)
    differ = tried = 0
    for chip in args.chip or CHIPS:
        both = []
        for row in ROWS:
            if args.opcode and row.opcode not in args.opcode:
                continue
            taken, differences = explore(row, chip, args.version, args, simulator)
            both += taken
            for text, theirs, ours in sorted(differences):
                verdict = "taken" if theirs else "refused"
                print(f"{chip} {verdict} here: {text}  -- {theirs or ours}")
            differ += len(differences)
        tried += len(both)
        if args.old:
            differ += compare_old(chip, both, args, simulator)
    print(f"{tried} forms are taken by both; {differ} differences")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
