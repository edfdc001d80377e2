// test_layout_convert.c -- conversion plans, carried out on every thread.
#include "ir/layout_convert.h"
#include "tests/unit/ir/layout_family.h"

enum { TRIES = 4000, MAX_WORDS = 1 << 12, SHUFFLES_SEEN = 300 };

// The element in a register of a thread, for each word.
typedef struct {
  uint32_t word[MAX_WORDS];
} File;

static void run_before(const ConvertPlan *plan, const Layout *from, File *x) {
  const int registers = from->num_bits[LAYOUT_REGISTER];
  assert_true(num_words(from) <= MAX_WORDS);
  for (uint32_t word = 0; word < num_words(from); word++) {
    const uint32_t thread = word >> registers;
    const uint32_t moved = word ^ linear_apply(&plan->before, thread);
    assert_int_equal(moved >> registers, thread);
    x->word[word] = layout_apply(from, moved);
  }
}

// The word that `thread` receives in round j.
static uint32_t run_round(const ConvertPlan *plan, const Layout *from,
                          const File *x, uint32_t thread, uint32_t j) {
  const int lanes = from->num_bits[LAYOUT_LANE];
  const uint32_t lane =
      linear_apply(&plan->lane, thread << plan->log2_rounds | j);
  const uint32_t sender = thread >> lanes << lanes | lane;
  const uint32_t sent = linear_apply(&plan->send, j);
  assert_true(lane < 1u << lanes);
  assert_true(sent < (uint32_t)layout_num_registers(from));
  return x->word[sender << from->num_bits[LAYOUT_REGISTER] | sent];
}

static void run_plan(const ConvertPlan *plan, const Layout *from,
                     const Layout *to) {
  File x;
  run_before(plan, from, &x);
  const int registers = to->num_bits[LAYOUT_REGISTER];
  for (uint32_t word = 0; word < num_words(to); word++) {
    const uint32_t thread = word >> registers;
    const uint32_t wanted = word & ((1u << registers) - 1);
    const uint32_t j = wanted ^ linear_apply(&plan->after, thread);
    assert_int_equal(run_round(plan, from, &x, thread, j),
                     layout_apply(to, word));
  }
}

// The cheapest kind for one word, by which place holds the element.
static ConvertKind kind_of_word(const Layout *from, const Layout *to,
                                uint32_t word) {
  const uint32_t thread = word >> to->num_bits[LAYOUT_REGISTER];
  const int lanes = to->num_bits[LAYOUT_LANE];
  const int warps = to->num_bits[LAYOUT_WARP];
  ConvertKind best = CONVERT_IMPOSSIBLE;
  for (uint32_t w = 0; w < num_words(from); w++) {
    if (layout_apply(from, w) != layout_apply(to, word)) continue;
    const uint32_t holder = w >> from->num_bits[LAYOUT_REGISTER];
    ConvertKind kind = CONVERT_CLUSTER;
    if (holder >> (lanes + warps) == thread >> (lanes + warps)) {
      kind = CONVERT_SHARED;
    }
    if (holder >> lanes == thread >> lanes) kind = CONVERT_SHUFFLE;
    if (holder == thread) kind = CONVERT_REGISTERS;
    if (kind < best) best = kind;
  }
  return best;
}

static ConvertKind kind_by_hand(const Layout *from, const Layout *to) {
  ConvertKind worst = CONVERT_REGISTERS;
  for (uint32_t word = 0; word < num_words(to); word++) {
    const ConvertKind kind = kind_of_word(from, to, word);
    if (kind > worst) worst = kind;
  }
  return worst;
}

static ConvertKind check(const Layout *from, const Layout *to) {
  const ConvertPlan plan = layout_convert(from, to);
  ConvertKind kind = plan.kind;
  if (kind == CONVERT_NOTHING) {
    assert_ptr_equal(from, to);
    kind = CONVERT_REGISTERS;
  }
  assert_int_equal(kind, kind_by_hand(from, to));
  if (kind == CONVERT_IMPOSSIBLE) return kind;
  for (uint32_t word = 0; word < num_words(to); word++) {
    assert_int_equal(layout_apply(from, linear_apply(&plan.source, word)),
                     layout_apply(to, word));
  }
  if (kind <= CONVERT_SHUFFLE) run_plan(&plan, from, to);
  return kind;
}

// A layout of `from`'s tile and threads: registers and lanes mixed at random,
// warps and blocks sometimes too, sometimes with copies.
static const Layout *any_partner(Family *f, const Layout *from) {
  Layout key = *from;
  const int inside =
      from->num_bits[LAYOUT_LANE] + from->num_bits[LAYOUT_REGISTER];
  const int range = pick(f, 3) ? inside : from->map.num_in;
  const int registers = (int)pick(f, 5);
  key.num_bits[LAYOUT_REGISTER] = registers;
  key.map.num_in = 0;
  for (int i = 0; i < registers; i++) {
    key.map.column[key.map.num_in++] = layout_apply(from, pick(f, 1u << range));
  }
  for (int i = from->num_bits[LAYOUT_REGISTER]; i < from->map.num_in; i++) {
    const uint32_t base = i < inside ? 0 : UINT32_C(1) << i;
    key.map.column[key.map.num_in++] =
        layout_apply(from, base ^ pick(f, 1u << range));
  }
  for (int i = key.map.num_in; i < LINEAR_MAX; i++) key.map.column[i] = 0;
  return layout_get(&f->table, &key);
}

