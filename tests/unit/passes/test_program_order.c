// test_program_order.c -- blocks that run several programs run each once, the
// longest first.
//
// The interpreter starts any number of blocks for any numbers of programs along
// the axes.  Each program counts itself at its place, and notes how many came
// before it; its products are left out.
#include "passes/pass.h"
#include "passes/pipeline/program_order.h"
#include "tests/unit/frontend/specialize_kit.h"

#include <stdio.h>

// -- The order that is found -------------------------------------------------

// LO to HI are the trips of one loop, 0 to MORE those of another one behind it.
static const char loops[] =
    "@jit\n"
    "def k(a, out, M, N):\n"
    "    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)\n"
    "    i = tl.arange(0, 16)\n"
    "    at = i[:, None] * 16 + i[None, :]\n"
    "    acc = tl.zeros((16, 16), tl.float32)\n"
    "    for k in range(%s, %s, %d):\n"
    "        acc = tl.dot(tl.load(a + at + k), tl.load(a + at), acc)\n"
    "    for k in range(0, %s, 16):\n"
    "        acc = tl.dot(tl.load(a + at + k), tl.load(a + at), acc)\n"
    "    tl.store(out + at, acc)\n";

typedef struct {
  const char *lo, *hi;
  int step;
  const char *more;
  ProgramOrder order;
} OrderRow;

#define SAME                                                                   \
  { true, false, 0, false }
#define UNKNOWN                                                                \
  { false, false, 0, false }
#define GROWS(a)                                                               \
  { true, true, a, true }
#define SHRINKS(a)                                                             \
  { true, true, a, false }

static const OrderRow order_rows[] = {
    {"0", "M", 16, "N", SAME},
    {"0", "x", 16, "N", GROWS(0)},
    {"0", "x", 1, "N", GROWS(0)},
    {"0", "y * 16 + M", 16, "N", GROWS(1)},
    {"0", "M + z // 3", 16, "N", GROWS(2)},
    {"0", "M - x", 16, "N", SHRINKS(0)},
    {"0", "M - (N + y)", 16, "N", SHRINKS(1)},
    {"0", "(M - z) * 5", 16, "N", SHRINKS(2)},
    {"x", "M", 16, "N", SHRINKS(0)},
    {"M - y", "M", 16, "N", GROWS(1)},
    {"x * 8", "x * 8 + M", 16, "N", SAME},
    {"0", "tl.minimum(M, y * 4)", 16, "N", GROWS(1)},
    {"0", "tl.maximum(M, N - y)", 16, "N", SHRINKS(1)},
    // Loops that make up for each other, up to an eighth.
    {"0", "x * 8", 16, "M - x * 8", SAME},
    {"0", "x * 8", 16, "M - x * 7", SAME},
    {"0", "x * 7", 16, "M - x * 8", SAME},
    {"0", "x * 8", 16, "M - x * 6", GROWS(0)},
    {"0", "x * 6", 16, "M - x * 8", SHRINKS(0)},
    {"0", "x * 8", 32, "M - x * 4", SAME},
    {"0", "x * 8", 32, "M - x * 5", SHRINKS(0)},
    {"0", "x * 8", 32, "M - x * 3", GROWS(0)},
    {"0", "x * 8 + y", 16, "N", GROWS(0)},
    {"0", "x - y * 8", 16, "N", SHRINKS(1)},
    // On two axes, or in no way that is linear.
    {"0", "x * 7 + y", 16, "N", UNKNOWN},
    {"0", "x + z", 16, "N", UNKNOWN},
    {"0", "x * y", 16, "N", UNKNOWN},
    {"0", "x * M", 16, "N", UNKNOWN},
    {"0", "M // (y + 1)", 16, "N", UNKNOWN},
    {"0", "M + x * -8", 16, "N", UNKNOWN},
    {"0", "x % 4", 16, "N", UNKNOWN},
    {"0", "z & 1", 16, "N", UNKNOWN},
};

static void bounds_tell_the_order(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof order_rows / sizeof *order_rows; i++) {
    const OrderRow *row = &order_rows[i];
    char text[2048];
    snprintf(text, sizeof text, loops, row->lo, row->hi, row->step, row->more);
    Kit *kit = kit_specialize(text, "*fp16, *fp32, i32, i32");
    assert_string_equal(kit_messages(kit), "");
    assert_true(passes_run(kit->m, NULL, "canonicalize,cse,dce", NULL));
    const ProgramOrder found = program_order_find(kit->m->functions);
    if (found.is_known != row->order.is_known ||
        found.is_sorted != row->order.is_sorted ||
        (found.is_sorted &&
         (found.axis != row->order.axis || found.grows != row->order.grows)))
      fail_msg("%s to %s, step %d, and %s: known %d, sorted %d, axis %d, "
               "grows %d",
               row->lo, row->hi, row->step, row->more, found.is_known,
               found.is_sorted, found.axis, found.grows);
    kit_free(kit);
  }
}

// -- The programs that blocks run --------------------------------------------

static const char counted[] =
    "@jit\n"
    "def k(a, b, c, seen, when, clock, X, Y, Z, K, AXIS: tl.constexpr, "
    "BACK: tl.constexpr):\n"
    "    da = tl.make_tensor_descriptor(a, [X, K], [K, 1], [64, 64])\n"
    "    db = tl.make_tensor_descriptor(b, [K, Y], [Y, 1], [64, 64])\n"
    "    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)\n"
    "    at = x + X * (y + Y * z)\n"
    "    tl.atomic_add(seen + at, 1)\n"
    "    tl.store(when + at, tl.load(clock))\n"
    "    tl.atomic_add(clock, 1)\n"
    "    end = K\n"
    "    if AXIS < 3:\n"
    "        end = tl.program_id(AXIS) * 64 + 64\n"
    "    if BACK:\n"
    "        end = K - end\n"
    "    acc = tl.zeros((64, 64), tl.float32)\n"
    "    for k in range(0, end, 64):\n"
    "        acc = tl.dot(da.load([x, k]), db.load([k, y]), acc)\n"
    "    m = tl.arange(0, 64)\n"
    "    tl.store(c + m[:, None] * 64 + m[None, :], acc)\n";

