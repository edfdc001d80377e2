// test_program.c -- definitions of a file: kernels, parameters, decorators.
#include "tests/unit/frontend/parse_kit.h"

static const char *names_of(Kit *kit, bool kernels_only) {
  Str out = str_in(&kit->arena);
  assert_non_null(kit->program);
  for (int i = 0; i < frontend_num_functions(kit->program); i++) {
    const AstFunction *f = frontend_function(kit->program, i);
    if (kernels_only && !function_is_kernel(f)) continue;
    str_addf(&out, "%s%s", out.length ? " " : "", function_name(f));
  }
  return str_text(&out);
}

static void check_functions(const char *text, const char *expected) {
  Kit *kit = kit_parse(text);
  assert_string_equal(kit_messages(kit), "");
  assert_string_equal(names_of(kit, false), expected);
  kit_free(kit);
}

static void test_decorators(void **state) {
  (void)state;
  check_functions("@jit\ndef a(): pass\n@kernel\ndef b(): pass\n"
                  "@triton.jit\ndef c(): pass\n"
                  "@triton.jit(do_not_specialize=['x'])\ndef d(x): pass\n"
                  "@tl.foo.jit\ndef e(): pass\n",
                  "a b c d e");
  check_functions("@triton.autotune(configs=[triton.Config({'A': 1}, "
                  "num_warps=4)],\n  key=['n'])\n# why\n\n"
                  "@triton.heuristics({'B': lambda args: args['n'] > 3})\n"
                  "@triton.jit\ndef a(): pass\n",
                  "a");
  check_functions("@jit.x\ndef a(): pass\n@foo\ndef b(): pass\n"
                  "def c(): pass\n@x.kernel\ndef d(): pass\n",
                  "");
  check_functions("import jax\nfrom numba import jit\n@jax.jit\n"
                  "def a(): pass\n@jit\ndef b(): pass\n"
                  "@triton.jit\ndef c(): pass\n",
                  "c");
}

static void test_places(void **state) {
  (void)state;
  check_functions("class A(B):\n  x = 1\n  @staticmethod\n  @triton.jit\n"
                  "  def f(): pass\n  class C:\n    @jit\n    def g(): pass\n"
                  "  def h(self):\n    @jit\n    def no(): pass\n"
                  "@jit\ndef k(): pass\n",
                  "A.f A.C.g k");
  check_functions("if x:\n  @jit\n  def a(): pass\nelif y:\n  z\n"
                  "else:\n  try:\n    @jit\n    def b(): pass\n"
                  "  except E:\n    pass\n  finally:\n    pass\n"
                  "with c:\n  for d in e:\n    @jit\n    def f(): pass\n"
                  "async def g():\n  @jit\n  def h(): pass\n",
                  "a b f");
  check_functions("@jit\ndef a(): return\n\n@jit\ndef b(): pass", "a b");
}

static void test_decorator_trees(void **state) {
  (void)state;
  Kit *kit = kit_parse("@autotune(configs=[Config({'A': 2})], key=['n'])\n"
                       "@foo(x ? y)\n@a.b.jit\ndef f(): pass\n");
  const AstFunction *f = frontend_function(kit->program, 0);
  assert_int_equal(f->num_decorators, 3);
  assert_string_equal(f->decorators[0].name, "autotune");
  assert_int_equal(f->decorators[0].expr->kind, EXPR_CALL);
  assert_string_equal(f->decorators[1].name, "foo");
  assert_null(f->decorators[1].expr);
  assert_string_equal(f->decorators[2].name, "jit");
  kit_free(kit);
}

static void test_parameters(void **state) {
  (void)state;
  Kit *kit =
      kit_parse("@jit\ndef f(x: *fp32, n, B: tl.constexpr = 3,\n"
                "      C: 'constexpr' = 1, D: notconstexpr = 2): pass\n");
  const AstFunction *f = frontend_find_function(kit->program, "f");
  assert_int_equal(function_num_params(f), 5);
  FunctionParam p = function_param(f, 0);
  assert_string_equal(p.name, "x");
  assert_string_equal(p.annotation, "*fp32");
  assert_false(p.is_constexpr || p.has_default);
  assert_null(function_param(f, 1).annotation);
  p = function_param(f, 2);
  assert_true(p.is_constexpr && p.has_default);
  assert_int_equal(p.loc.line, 2);
  assert_int_equal(p.loc.column, 20);
  assert_true(function_param(f, 3).is_constexpr);
  assert_string_equal(function_param(f, 3).annotation, "constexpr");
  assert_false(function_param(f, 4).is_constexpr);
  assert_null(frontend_find_function(kit->program, "g"));
  kit_free(kit);
}

static void test_kernels(void **state) {
  (void)state;
  Kit *kit = kit_parse("@jit\ndef helper(x): return x\n"
                       "@jit\ndef called(x): pass\n"
                       "@jit\ndef main(x):\n  called(helper(x))\n"
                       "@jit\ndef early(x):\n  if x: return None\n"
                       "def host(): pass\n");
  assert_string_equal(names_of(kit, true), "main early");
  assert_non_null(frontend_find_kernel(kit->program, &kit->diags, "main"));
  assert_null(frontend_find_kernel(kit->program, &kit->diags, NULL));
  assert_null(frontend_find_kernel(kit->program, &kit->diags, "mian"));
  assert_null(frontend_find_kernel(kit->program, &kit->diags, "host"));
  assert_null(frontend_find_kernel(kit->program, &kit->diags, "zzzzzzz"));
  assert_string_equal(
      kit_messages(kit),
      "0:0: error: which kernel? There are main, early\n"
      "0:0: error: no kernel 'mian'; did you mean 'main'?\n"
      "11:5: error: 'host' is not a kernel: it is not marked "
      "@jit\n"
      "0:0: error: no kernel 'zzzzzzz'; there are: main, early\n");
  kit_free(kit);
}

static void test_only_kernel(void **state) {
  (void)state;
  Kit *kit = kit_parse("@jit\ndef h(x): return x\n@jit\ndef k(x): h(x)\n");
  const AstFunction *k = frontend_find_kernel(kit->program, &kit->diags, NULL);
  assert_string_equal(function_name(k), "k");
  kit_free(kit);
  kit = kit_parse("");
  assert_null(frontend_find_kernel(kit->program, &kit->diags, NULL));
  assert_string_equal(kit_messages(kit),
                      "0:0: error: no kernel: no function is marked @jit\n");
  kit_free(kit);
}

static void test_docstring(void **state) {
  (void)state;
  Kit *kit = kit_parse("@jit\ndef f():\n  '''a\n  b'''\n  return\n");
  const AstFunction *f = frontend_function(kit->program, 0);
  assert_int_equal(f->body.count, 1);
  assert_int_equal(f->body.items[0]->kind, STMT_RETURN);
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decorators),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_decorator_trees),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_only_kernel),
      cmocka_unit_test(test_docstring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
