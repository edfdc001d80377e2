"""rows.py -- changes that cannot have a switch: rows of tables, initialisers, qualifiers,
the library and the grammar. Each change is another text of one file, and another build.
"""
import re

COMMENT = re.compile(r"//.*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
WORD = re.compile(r"(?<![\w.>\"])[A-Za-z_]\w*(?![\w(])")
FLAG = re.compile(r"\|\s*[A-Za-z_]\w*(?![\w(])")
QUALIFIER = re.compile(r"\b(volatile|_Atomic|_Thread_local)\b ?")
OPERATOR = re.compile(r"(?<= )(<=|>=|<|>|==|!=|\+|-|\*|&|\||<<|>>)(?= )")
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
         "*": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
ROW = re.compile(r"^\s*[A-Z][A-Z0-9_]*\(")


def blanked(line):
    """The line with spaces for comments and text in quotes."""
    return COMMENT.sub(lambda m: " " * len(m.group()), line)


def columns(line):
    """(start, end) of each argument of a row `NAME(a, b, ...)`."""
    start, depth, found = line.index("(") + 1, 0, []
    for at in range(start, len(line)):
        depth += (line[at] in "({[") - (line[at] in ")}]")
        if depth < 0 or (line[at] == "," and not depth):
            found.append((start, at))
            start = at + 1
        if depth < 0:
            break
    return found


def replaced(line, start, end, text):
    return line[:start] + text + line[end:]


def of_numbers(line, code):
    for m in NUMBER.finditer(code):
        for by in (1, -1):
            if int(m.group()) + by >= 0:
                yield "row: number", replaced(line, *m.span(), str(int(m.group()) + by))


def of_row(line, code, others):
    yield from of_numbers(line, code)
    for m in FLAG.finditer(code):
        yield "row: lost flag", replaced(line, *m.span(), "")
    mine = columns(line)
    for other in others:
        theirs = columns(other)
        if len(theirs) != len(mine) or other.split("(")[0] != line.split("(")[0]:
            continue
        for (a, b), (c, d) in list(zip(mine, theirs))[1:]:  # the first is its name
            old, new = line[a:b].strip(), other[c:d].strip()
            if old != new and WORD.fullmatch(old) and WORD.fullmatch(new):
                yield "row: wrong word", replaced(line, a, b, line[a:b].replace(old, new))


def of_table(line, code):
    yield from of_numbers(line, code)
    for m in FLAG.finditer(code):
        yield "table: lost flag", replaced(line, *m.span(), "")


def of_program(line, code):
    """Yield changes of a line of library.tile, or of code in the grammar."""
    yield from of_numbers(line, code)
    for m in OPERATOR.finditer(code):
        yield "operator", replaced(line, *m.span(), OTHER[m.group()])
    numbers = re.findall(r"\$\d", code)
    for one, other in zip(numbers, numbers[1:]):
        if one != other:
            yield "grammar: wrong part", line.replace(one, other, 1)


def tables(lines):
    """The numbers of lines inside initialisers at file scope."""
    inside, found = False, set()
    for i, line in enumerate(lines):
        if inside and line.startswith("}"):
            inside = False
        if inside and not line.lstrip().startswith(("#", "//")):
            found.add(i)
        if re.match(r"(static |const )+.*=\s*\{$", line):
            inside = True
    return found


def changes(name, text):
    """Pairs (line number, rule, new line) of a file."""
    lines = text.split("\n")
    rows = [line for line in lines if ROW.match(line)]
    in_tables = tables(lines) if name.endswith((".c", ".h")) else set()
    for i, line in enumerate(lines):
        code = blanked(line)
        if line.lstrip().startswith("#") and not name.endswith(".tile"):
            continue
        if name.endswith(".def") and ROW.match(line) and line.rstrip().endswith(")"):
            at = rows.index(line)
            found = of_row(line, code, rows[max(at - 2, 0):at + 3])
        elif i in in_tables:
            found = of_table(line, code)
        elif name.endswith(".tile") and line.startswith("    "):
            found = of_program(line, code.split("#")[0])
        elif name.endswith((".y", ".l")) and "$" in line:
            found = of_program(line, code)
        elif name.endswith((".c", ".h")):
            found = (("lost qualifier", replaced(line, *m.span(), "")) for m in QUALIFIER.finditer(code))
        else:
            continue
        for rule, new in found:
            yield i + 1, rule, new
