// test_syntax.c -- the tree of every form of expression and statement.
#include "tests/unit/frontend/parse_kit.h"

static void check_ast(const char *text, const char *expected) {
  Kit *kit = kit_parse(text);
  assert_string_equal(kit_ast(kit), expected);
  kit_free(kit);
}

// `body` on one line of a function; the tree of its first statement.
static void check_body(const char *body, const char *expected) {
  Kit *kit = kit_create();
  Str text = str_in(&kit->arena), wanted = str_in(&kit->arena);
  str_addf(&text, "@jit\ndef f():\n  %s\n", body);
  str_addf(&wanted, "function@2:5 f\n  decorator jit jit\n%s", expected);
  check_ast(str_text(&text), str_text(&wanted));
  kit_free(kit);
}

static void check_expr(const char *expr, const char *expected) {
  Kit *kit = kit_create();
  check_body(arena_printf(&kit->arena, "return %s", expr),
             arena_printf(&kit->arena, "  return@3:3 %s\n", expected));
  kit_free(kit);
}

static void test_operators(void **state) {
  (void)state;
  check_expr("a + b", "(+ a b)");
  check_expr("a + b - c + d", "(chain a + b - c + d)");
  check_expr("a - (b - c)", "(- a (- b c))");
  check_expr("(a - b) - c", "(chain a - b - c)");
  check_expr("a + b * c", "(+ a (* b c))");
  check_expr("a * b + c * d", "(+ (* a b) (* c d))");
  check_expr("a * b / c // d % e @ f", "(chain a * b / c // d % e @ f)");
  check_expr("a | b ^ c & d << e + f * g",
             "(| a (^ b (& c (<< d (+ e (* f g))))))");
  check_expr("a << b >> c", "(chain a << b >> c)");
  check_expr("a ** b ** c", "(** a (** b c))");
  check_expr("-a ** -b", "(- (** a (- b)))");
  check_expr("-a * +b", "(* (- a) (+ b))");
  check_expr("~a.b[0]", "(~ (at a.b 0))");
  check_expr("- - a", "(- (- a))");
}

static void test_logic(void **state) {
  (void)state;
  check_expr("a and b and c or not d", "(or (and a b c) (not d))");
  check_expr("a and (b and c)", "(and a (and b c))");
  check_expr("(a or b) or c", "(or (or a b) c)");
  check_expr("not a == b", "(not (== a b))");
  check_expr("a < b", "(< a b)");
  check_expr("a < b <= c", "(compare a < b <= c)");
  check_expr("(a < b) <= c", "(<= (< a b) c)");
  check_expr("a is not b", "(is not a b)");
  check_expr("a not in b", "(not in a b)");
  check_expr("a in b", "(in a b)");
  check_expr("a | b < c", "(< (| a b) c)");
  check_expr("a if b else c if d else e", "(if b a (if d c e))");
  check_expr("a if b or c else lambda: d", "(if (or b c) a (lambda () d))");
  check_expr("(a := b + 1)", "(:= a (+ b 1))");
}

static void test_primaries(void **state) {
  (void)state;
  check_expr("a.b.c(d).e[f]", "(at (call a.b.c d).e f)");
  check_expr("f()", "(call f)");
  check_expr("f(a, *b, c=d, **e,)", "(call f a *b c=d **e)");
  check_expr("f(a for a in b)", "(call f (generate a (for a b)))");
  check_expr("f(a := 1)", "(call f (:= a 1))");
  check_expr("a[1]", "(at a 1)");
  check_expr("a[1,]", "(at a (tuple 1))");
  check_expr("a[:, None]", "(at a (tuple (slice _ _ _) None))");
  check_expr("a[b:c, ::d, e:, :f:, ...]",
             "(at a (tuple (slice b c _) (slice _ _ d) (slice e _ _) "
             "(slice _ f _) ...))");
  check_expr("a[b + 1:]", "(at a (slice (+ b 1) _ _))");
}

static void test_displays(void **state) {
  (void)state;
  check_expr("()", "(tuple)");
  check_expr("(a)", "a");
  check_expr("(a,)", "(tuple a)");
  check_expr("a, b", "(tuple a b)");
  check_expr("(a, (b, c)), d", "(tuple (tuple a (tuple b c)) d)");
  check_expr("[], [a], [a, b,]", "(tuple (list) (list a) (list a b))");
  check_expr("[*a, b]", "(list (* a) b)");
  check_expr("{}, {a: b}, {a: b, **c,}",
             "(tuple (dict) (dict a b) (dict a b _ c))");
  check_expr("{a}, {a, b,}", "(tuple (set a) (set a b))");
  check_expr("[a * 2 for a in b if c if d for e, f in g]",
             "(list-of (* a 2) (for a b c d) (for (tuple e f) g))");
  check_expr("{a for a in b}", "(set-of a (for a b))");
  check_expr("{a: b for a, b in c}", "(dict-of a b (for (tuple a b) c))");
  check_expr("(a async for a in b)", "(generate a (async-for a b))");
  check_expr("lambda a, *b, c=1, **d: a", "(lambda (a *b c=1 **d) a)");
}

