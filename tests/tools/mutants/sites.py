"""sites.py -- lists the changes of a C function.

A function is parsed by libclang. Each change replaces one expression by a choice
of two, or one statement by a branch, so that one build has all of them:

    a < b     (TILE_MUTANT(7) ? (a <= b) : (a < b))
    lock(m);  { if (!TILE_MUTANT(8)) lock(m); }
"""
import collections
import re

import clang.cindex
from clang.cindex import CursorKind as K
from clang.cindex import TypeKind as CT

Change = collections.namedtuple("Change", "rule start end before text")  # text: with %d

OPERATORS = {
    "<": "<= >", "<=": "< >", ">": ">= <", ">=": "> <", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|",
    "<<": ">>", ">>": "<<", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|=", "^=": "|=",
    "<<=": ">>=", ">>=": "<<=",
}
TWINS = [("LLVMBuildSExt", "LLVMBuildZExt"), ("LLVMBuildAShr", "LLVMBuildLShr"),
         ("LLVMBuildSDiv", "LLVMBuildUDiv"), ("LLVMBuildSRem", "LLVMBuildURem"),
         ("LLVMBuildFPToSI", "LLVMBuildFPToUI"), ("LLVMBuildSIToFP", "LLVMBuildUIToFP"),
         ("LLVMBuildAdd", "LLVMBuildSub"), ("LLVMBuildFAdd", "LLVMBuildFSub"),
         ("LLVMBuildAnd", "LLVMBuildOr"), ("LLVMBuildShl", "LLVMBuildLShr")]
COMMUTES = re.compile(r"LLVMBuild(NSW|NUW)?(And|Or|Xor|Add|Mul|FAdd|FMul)|f?(min|max)\w*|"
                      r"\w*_(min|max)|emit_(and|or|add|mul)|(str|mem)n?(case)?cmp|\w*(same|equal)\w*")
TWIN = {a: b for x, y in TWINS for a, b in ((x, y), (y, x))}
SIGNED = {CT.SCHAR: 8, CT.SHORT: 16, CT.INT: 32}
UNSIGNED = {CT.UCHAR: 8, CT.USHORT: 16, CT.UINT: 32}
STATEMENTS = (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR,
              K.BREAK_STMT, K.CONTINUE_STMT)
BODIES = (K.COMPOUND_STMT, K.IF_STMT, K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.CASE_STMT, K.DEFAULT_STMT)
CASTS = (K.UNEXPOSED_EXPR, K.PAREN_EXPR)


def choice(after, before):
    return "(TILE_MUTANT(%d) ? (" + after + ") : (" + before + "))"


def place(after, before):
    return "(*(TILE_MUTANT(%d) ? &(" + after + ") : &(" + before + ")))"


