// test_lexer.c -- tokens: lines, indentation, literals, brackets, bad input.
#include "tests/unit/frontend/parse_kit.h"

#include "frontend/syntax/token.h"

// The kinds of the tokens of `text`, without quotes, then the messages.
static const char *tokens_of(Kit *kit, const char *text, size_t length) {
  Source *source = source_create(&kit->arena, "t.py", text, length);
  TokenList list = {0};
  lex_source(&kit->arena, &kit->diags, source, &list);
  Str out = str_in(&kit->arena);
  for (size_t i = 0; i < list.tokens.count; i++) {
    str_addf(&out, "%s%s", i ? " " : "",
             token_kind_name(list.tokens.items[i].kind));
  }
  str_addf(&out, "\n%s", kit_messages(kit));
  return str_text(&out);
}

static void check_tokens(const char *text, const char *expected) {
  Kit *kit = kit_create();
  assert_string_equal(tokens_of(kit, text, strlen(text)), expected);
  kit_free(kit);
}

#define EOL  "the end of the line"
#define EOB  "the end of the block"
#define EOF_ "the end of the file"

static void test_lines(void **state) {
  (void)state;
  check_tokens("", EOF_ "\n");
  check_tokens("\n\n  \n# c\n  # d", EOF_ "\n");
  check_tokens("a\n", "a name " EOL " " EOF_ "\n");
  check_tokens("a", "a name " EOL " " EOF_ "\n");
  check_tokens("a # b\r\n\r\n\fb\r\n",
               "a name " EOL " a name " EOL " " EOF_ "\n");
  check_tokens("a \\\n b \\\r\n c", "a name a name a name " EOL " " EOF_ "\n");
  check_tokens("(a\n\n # c\n b)\n", "'(' a name a name ')' " EOL " " EOF_ "\n");
  check_tokens("\xef\xbb\xbf"
               "a\n",
               "a name " EOL " " EOF_ "\n");
  check_tokens("a \\ b\n", "a name invalid text a name " EOL " " EOF_ "\n");
}

// A line ends before its "\r\n", as a caret shows it.
static void test_carriage_returns(void **state) {
  (void)state;
  static const char *const texts[] = {"ab = 1\r\nc\r\n", "ab = 1\nc\n",
                                      "ab = 1\r\nc\r"};
  for (int i = 0; i < 3; i++) {
    Kit *kit = kit_create();
    Source *source =
        source_create(&kit->arena, "t.py", texts[i], strlen(texts[i]));
    TokenList list = {0};
    lex_source(&kit->arena, &kit->diags, source, &list);
    assert_int_equal(list.tokens.items[3].line, 1);
    assert_int_equal(list.tokens.items[3].column, 7);
    assert_int_equal(list.tokens.items[5].line, 2);
    assert_int_equal(list.tokens.items[5].column, 2);
    kit_free(kit);
  }
}

// An unclosed string is reported where it begins, not on the line with which
// its line is joined.
static void test_open_string(void **state) {
  (void)state;
  static const char text[] = "x = \"a\\\n    \n";
  Kit *kit = kit_create();
  Source *source = source_create(&kit->arena, "t.py", text, strlen(text));
  TokenList list = {0};
  assert_false(lex_source(&kit->arena, &kit->diags, source, &list));
  assert_string_equal(token_kind_name(list.tokens.items[2].kind),
                      "invalid text");
  assert_int_equal(list.tokens.items[2].line, 1);
  assert_int_equal(list.tokens.items[2].column, 5);
  kit_free(kit);
}

static void test_indentation(void **state) {
  (void)state;
  check_tokens("a\n  b\n\n    c\n  # no\nd\n",
               "a name " EOL " indentation a name " EOL
               " indentation a name " EOL " " EOB " " EOB " a name " EOL
               " " EOF_ "\n");
  check_tokens("a\n\tb\n        c\n", // 8 columns, but only with wide tabs
               "a name " EOL " indentation a name " EOL
               " invalid text a name " EOL " " EOB " " EOF_ "\n");
  check_tokens("a\n    b\n  c\n",
               "a name " EOL " indentation a name " EOL " " EOB
               " invalid text a name " EOL " " EOF_ "\n");
  check_tokens("a\n\tb\n\t\tc\n\td\n", "a name " EOL " indentation a name " EOL
                                       " indentation a name " EOL " " EOB
                                       " a name " EOL " " EOB " " EOF_ "\n");
  check_tokens("a\n  (b\n c)\n",
               "a name " EOL " indentation '(' a name a name ')' " EOL " " EOB
               " " EOF_ "\n");
}

static void test_numbers(void **state) {
  (void)state;
  check_tokens("0 00 0_0 1_000 0xFf_0 0o17 0b1_0 0X1 0O1 0B1",
               "an integer an integer an integer an integer an integer "
               "an integer an integer an integer an integer an integer " EOL
               " " EOF_ "\n");
  check_tokens("1. .5 1.5 1e3 1E-3 1_0.0_1e1_0 0.0 09.5 1.e5",
               "a number a number a number a number a number a number "
               "a number a number a number " EOL " " EOF_ "\n");
  check_tokens("1j 1.5J 1e3j", "an imaginary number an imaginary number "
                               "an imaginary number " EOL " " EOF_ "\n");
  check_tokens("012 1_ 0x 0b2 1abc 0_x",
               "invalid text invalid text invalid text invalid text "
               "invalid text invalid text " EOL " " EOF_ "\n");
}

