// test_default_stages.c -- kernels that fit with one stage only compile by
// default, too: products with any tiles that they load, convert and keep, on
// each chip.
#include "passes/pass.h"
#include "tests/unit/frontend/specialize_kit.h"

#include <stdio.h>

// Operands are multiplied as they are, widened, or changed and transposed
// before, with sums along both axes; and with a sorted tile behind the loop.
static const char product[] =
    "@jit\n"
    "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, "
    "BK: tl.constexpr, HOW: tl.constexpr, PREC: tl.constexpr):\n"
    "    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)\n"
    "    pa = a + m[:, None] * K + k[None, :]\n"
    "    pb = b + k[:, None] * N + n[None, :]\n"
    "    acc = tl.zeros((BM, BN), tl.float32)\n"
    "    for i in range(0, K, BK):\n"
    "        x, y = tl.load(pa), tl.load(pb)\n"
    "        if HOW == 1:\n"
    "            y = y.to(x.dtype)\n"
    "        if HOW == 2:\n"
    "            x = tl.trans(tl.trans(x) * 2)\n"
    "        if HOW == 3:\n"
    "            acc += tl.sum(y.to(tl.float32), 0)[None, :]\n"
    "            x = (x + tl.max(x.to(tl.float32), 0)[None, :]).to(y.dtype)\n"
    "        acc += tl.dot(x, y, input_precision=PREC)\n"
    "        pa += BK\n"
    "        pb += BK * N\n"
    "    if HOW == 3:\n"
    "        at = (n[None, :] * 3 + m[:, None]) % BN\n"
    "        acc = tl.gather(acc.to(tl.float64), at, 1).to(tl.float32)\n"
    "    tl.store(c + m[:, None] * N + n[None, :], acc)\n";

static const char attention[] =
    "@jit\n"
    "def k(q, k, v, o, n, BM: tl.constexpr, BN: tl.constexpr, "
    "D: tl.constexpr, HOW: tl.constexpr, PREC: tl.constexpr):\n"
    "    rows, columns = tl.arange(0, BM), tl.arange(0, BN)\n"
    "    d = tl.arange(0, D)\n"
    "    x = tl.load(q + rows[:, None] * D + d[None, :])\n"
    "    m = tl.full((BM,), -1e30, tl.float32)\n"
    "    l = tl.zeros((BM,), tl.float32)\n"
    "    acc = tl.zeros((BM, D), tl.float32)\n"
    "    for j in range(0, n, BN):\n"
    "        y = tl.load(k + (j + columns)[:, None] * D + d[None, :])\n"
    "        z = tl.load(v + (j + columns)[:, None] * D + d[None, :])\n"
    "        s = tl.dot(x, tl.trans(y), input_precision=PREC)\n"
    "        most = tl.maximum(m, tl.max(s, 1))\n"
    "        p = tl.exp(s - most[:, None])\n"
    "        scale = tl.exp(m - most)\n"
    "        l = l * scale + tl.sum(p, 1)\n"
    "        m = most\n"
    "        if HOW == 0:\n"
    "            acc = tl.dot(p.to(z.dtype), z, acc * scale[:, None], "
    "input_precision=PREC)\n"
    "        else:\n"
    "            t = tl.dot(tl.trans(z), tl.trans(p.to(z.dtype)), "
    "input_precision=PREC)\n"
    "            acc = acc * scale[:, None] + tl.trans(t)\n"
    "    tl.store(o + rows[:, None] * D + d[None, :], acc / l[:, None])\n";

typedef struct {
  int compiled, lowered, refused;
} Counts;

static void set_int(Function *f, AttrKey key, int value) {
  function_set_attr(f, (Attr){.key = key, .as.i = value});
}

static bool compiles(const char *text, const char *signature,
                     const char *target, int warps, int stages, Counts *n) {
  Kit *kit = kit_specialize(text, signature);
  if (!kit->ok) fail_msg("%s: %s", signature, kit_messages(kit));
  Function *f = kit->m->functions;
  set_int(f, ATTR_num_warps, warps);
  if (stages) set_int(f, ATTR_num_stages, stages);
  const bool ok = passes_run(kit->m, target_find(target), "gpu", NULL);
  n->lowered += ok && strstr(kit_messages(kit), "num_stages is at most");
  assert_int_equal(ok, !diag_failed(&kit->diags));
  kit_free(kit);
  return ok;
}

static void check_default(const char *text, const char *signature,
                          const char *target, int warps, Counts *n) {
  if (compiles(text, signature, target, warps, 0, n)) {
    n->compiled++;
    return;
  }
  n->refused++;
  for (int stages = 1; stages <= 2; stages++) {
    if (!compiles(text, signature, target, warps, stages, n)) continue;
    fail_msg("%s, %s, %d warps: refused, but not with num_stages=%d", signature,
             target, warps, stages);
  }
}

static void check_everywhere(const char *text, const char *signature,
                             Counts *n) {
  static const char *const targets[] = {"sm_75", "sm_80", "sm_89", "sm_90"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    check_default(text, signature, targets[i], 4, n);
    check_default(text, signature, targets[i], 8, n);
  }
}

static void products_compile(void **state) {
  (void)state;
  static const char *const kinds[] = {
      "0, \"tf32\"", "1, \"tf32\"", "2, \"tf32\"", "2, \"ieee\"", "3, \"ieee\"",
  };
  static const int sizes[][3] = {
      {64, 128, 128}, {128, 128, 64}, {256, 128, 32}, {64, 256, 256}};
  Counts n = {0};
  char signature[256];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      for (int wide = 0; wide < 2; wide++) {
        const char *of = wide ? "*fp32:16" : "*fp16:16";
        snprintf(signature, sizeof signature,
                 "%s, %s, *fp32:16, i32:16, i32:16, i32:16, %d, %d, %d, %s", of,
                 i == 1 ? "*i8:16" : of, sizes[k][0], sizes[k][1], sizes[k][2],
                 kinds[i]);
        check_everywhere(product, signature, &n);
      }
    }
  }
  assert_true(n.compiled > 200 && n.lowered > 10 && n.refused > 0);
}

static void attentions_compile(void **state) {
  (void)state;
  static const char *const types[] = {"*fp16:16", "*fp32:16"};
  Counts n = {0};
  char signature[256];
  for (int i = 0; i < 16; i++) {
    const char *of = types[i & 1], *how = i & 8 ? "1, \"ieee\"" : "0, \"tf32\"";
    snprintf(signature, sizeof signature,
             "%s, %s, %s, *fp32:16, i32, 128, %d, %d, %s", of, of, of,
             i & 2 ? 64 : 128, i & 4 ? 64 : 256, how);
    check_everywhere(attention, signature, &n);
  }
  assert_true(n.compiled > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_compile),
      cmocka_unit_test(attentions_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