static void try_partners(void *data) {
  Family *f = data;
  int seen[CONVERT_IMPOSSIBLE + 1] = {0}, more_rounds = 0;
  for (int i = 0; i < TRIES; i++) {
    const Layout *from = any_layout(f, 2, 3, 2, false);
    const Layout *to = any_partner(f, from);
    seen[check(from, to)]++;
    const ConvertPlan plan = layout_convert(from, to);
    more_rounds += plan.log2_rounds > to->num_bits[LAYOUT_REGISTER];
  }
  assert_true(more_rounds > 0);
  assert_true(seen[CONVERT_REGISTERS] > SHUFFLES_SEEN);
  assert_true(seen[CONVERT_SHUFFLE] > SHUFFLES_SEEN);
  assert_true(seen[CONVERT_SHARED] > 0 && seen[CONVERT_CLUSTER] > 0);
}

static void test_partners(void **state) {
  (void)state;
  with_family(try_partners);
}

static void try_strangers(void *data) {
  Family *f = data;
  int seen[CONVERT_IMPOSSIBLE + 1] = {0};
  for (int i = 0; i < TRIES; i++) {
    const Layout *from = any_bijection(f, 1, 5, false);
    const Layout *to = any_bijection(f, 1, 5, false);
    bool same = from->map.num_out == to->map.num_out;
    for (int d = LAYOUT_LANE; d < LAYOUT_NUM_DIMS; d++) {
      same &= from->num_bits[d] == to->num_bits[d];
    }
    if (same) {
      seen[check(from, to)]++;
    } else {
      assert_int_equal(layout_convert(from, to).kind, CONVERT_IMPOSSIBLE);
    }
  }
  assert_true(seen[CONVERT_SHUFFLE] > 0);
}

static void test_strangers(void **state) {
  (void)state;
  with_family(try_strangers);
}

// Two layouts that real kernels meet: a transposition of an accumulator, and
// its exp as operand A of the next product.
static void try_real(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  const int64_t shape[] = {16, 16}, wide[] = {64, 64};
  const MmaSpec one = {.warps_m = 1, .warps_n = 1};
  const MmaSpec four = {.warps_m = 4, .warps_n = 1};
  const Layout *c = layout_mma_accumulator(t, 2, shape, &one);
  const Layout *a = layout_mma_operand_a(t, 2, shape, &one, 16, 16);
  assert_int_equal(check(c, a), CONVERT_REGISTERS);
  assert_ptr_equal(c, a);
  const Layout *byte = layout_mma_operand_a(t, 2, wide, &four, 8, 32);
  const Layout *acc = layout_mma_accumulator(t, 2, wide, &four);
  assert_int_equal(check(acc, byte), CONVERT_SHUFFLE);
  const ConvertPlan plan = layout_convert(acc, byte);
  assert_int_equal(1 << plan.log2_rounds, layout_num_registers(byte));
  const int order[] = {1, 0};
  const Layout *rows = layout_coalesced(t, 2, wide, order, 8, 32, 4);
  assert_int_equal(layout_convert(acc, rows).kind, CONVERT_SHARED);
}

static void test_real(void **state) {
  (void)state;
  with_family(try_real);
}

static bool holds(const Layout *layout, uint32_t thread, uint32_t element) {
  const int shift = layout->num_bits[LAYOUT_REGISTER];
  for (uint32_t r = 0; r < 1u << shift; r++) {
    if (layout_apply(layout, thread << shift | r) == element) return true;
  }
  return false;
}

static bool is_covered(const Layout *a, const Layout *b) {
  for (uint32_t word = 0; word < num_words(a); word++) {
    const uint32_t thread = word >> a->num_bits[LAYOUT_REGISTER];
    if (!holds(b, thread, layout_apply(a, word))) return false;
  }
  return true;
}

static void try_same_threads(void *data) {
  Family *f = data;
  int same = 0;
  for (int i = 0; i < TRIES; i++) {
    const Layout *a = any_layout(f, 2, 2, 2, false);
    const Layout *b = any_partner(f, a);
    const bool want = is_covered(a, b) && is_covered(b, a);
    assert_int_equal(layout_same_threads(a, b), want);
    same += want;
  }
  assert_true(same > 0);
}

static void test_same_threads(void **state) {
  (void)state;
  with_family(try_same_threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partners),
      cmocka_unit_test(test_strangers),
      cmocka_unit_test(test_real),
      cmocka_unit_test(test_same_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
