#!/usr/bin/env python3
"""check-comments.py ROOT -- checks that the subject of a sentence is a thing of the code.

No sentence of a comment, and none of a page, begins with a relative clause or a pronoun:
"What is not used is removed." says less than "Unused ops are removed." Code is no prose:
in comments it stands in backquotes or is indented, in pages it is fenced, too.

The parts of a source have lines with their names, "// -- Name ---", filled to 79 columns;
there is no other line of dashes or the like, and no name between empty lines without dashes.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rooms"))
from tree import LAYERS, read, sources  # noqa: E402

FOLDERS = LAYERS + ["tests", "examples", "demo"]
WORD = r"(?:What|Who|Where|That|Those|Of(?! course\b)|Such)\b"
# A sentence begins behind a full stop or a colon; "e.g." and the like end none.
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?:;]\)?\s+(?=(" + WORD + "))")
BEGIN = re.compile(r"(?:-- )?(?=(" + WORD + r"|(?:It|As)\b))")
TITLE = re.compile(r"[\w.-]+(?: [^a-z\s]+)* -- (?=(what|who|where|that|those|of|such)\b)")
# Comments of C that are no sentences: "what it reads" says less than "files that it reads".
LOWER = r"((?:what|who|those|such)\b|of (?:which|what|those|whose|whom)\b)"
PHRASE = re.compile(r"\s*(?=" + LOWER + r")|.*?:\s+(?=((?:what|who)\b))")
COMMENT = re.compile(r"^\s*//")
HASH = re.compile(r"(?m)(^\s*|^.*?  )#(?!!)")
SCRIPTS = ["demo", "check", "tests/bench/run", "tests/fuzz/run", "tests/gpu/run"]
QUOTED = re.compile(r"`[^`]*`|\"[^\"\n]*\"")
BULLET = re.compile(r"\s*(?:[-*+] |\d+\. |> |#+ |\|)")
RULER = re.compile(r"// ?[-=*#~]{2}(?!\w)")
SECTION = re.compile(r"// -- \S.* -+")
SECTION_COLUMNS = 79
BARE = re.compile(r"// (?!-- ).*[^.:]")
DIRECTIVE = re.compile(r"\s*[A-Z][A-Z0-9-]+:")  # RUN:, CHECK-NOT:
FENCE = re.compile(r"\s*(```|~~~)")


# The comments of a source, each as the number of its first line and its text.
def comments(text):
    first, block = 0, []
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.match(r"(?:[^\"'/]|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|/(?!/))*//(.*)", line)
        alone = COMMENT.match(line)
        if block and not alone:
            yield first, block
            block = []
        if found:
            first = first if block else number
            block.append(found[1])


# The lines of a source that decorate it in another way than the name of a part, or name a part
# without dashes.
def rulers(text):
    lines = [""] + text.splitlines() + [""]
    for number, line in enumerate(lines):
        if RULER.match(line):
            if not SECTION.fullmatch(line) or len(line) != SECTION_COLUMNS:
                yield number, line
        elif BARE.fullmatch(line) and number > 1 and not lines[number - 1] + lines[number + 1]:
            yield number, line


# The paragraphs of a page, without its code; an item of a list is one.
def paragraphs(text):
    first, block, fenced = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        fence = FENCE.match(line)
        fenced ^= bool(fence)
        code = fenced or fence or (line.startswith("    ") and not block)
        if block and (code or not line.strip() or BULLET.match(line)):
            yield first, block
            block = []
        if not code and line.strip():
            first = first if block else number
            block.append(BULLET.sub(" ", line) if BULLET.match(line) else " " + line)


# Each of the wrong words with which a sentence of the block begins, with its line.
def faults(first, block):
    for at, line in enumerate(block):
        if line.startswith("   ") or DIRECTIVE.match(line):
            continue  # code
        prose = QUOTED.sub(lambda m: "x" * len(m[0]), line.strip() if at else line)
        before = block[at - 1].rstrip() if at else ""
        begins = not before.strip() or re.search(r"(?<!e\.g)(?<!i\.e)[.!?]\)?$", before)
        here = re.match("(?=(" + WORD + "))" if at else BEGIN, prose.strip()) if begins else None
        title = None if at else TITLE.match(prose.strip())
        for m in [*filter(None, (here, title)), *SENTENCE.finditer(prose)]:
            yield first + at, m[1], line.strip()


# Each clause that begins with a wrong word in lower case, at the beginning of the
# comment or behind a colon.
def phrases(first, block):
    for at, line in enumerate(block):
        prose = QUOTED.sub(lambda m: "x" * len(m[0]), line)
        m = None if line.startswith("   ") else PHRASE.match(prose)
        if m and (m[2] or not at):
            yield first + at, m[1] or m[2], line.strip()


def pages(root):
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if not n.startswith((".", "build")) and n != "findings"]
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), root)
            if name == "README.md" or (path.startswith("docs/") and name.endswith(".md")):
                yield path


# Files whose comments begin with `#`.
def scripts(root):
    yield from (name for name in SCRIPTS if os.path.exists(os.path.join(root, name)))
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if not n.startswith((".", "build")) and n != "findings"]
        for name in files:
            if name.endswith((".tile", ".py", ".sh", ".cmake")) or name == "CMakeLists.txt":
                yield os.path.relpath(os.path.join(folder, name), root)


# IR as text, whose comments begin with `//`.
def tile_ir(root):
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        for name in files:
            if name.endswith(".tir"):
                yield os.path.relpath(os.path.join(folder, name), root)


# The text with `//` in place of the `#` of a comment, which stands alone or behind two spaces.
# Some files of tests are not in UTF-8.
def with_slashes(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return HASH.sub(r"\1//", file.read())


def main():
    root = sys.argv[1]
    blocks = [(path, x) for path in sources(root, FOLDERS)
              for x in comments(read(root, path))]
    blocks += [(path, x) for path in sorted(tile_ir(root)) for x in comments(read(root, path))]
    blocks += [(path, x) for path in sorted(scripts(root))
               for x in comments(with_slashes(root, path))]
    blocks += [(path, x) for path in sorted(pages(root)) for x in paragraphs(read(root, path))]
    found = [f"{path}:{number}: '{word}' begins a sentence: {line}"
             for path, block in blocks for number, word, line in faults(*block)]
    found += [f"{path}:{number}: '{word}' begins a clause: {line}"
              for path in sources(root, FOLDERS) for x in comments(read(root, path))
              for number, word, line in phrases(*x)]
    found += [f"{path}:{number}: no name of a part in {SECTION_COLUMNS} columns: {line}"
              for path in sources(root, FOLDERS) for number, line in rulers(read(root, path))]
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
