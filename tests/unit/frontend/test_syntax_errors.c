// test_syntax_errors.c -- messages, recovery, and text that is no error.
#include "tests/unit/frontend/parse_kit.h"

static void check_messages(const char *text, const char *expected) {
  Kit *kit = kit_parse(text);
  assert_string_equal(kit_messages(kit), expected);
  assert_true((kit->program == NULL) == (*expected != '\0'));
  kit_free(kit);
}

// One statement in a function, at line 3.
static void check_statement(const char *statement, const char *expected) {
  Kit *kit = kit_create();
  const char *text = arena_printf(
      &kit->arena, "@jit\ndef f():\n    %s\n    ok = 1\n", statement);
  check_messages(text, expected);
  kit_free(kit);
}

static void test_expressions(void **state) {
  (void)state;
  check_statement("x = 3 +", "3:12: error: expected an expression, found the "
                             "end of the line\n");
  check_statement("x = = 3", "3:9: error: expected an expression, found '='\n");
  check_statement("y = 3 4",
                  "3:11: error: expected an operator or the end of the line, "
                  "found the number 4\n");
  check_statement("f(a b)",
                  "3:9: error: expected ',' or ')', found the name 'b'\n");
  check_statement("x = [1, 2 3]",
                  "3:15: error: expected ',' or ']', found the number 3\n");
  check_statement("x = {1: 2, 3}", "3:17: error: expected ':', found '}'\n");
  check_statement("x = 3 if y",
                  "3:15: error: expected 'else', found the end of the line\n");
  check_statement("a.3", "3:6: error: expected an operator or the end of the "
                         "line, found the number .3\n");
  check_statement("x = await", "3:14: error: expected an expression, found the "
                               "end of the line\n");
  check_statement("x = lambda y z: y",
                  "3:18: error: expected ':', found the name 'z'\n");
}

static void test_literals(void **state) {
  (void)state;
  check_statement("x = 012", "3:9: error: '012' is no number\n");
  check_statement("x = '\\xZZ'",
                  "3:9: error: bad escape '\\x' in this string\n");
  check_statement("x = 'a' b'b'", "3:13: error: bytes and text do not join\n");
  check_statement("x = f'{}'", "3:9: error: empty field in an f-string\n");
  check_statement("x = f'{a!z}'", "3:9: error: the conversions of f-strings "
                                  "are !r, !s and !a\n");
  check_statement("x = f'{1 +}'", "3:15: error: expected an expression, found "
                                  "the end of the field\n");
  check_statement("x ? y", "3:7: error: the character '?' has no meaning "
                           "here\n");
  check_statement("x = \xe2\x80\x9c"
                  "a",
                  "3:9: error: the character '\xe2\x80\x9c' has no meaning "
                  "here\n");
  check_statement("x = \\ y",
                  "3:9: error: something follows '\\' on its line\n");
  check_statement("x = 'abc",
                  "3:9: error: this string is not closed on its line\n");
}

static void test_statements(void **state) {
  (void)state;
  check_statement("if x = 3: pass",
                  "3:10: error: '=' is not allowed here; '==' compares, ':=' "
                  "assigns within an expression\n");
  check_statement("for i range(3): pass",
                  "3:11: error: expected 'in', found the name 'range'\n");
  check_statement("print x", "3:11: error: expected an operator or the end of "
                             "the line, found the name 'x'\n");
  check_statement("f() = 3", "3:5: error: cannot assign to this call\n");
  check_statement("(a, 1) = 3", "3:9: error: cannot assign to this integer\n");
  check_statement("a, b += 3", "3:5: error: an augmented assignment has one "
                               "target, not a tuple\n");
  check_statement("(a.b := 3)",
                  "3:6: error: ':=' assigns to a name, not to a attribute\n");
  check_statement("f(a=1, b)", "3:12: error: a positional argument follows a "
                               "keyword argument\n");
  check_statement("else: pass",
                  "3:5: error: 'else' continues no statement before it\n");
}