static void test_literals(void **state) {
  (void)state;
  check_expr("None, True, False, ...", "(tuple None True False ...)");
  check_expr("0x_fF, 0o17, 0b101, 1_000, 00", "(tuple 255 15 5 1000 0)");
  check_expr("9223372036854775807", "9223372036854775807");
  check_expr("18446744073709551615", "18446744073709551615");
  check_expr("1., .5, 1e3, 1_0.2_5e-1", "(tuple 1.0 0.5 1000.0 1.025)");
  check_expr("1e400, 1e-400, 0.1", "(tuple inf 0.0 0.1)");
  check_expr("123456789012345678901234567890.0", "1.2345678901234568e+29");
  check_expr("'a' \"b\" u'c'", "\"abc\"");
  check_expr("'\\n\\x41\\u00e9\\101\\'\\\\'", "\"\\x0aA\xc3\xa9"
                                              "A'\\\\\"");
  check_expr("'\\U0001f600'", "\"\xf0\x9f\x98\x80\"");
  check_expr("r'\\n' '\\q'", "\"\\\\n\\\\q\"");
  check_expr("b'\\x41' Rb'\\x'", "b\"A\\\\x\"");
  check_expr("'a\\\n b'", "\"a b\"");
  check_expr("'''a\r\nb''' \"\"\"'c\"\"\"", "\"a\\x0ab'c\"");
}

static void test_fstrings(void **state) {
  (void)state;
  check_expr("f''", "(fstring)");
  check_expr("f'a{b}c'", "(fstring \"a\" (field b) \"c\")");
  check_expr("f'{{{a}}}'", "(fstring \"{\" (field a) \"}\")");
  check_expr("f'{a!r:>{w}.3}{b}'",
             "(fstring (field a !r (fstring \">\" (field w) \".3\")) "
             "(field b))");
  check_expr("f'{a + 1=}'", "(fstring (field= (+ a 1)))");
  check_expr("f'{a != b}'", "(fstring (field (!= a b)))");
  check_expr("f'{(lambda x: x)(1)}'",
             "(fstring (field (call (lambda (x) x) 1)))");
  check_expr("f'{d[\"k\"]}' 'x' rf'\\{y}'",
             "(fstring (field (at d \"k\")) \"x\" \"\\\\\" (field y))");
  check_expr("f'{f\"{a}\"}'", "(fstring (field (fstring (field a))))");
  check_expr("f'{a,}'", "(fstring (field (tuple a)))");
}

static void test_assignments(void **state) {
  (void)state;
  check_body("a = b", "  assign@3:3 a = b\n");
  check_body("a = b = c, d", "  assign@3:3 a = b = (tuple c d)\n");
  check_body("a, (b, *c) = d", "  assign@3:3 (tuple a (tuple b (* c))) = d\n");
  check_body("a[0] = a.b = 1", "  assign@3:3 (at a 0) = a.b = 1\n");
  check_body("a: int", "  assign@3:3 a : int = _\n");
  check_body("a: tl.constexpr = 1, 2",
             "  assign@3:3 a : tl.constexpr = (tuple 1 2)\n");
  check_body("a += 1; b //= 2; c **= 3; d >>= 4; e @= 5",
             "  assign@3:3 a += 1\n  assign@3:11 b //= 2\n"
             "  assign@3:20 c **= 3\n  assign@3:29 d >>= 4\n"
             "  assign@3:38 e @= 5\n");
}

static void test_simple_statements(void **state) {
  (void)state;
  check_body("return", "  return@3:3 _\n");
  check_body("return a, b", "  return@3:3 (tuple a b)\n");
  check_body("pass; break; continue;",
             "  pass@3:3\n  break@3:9\n  continue@3:16\n");
  check_body("assert a, 'b'", "  assert@3:3 a \"b\"\n");
  check_body("'doc'\n  return", "  return@4:3 _\n");
  check_body("raise A(x) from b; del c; global d; nonlocal e",
             "  unsupported@3:3 'raise'\n  unsupported@3:22 'del'\n"
             "  unsupported@3:29 'global'\n  unsupported@3:39 'nonlocal'\n");
  check_body("import a.b as c; from .d import *; yield x",
             "  unsupported@3:3 'import'\n  unsupported@3:20 'from'\n"
             "  unsupported@3:38 'yield'\n");
}