class Function:
    """The changes of one function, `cursor`, of the file whose bytes are `source`."""

    def __init__(self, cursor, source, macros):
        self.source, self.found = source, {}
        self.start, self.end = cursor.extent.start.offset, cursor.extent.end.offset
        self.hidden = self.macro_ranges(macros)
        self.variables = [c for c in cursor.get_arguments() if c.spelling]
        body = [c for c in cursor.get_children() if c.kind == K.COMPOUND_STMT]
        if body:
            self.walk(body[0])

    # -- Text ------------------------------------------------------------------

    def text(self, start, end):
        return self.source[start:end].decode()

    def of(self, cursor):
        return self.text(*self.span(cursor))

    @staticmethod
    def span(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def macro_ranges(self, macros):
        """Ranges of uses of macros with arguments: their expansions are not in
        the text."""
        ranges, text = [], self.source[self.start:self.end]
        for use in re.finditer(rb"\b([A-Za-z_]\w*)\(", text):
            if use.group(1).decode() not in macros:
                continue
            depth, at = 0, use.end() - 1
            while at < len(text):
                depth += (text[at] == 0x28) - (text[at] == 0x29)
                at += 1
                if not depth:
                    break
            ranges.append((self.start + use.start(), self.start + at))
        return ranges

    def is_hidden(self, start, end):
        return not (self.start <= start < end <= self.end) or any(
            a <= start and end <= b or a < start < b or a < end < b for a, b in self.hidden)

    def add(self, rule, cursor, text, shown=None):
        start, end = self.span(cursor)
        before = self.text(start, end)
        if not self.is_hidden(start, end) and shown != before:
            self.found.setdefault((start, end, text), Change(rule, start, end, (before, shown), text))

    # -- The walk --------------------------------------------------------------

    def walk(self, cursor):
        children = list(cursor.get_children())
        self.visit(cursor, children)
        for i, child in enumerate(children):
            if cursor.kind in BODIES and not (cursor.kind == K.IF_STMT and i == 0):
                self.drop(child)
            if child.kind == K.VAR_DECL:
                self.declare(child)
            elif not (cursor.kind == K.CASE_STMT and i == 0):
                self.walk(child)

    def declare(self, cursor):
        """Sites of the initial value of a variable, where that is computed here."""
        if cursor.storage_class.name != "STATIC":
            children = list(cursor.get_children())
            if children and "=" in self.of(cursor):
                self.walk(children[-1])
        self.variables.append(cursor)

    def visit(self, cursor, children):
        rule = {
            K.BINARY_OPERATOR: self.binary, K.COMPOUND_ASSIGNMENT_OPERATOR: self.binary,
            K.UNARY_OPERATOR: self.unary, K.INTEGER_LITERAL: self.literal,
            K.IF_STMT: self.condition, K.CONDITIONAL_OPERATOR: self.condition,
            K.WHILE_STMT: self.condition, K.CALL_EXPR: self.call,
            K.MEMBER_REF_EXPR: self.member, K.DECL_REF_EXPR: self.name,
            K.CSTYLE_CAST_EXPR: self.cast,
        }.get(cursor.kind)
        if rule and self.of(cursor).strip():  # the expansion of a macro has no text
            rule(cursor, children)

    def is_equality(self, cursor):
        children = list(cursor.get_children())
        if cursor.kind != K.BINARY_OPERATOR or len(children) != 2:
            return False
        between = self.text(self.span(children[0])[1], self.span(children[1])[0])
        return between.strip() in ("==", "!=")

    def binary(self, cursor, children):
        if len(children) != 2:
            return
        (a, b), (c, d) = self.span(children[0]), self.span(children[1])
        operator = re.fullmatch(r"\s*(\S+?)\s*", self.text(b, c)) if b <= c else None
        if not operator or operator.group(1) not in OPERATORS:
            return
        one, left, right = operator.group(1), self.text(a, b), self.text(c, d)
        for other in OPERATORS[one].split():
            after = f"{left} {other} {right}"
            rule = "comparison" if other in "<=>=!=" and one in "<=>=!=" else "operator"
            self.add(rule, cursor, choice(after, self.of(cursor)), after)
        if one in ("&&", "||"):
            for half in (left, right):
                self.add("lost operand", cursor, choice(half, self.of(cursor)), half)

    def unary(self, cursor, children):
        text = self.of(cursor)
        if text[:1] in "!-~" and text[:2] != "--":
            self.add("lost sign", cursor, choice(text[1:], text), text[1:])
        for one, other in (("++", "--"), ("--", "++")):
            if text.startswith(one) or text.endswith(one):
                after = text.replace(one, other)
                self.add("operator", cursor, choice(after, text), after)

    def literal(self, cursor, children):
        text = self.of(cursor)
        if text in ("true", "false"):
            after = "false" if text == "true" else "true"
            self.add("constant", cursor, choice(after, text), after)
        number = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
        if not number:
            return
        for by in (1, -1):
            value = int(number.group(1), 0 if number.group(1)[:2] in ("0x", "0X") else 10) + by
            if value >= 0:
                after = f"{value}{number.group(2)}"
                self.add("constant", cursor, choice(after, text), after)

    def condition(self, cursor, children):
        text = self.of(children[0]) if children else ""
        if text in ("", "true", "false", "1"):
            return
        if not self.is_equality(children[0]):  # `a == b` has this change already
            self.add("negated condition", children[0], choice(f"!({text})", text), f"!({text})")
        if cursor.kind == K.IF_STMT and len(children) == 2:
            self.add("lost check", children[0], choice("0", text), "false")

    def call(self, cursor, children):
        args = list(cursor.get_arguments())
        if COMMUTES.fullmatch(cursor.spelling):
            args = []
        for a, b in zip(args, args[1:]):
            (i, j), (k, n) = self.span(a), self.span(b)
            if j > k or a.type.get_canonical().spelling != b.type.get_canonical().spelling:
                continue
            start, end = self.span(cursor)
            text = "".join((self.text(start, i), self.text(k, n), self.text(j, k), self.text(i, j),
                            self.text(n, end)))
            self.swapped(cursor, text)
        name = cursor.spelling
        if name in TWIN and self.of(cursor).startswith(name):
            text = TWIN[name] + self.of(cursor)[len(name):]
            self.add("twin", cursor, choice(text, self.of(cursor)), text)

    def swapped(self, cursor, text):
        if cursor.type.spelling == "void":
            return self.add("swapped arguments", cursor,
                            "(TILE_MUTANT(%d) ? (void)" + text + " : (void)" + self.of(cursor) + ")", text)
        return self.add("swapped arguments", cursor, choice(text, self.of(cursor)), text)

    def member(self, cursor, children):
        text, field = self.of(cursor), cursor.referenced
        if not field or not text.endswith(field.spelling):
            return
        kind = field.type.get_canonical().spelling
        for other in field.semantic_parent.get_children():
            if (other.kind == K.FIELD_DECL and other.spelling != field.spelling and
                    other.type.get_canonical().spelling == kind and not other.is_bitfield()):
                after = text[:len(text) - len(field.spelling)] + other.spelling
                self.add("wrong field", cursor, place(after, text), after)

    def name(self, cursor, children):
        text, what = self.of(cursor), cursor.referenced
        if not what or text != what.spelling:
            return
        if what.kind == K.ENUM_CONSTANT_DECL and not text.startswith("memory_order"):
            self.constant_of_enum(cursor, text, what)
        if what.kind in (K.PARM_DECL, K.VAR_DECL):
            kind = what.type.get_canonical().spelling
            for other in self.variables:
                if other.spelling != text and other.type.get_canonical().spelling == kind:
                    self.add("wrong variable", cursor, place(other.spelling, text), other.spelling)

    def constant_of_enum(self, cursor, text, what):
        names = [c.spelling for c in what.semantic_parent.get_children()]
        if "(" in what.semantic_parent.type.spelling:  # an enum without a name
            names = []
            self.add("constant", cursor, choice(f"{text} + 1", text), f"{text} + 1")
        if text in names:
            at = names.index(text)
            for other in names[max(at - 1, 0):at + 2]:
                if other != text:
                    self.add("wrong constant", cursor, choice(other, text), other)

    def cast(self, cursor, children):
        """A number that becomes wider loses its sign, or gets one."""
        text, inner = self.of(cursor), children[-1].type.get_canonical().kind if children else None
        head = re.match(r"\(u?int(\d+)_t\)", text)
        for kinds, other in (SIGNED, "uint"), (UNSIGNED, "int"):
            if head and inner in kinds and kinds[inner] < int(head.group(1)):
                after = f"{head.group()}({other}{kinds[inner]}_t)({text[head.end():]})"
                self.add("sign", cursor, choice(after, text), after)

    # -- Statements ------------------------------------------------------------

    def drop(self, cursor):
        while cursor.kind in CASTS and list(cursor.get_children()):
            cursor = list(cursor.get_children())[0]
        start, end = self.span(cursor)
        text = self.text(start, end)
        after = re.match(rb"\s*;", self.source[end:])
        if cursor.kind not in STATEMENTS or not after or self.is_hidden(start, end):
            return
        if cursor.kind in (K.BINARY_OPERATOR, K.UNARY_OPERATOR) and not re.search(r"[^=!<>]=[^=]|\+\+|--", text):
            return
        end += after.end()
        text = "{ if (!TILE_MUTANT(%d)) " + self.text(start, end) + " }"
        change = Change("dropped statement", start, end, (self.text(start, end), ""), text)
        self.found.setdefault((start, end, text), change)


class File:
    """A C source: its functions, parsed with the arguments of its compilation."""

    index = clang.cindex.Index.create()

    def __init__(self, path, arguments, macros):
        self.source, self.macros = path.read_bytes(), macros
        unit = self.index.parse(str(path), args=arguments)
        self.broken = [d.spelling for d in unit.diagnostics if d.severity >= 3]
        self.unit = unit  # cursors live as long as it does
        self.functions = [
            c for c in unit.cursor.get_children()
            if c.kind == K.FUNCTION_DECL and c.is_definition() and c.location.file and
            c.location.file.name == str(path)]
        self.kept = {}

    def changes(self, at):
        """The mutants of the `at`-th function."""
        if at not in self.kept:
            self.kept[at] = Function(self.functions[at], self.source, self.macros).found
        return list(self.kept[at].values())

    def sizes(self):
        return [c.extent.end.offset - c.extent.start.offset for c in self.functions]