enum { SEEN = 3, WHEN, CLOCK, PROGRAMS, MOST = 64 };

static int32_t seen[MOST], when[MOST], ticks;
static float sums[64 * 64];

// Programs are counted by arguments, and products have no trip.
static void change(Function *f, Block *block) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (int i = 0; i < op->num_regions; i++) change(f, op->regions[i]);
    if (op->kind == OP_for && block != f->body)
      op_set_operand(op, FOR_UPPER, op_operand(op, FOR_LOWER));
    if (op->kind != OP_num_programs) continue;
    value_replace_uses(op_result(op),
                       &f->body->args[PROGRAMS + op_int(op, ATTR_axis)]);
    op_erase(op);
  }
}

static Kit *open_counted(int axis, int back) {
  char signature[256];
  snprintf(signature, sizeof signature,
           "*fp16:16, *fp16:16, *fp32:16, *i32, *i32, *i32, i32:16, i32:16, "
           "i32, i32:16, %d, %d",
           axis, back);
  Kit *kit = kit_specialize(counted, signature);
  assert_string_equal(kit_messages(kit), "");
  Function *f = kit->m->functions;
  function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = 4});
  function_set_attr(f, (Attr){.key = ATTR_persist, .as.i = 1});
  const PassOptions options = {.stop_after = "persist_programs"};
  assert_true(passes_run(kit->m, target_find("sm_90a"), "gpu", &options));
  assert_non_null(strstr(kit_ir(kit), "num_blocks"));
  change(f, f->body);
  return kit;
}

static void run(Kit *kit, const int programs[3], int blocks) {
  static _Alignas(16) uint16_t operand[64];
  InterpArg args[PROGRAMS + 4] = {{.as.p = operand}, {.as.p = operand},
                                  {.as.p = sums},    {.as.p = seen},
                                  {.as.p = when},    {.as.p = &ticks}};
  for (int i = 0; i < 3; i++) args[PROGRAMS + i].as.i = programs[i];
  args[PROGRAMS + 3].as.i = 4096;
  const InterpMemory memory[] = {{sums, sizeof sums},
                                 {seen, sizeof seen},
                                 {when, sizeof when},
                                 {&ticks, sizeof ticks}};
  const InterpLaunch launch = {.args = args,
                               .memory = memory,
                               .num_memory = 4,
                               .grid = {blocks, 1, 1},
                               .max_steps = 1000000};
  memset(seen, 0, sizeof seen);
  ticks = 0;
  if (!interp_run(&kit->arena, kit->m->functions, &launch, &kit->diags))
    fail_msg("%s", kit_messages(kit));
}

static int length_of(int axis, int back, const int n[3], int program) {
  const int size = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
  const int place = program / size % n[axis];
  return back ? n[axis] - 1 - place : place;
}

// The interpreter runs blocks in order.  A block runs the programs of each
// section from the longest to the shortest; of sections with one row all blocks
// get the same, if the rounds there and back are full.
static void check_lengths(int axis, int back, const int n[3], int blocks,
                          const int *at) {
  const int all = n[0] * n[1] * n[2], rows = all / n[axis];
  const int half = blocks > 1 ? blocks / 2 : 1;
  const int sections = (rows + half - 1) / half, each = all / blocks;
  int longer = 0, sum = 0;
  for (int i = 1; i < all; i++)
    longer +=
        length_of(axis, back, n, at[i]) > length_of(axis, back, n, at[i - 1]);
  assert_true(longer < blocks * sections);
  if (rows > 1 || all % (2 * blocks)) return;
  for (int i = 0; i < all; i++) {
    if (i % each == 0) sum = 0;
    sum += length_of(axis, back, n, at[i]);
    if (i % each == each - 1) assert_int_equal(sum * 2, (n[axis] - 1) * each);
  }
}

static void check(int axis, int back, const int n[3], int blocks) {
  const int all = n[0] * n[1] * n[2];
  int at[MOST];
  for (int i = 0; i < MOST; i++) {
    if (seen[i] != (i < all))
      fail_msg("axis %d, back %d, %dx%dx%d programs in %d blocks: program %d "
               "ran %d times",
               axis, back, n[0], n[1], n[2], blocks, i, seen[i]);
    if (i < all) at[when[i]] = i;
  }
  assert_int_equal(ticks, all);
  if (axis < 3) check_lengths(axis, back, n, blocks, at);
}

static void each_program_runs_once(void **state) {
  (void)state;
  static const int grids[][3] = {{1, 1, 1},  {5, 1, 1},  {4, 3, 1}, {3, 2, 5},
                                 {1, 7, 2},  {2, 3, 3},  {1, 1, 9}, {6, 5, 1},
                                 {12, 1, 1}, {1, 12, 1}, {1, 1, 28}};
  for (int axis = 0; axis < 4; axis++)
    for (int back = 0; back < (axis == 3 ? 1 : 2); back++) {
      Kit *kit = open_counted(axis, back);
      for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (int blocks = 1; blocks <= 7; blocks += 1 + (blocks > 2)) {
          run(kit, grids[g], blocks);
          check(axis, back, grids[g], blocks);
        }
      kit_free(kit);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_tell_the_order),
      cmocka_unit_test(each_program_runs_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