static void test_indentation(void **state) {
  (void)state;
  check_statement("x = 1\n      y = 2\n      z = 3",
                  "4:7: error: unexpected indentation: no block begins "
                  "here\n");
  check_statement("if x:\n    y = 1", "4:5: error: expected an indented block, "
                                      "found the name 'y'\n");
  check_statement("if x:\n        y\n      z",
                  "5:1: error: this indentation matches no block around it\n");
  check_statement("if x:\n\ty",
                  "4:1: error: tabs and spaces are mixed inconsistently\n");
  check_statement("x = 1\n\ty = 2",
                  "4:1: error: tabs and spaces are mixed inconsistently\n");
}

static void test_recovery(void **state) {
  (void)state;
  // A broken header reports once, and its block and `else` do not.
  check_statement("if x\n        y = 1\n        z = 2\n    else:\n        w",
                  "3:9: error: expected ':', found the end of the line\n");
  check_statement("f(1 2)\n    g(3 4)\n    h(5)",
                  "3:9: error: expected ',' or ')', found the number 2\n"
                  "4:9: error: expected ',' or ')', found the number 4\n");
  check_messages("@jit\ndef f(x:\n    y = 1\n    return y\n"
                 "@jit\ndef g(): return 1 2\n",
                 "2:6: error: '(' is never closed\n"
                 "6:19: error: expected an operator or the end of the line, "
                 "found the number 2\n");
  check_messages("@jit\ndef f(x) pass\n@jit\ndef g(x): pass\n",
                 "2:10: error: expected ':', found 'pass'\n");
}

static void test_parameters(void **state) {
  (void)state;
  check_messages("@jit\ndef f(x, x): pass\n",
                 "2:10: error: parameter 'x' is there twice\n");
  check_messages("@jit\ndef f(x=1, y): pass\n",
                 "2:12: error: parameter 'y' needs a default, for 'x' before "
                 "it has one\n");
  check_messages("@jit\ndef f(**x, y): pass\n",
                 "2:12: error: nothing may follow '**x'\n");
  check_messages("@jit\ndef f(x=1, *, y): pass\n", "");
}

// Host code is not parsed: none of this is an error.
static void test_host_code(void **state) {
  (void)state;
  check_messages("x = = 3\nfor i range(3): pass\nclass A(\n  B): x ? y\n"
                 "def f(x) pass\n    return 012 1j\n"
                 "@foo.bar(lambda x: {1: 2})\nasync def g(): await x\n"
                 "match x:\n  case [1, *_] if (y := 2): print(f'{y=}')\n"
                 "@jit\ndef k(): pass\n",
                 "");
}

// `count` blocks within one another.
static void check_blocks(int count, const char *expected) {
  Kit *kit = kit_create();
  Str text = str_in(&kit->arena);
  str_add(&text, "@jit\ndef f(n):\n");
  for (int i = 1; i < count; i++) {
    str_add_repeat(&text, ' ', (size_t)i);
    str_add(&text, "if n:\n");
  }
  str_add_repeat(&text, ' ', (size_t)count);
  str_add(&text, "pass\n");
  check_messages(str_text(&text), expected);
  kit_free(kit);
}

static void test_blocks(void **state) {
  (void)state;
  check_blocks(100, "");
  check_blocks(101, "103:1: error: this nests more than 100 deep\n");
}

static void test_limit(void **state) {
  (void)state;
  Kit *kit = kit_create();
  Str text = str_in(&kit->arena);
  str_add(&text, "@jit\ndef f():\n");
  for (int i = 0; i < 100; i++) str_add(&text, "    x x\n");
  Kit *parsed = kit_parse(str_text(&text));
  assert_int_equal(parsed->diags.num_errors, 20);
  kit_free(parsed);
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expressions), cmocka_unit_test(test_literals),
      cmocka_unit_test(test_statements),  cmocka_unit_test(test_indentation),
      cmocka_unit_test(test_recovery),    cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_host_code),   cmocka_unit_test(test_limit),
      cmocka_unit_test(test_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