static void test_blocks(void **state) {
  (void)state;
  check_body("if a: b\n  elif c:\n    d\n  elif e: f\n  else:\n   g; h",
             "  if@3:3 a\n    expr@3:9 b\n  elif@4:3 c\n    expr@5:5 d\n"
             "  elif@6:3 e\n    expr@6:11 f\n  else\n    expr@8:4 g\n"
             "    expr@8:7 h\n");
  check_body("for i in range(3):\n    a\n  else: b",
             "  for@3:3 i (call range 3)\n    expr@4:5 a\n  else\n"
             "    expr@5:9 b\n");
  check_body("for i, (j, k) in a, b: c",
             "  for@3:3 (tuple i (tuple j k)) (tuple a b)\n"
             "    expr@3:26 c\n");
  check_body("while a:\n    b", "  while@3:3 a\n    expr@4:5 b\n");
  check_body("with a as b, c: d",
             "  with@3:3 a as b c as _\n    expr@3:19 d\n");
}

static void test_folded_blocks(void **state) {
  (void)state;
  check_body("try:\n    $ ? broken (\n    )\n  except A as e: b\n"
             "  else: c\n  finally:\n    d\n  e",
             "  unsupported@3:3 'try'\n  expr@10:3 e\n");
  check_body("@dec\n  def g(): pass\n  class C:\n    x = = 1\n  e",
             "  unsupported@3:3 '@'\n  unsupported@5:3 'class'\n"
             "  expr@7:3 e\n");
  check_body("def g(x):\n    def h(): pass\n    return h\n  e",
             "  unsupported@3:3 'def'\n  expr@6:3 e\n");
  check_body("match x:\n    case 1: pass\n  match = x\n  match (y)",
             "  unsupported@3:3 'match'\n  assign@5:3 match = x\n"
             "  expr@6:3 (call match y)\n");
  check_body("async def g(): await x\n  e",
             "  unsupported@3:3 'async def'\n  expr@4:3 e\n");
}

static void test_parameters(void **state) {
  (void)state;
  check_ast("@jit\ndef f(a, /, b, c: int = 1, *d, e: \"tl.constexpr\", f=2, "
            "**g) -> int: pass\n",
            "function@2:5 f\n  decorator jit jit\n"
            "  param positional-only a\n  param b\n  param c : int = 1\n"
            "  param *d\n  param keyword-only e : tl.constexpr\n"
            "  param keyword-only f = 2\n  param **g\n  pass@2:69\n");
  check_ast("@kernel\ndef f(x: *fp32, y: **i8, n: i32, *, K: constexpr,): pass",
            "function@2:5 f\n  decorator kernel kernel\n"
            "  param x : *fp32\n  param y : **i8\n  param n : i32\n"
            "  param keyword-only K : constexpr\n  pass@2:53\n");
}

static void test_unparse(void **state) {
  (void)state;
  static const char *const texts[] = {
      "a + b - c * (d + e) ** -f",
      "not a and b or c < d <= e",
      "f(a, *b, k=1, **c)[:, None, 1:2:3].g",
      "(a, b, (c,), [d], {e: 1, **f}, {g})",
      "lambda x, *y, z=1: x if y else z",
      "[a for (a, b) in c if d if e]",
      "(x for x in y)",
      "f'a{b!r}'",
      "(a := 'it\\'s')",
      "True is not None",
      "5 .a + (5).b + 5.5.c",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    Kit *kit = kit_create();
    char *text =
        arena_printf(&kit->arena, "@jit\ndef f(): return %s\n", texts[i]);
    Kit *parsed = kit_parse(text);
    const AstFunction *f = frontend_function(parsed->program, 0);
    Str out = str_in(&parsed->arena);
    ast_unparse(f->body.items[0]->result, 1000, &out);
    assert_string_equal(str_text(&out), texts[i]);
    kit_free(parsed);
    kit_free(kit);
  }
}

static void test_unparse_cuts(void **state) {
  (void)state;
  Kit *kit = kit_parse("@jit\ndef f(): return aaaaaaaa + bbbbbbbb + cccccc\n");
  Str out = str_in(&kit->arena);
  ast_unparse(frontend_function(kit->program, 0)->body.items[0]->result, 12,
              &out);
  assert_string_equal(str_text(&out), "aaaaaaaa + b...");
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operators),
      cmocka_unit_test(test_logic),
      cmocka_unit_test(test_primaries),
      cmocka_unit_test(test_displays),
      cmocka_unit_test(test_literals),
      cmocka_unit_test(test_fstrings),
      cmocka_unit_test(test_assignments),
      cmocka_unit_test(test_simple_statements),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_folded_blocks),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_unparse),
      cmocka_unit_test(test_unparse_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