static void test_strings(void **state) {
  (void)state;
  check_tokens("'a' \"b\" r'\\' ' b\"x\" Rb'' uR''",
               "a string a string a string a string a string a name "
               "a string " EOL " " EOF_ "\n");
  check_tokens("'''a\nb''' \"\"\"x\"y\"\"z\"\"\" '\\'' \"a\\\nb\"",
               "a string a string a string a string " EOL " " EOF_ "\n");
  check_tokens("f'{a}' F\"{'x'}\" fr'{a[\"b\"]:{w}}' rf'{{' f'{a!r}'",
               "an f-string an f-string an f-string an f-string "
               "an f-string " EOL " " EOF_ "\n");
  check_tokens("f'{x['a']}' f'{f\"{f'{1}'}\"}' f'''{\nx\n}''' f'{a:%H:%M}'",
               "an f-string an f-string an f-string an f-string " EOL " " EOF_
               "\n");
  check_tokens("f'\\{a}' f'\\N{DASH}' f'{a != b}' f'{{}}{d:{{}}}'",
               "an f-string an f-string an f-string an f-string " EOL " " EOF_
               "\n");
}

static void test_broken_strings(void **state) {
  (void)state;
  check_tokens("a = 'b\nc\n",
               "a name '=' invalid text " EOL " a name " EOL " " EOF_
               "\n1:5: error: this string is not closed on its line\n");
  check_tokens("'''b\nc\n", "invalid text " EOL " " EOF_
                            "\n1:1: error: this string is never closed\n");
  check_tokens("f'{a\n", "invalid text " EOL " " EOF_
                         "\n1:1: error: this string is never closed\n");
  check_tokens("f'{a:'\n",
               "invalid text " EOL " " EOF_
               "\n1:1: error: '{' in this f-string is never closed\n");
}

static void test_brackets(void **state) {
  (void)state;
  check_tokens("(a]\n", "'(' a name invalid text " EOL " " EOF_
                        "\n1:3: error: expected ')', found ']'\n"
                        "1:1: note: '(' was opened here\n");
  check_tokens("{(a}\n", "'{' '(' a name invalid text " EOL " " EOF_
                         "\n1:4: error: expected ')', found '}'\n"
                         "1:2: note: '(' was opened here\n");
  check_tokens("a)\n", "a name invalid text " EOL " " EOF_
                       "\n1:2: error: ')' closes nothing\n");
  // A line that begins with a statement's keyword cannot be in brackets.
  check_tokens("f(a\ndef g",
               "a name '(' a name invalid text " EOL " 'def' a name " EOL
               " " EOF_ "\n1:2: error: '(' is never closed\n");
  check_tokens("f(a,\n  b\n", "a name '(' a name ',' a name invalid text " EOL
                              " " EOF_ "\n1:2: error: '(' is never closed\n");
}

static void test_characters(void **state) {
  (void)state;
  check_tokens("a $ b ? !",
               "a name invalid text a name invalid text invalid text " EOL
               " " EOF_ "\n");
  check_tokens("\xc3\xa9t\xc3\xa9 \xe5\x90\x8d _\xce\xb1",
               "a name a name a name " EOL " " EOF_ "\n");
  check_tokens("a\xc2\xa0= \xe2\x80\x9cx", // no-break space, curly quote
               "a name invalid text '=' invalid text " EOL " " EOF_ "\n");
  check_tokens("a := b -> c ... @= **= //= >>= <<= != ; ~",
               "a name ':=' a name '->' a name '...' '@=' '**=' '//=' '>>=' "
               "'<<=' '!=' ';' '~' " EOL " " EOF_ "\n");
}

static void check_refused(const char *text, size_t length,
                          const char *message) {
  Kit *kit = kit_create();
  const char *shown = tokens_of(kit, text, length);
  assert_string_equal(strchr(shown, '\n') + 1, message);
  kit_free(kit);
}

static void test_no_text(void **state) {
  (void)state;
  check_refused("a\nb\0c", 5,
                "2:2: error: the file is not text: it contains a NUL byte\n");
  check_refused("a\nb \xff", 5,
                "2:3: error: the file is not UTF-8 text: byte 0xff\n");
  check_refused("\xc0\x80", 2,
                "1:1: error: the file is not UTF-8 text: byte 0xc0\n");
  check_refused("\xed\xa0\x80", 3,
                "1:1: error: the file is not UTF-8 text: byte 0xed\n");
  check_refused("\xe5\x90", 2,
                "1:1: error: the file is not UTF-8 text: byte 0xe5\n");
  check_refused("\xf0\x9f\x98\x80", 4, "");
}

static void test_printing(void **state) {
  (void)state;
  Kit *kit = kit_create();
  const char *text = "x = '''a\nb'''\n  y";
  Source *source = source_create(&kit->arena, "t.py", text, strlen(text));
  Str out = str_in(&kit->arena);
  frontend_print_tokens(&kit->arena, &kit->diags, source, &out);
  assert_string_equal(str_text(&out),
                      "1:1 a name x\n1:3 '='\n1:5 a string '''a\\nb'''\n"
                      "2:5 the end of the line\n3:1 indentation\n"
                      "3:3 a name y\n3:4 the end of the line\n"
                      "3:4 the end of the block\n3:4 the end of the file\n");
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_carriage_returns),
      cmocka_unit_test(test_open_string),
      cmocka_unit_test(test_indentation),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_broken_strings),
      cmocka_unit_test(test_brackets),
      cmocka_unit_test(test_characters),
      cmocka_unit_test(test_no_text),
      cmocka_unit_test(test_printing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
