// test_gpu_shared.c -- tiles through shared memory in the simulator: vectors,
// ldmatrix, and copies in flight.
#define _DEFAULT_SOURCE // setenv
#include "gpu_kit.h"

#include "ir/layout_access.h"

typedef struct {
  const char *elem;
  int bits;
  bool operand_b, transposed; // how the tile is read
  const char *how;            // the ops that bring %p's tile to %buf
  const char *target;
} Way;

enum { ROWS = 64, COLUMNS = 32, WARPS = 4, VECTOR_BYTES = 16 };

static const int64_t shape[] = {ROWS, COLUMNS};

static const char *text_of(Arena *arena, const Layout *layout) {
  Str text = str_in(arena);
  layout_print(layout, &text);
  return str_text(&text);
}

// The fragment of a matrix instruction, of the tile or its transpose.
static const Layout *fragment(LayoutTable *table, const Way *way) {
  static const int order[] = {1, 0};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 2};
  const int64_t turned[] = {COLUMNS, ROWS};
  const int64_t *of = way->transposed ? turned : shape;
  const int k = 256 / way->bits;
  const Layout *layout =
      way->operand_b ? layout_mma_operand_b(table, 2, of, &spec, way->bits, k)
                     : layout_mma_operand_a(table, 2, of, &spec, way->bits, k);
  assert_non_null(layout);
  return way->transposed ? layout_transpose(table, layout, order) : layout;
}

static const Layout *coalesced(LayoutTable *table, const Way *way) {
  static const int order[] = {1, 0};
  return layout_coalesced(table, 2, shape, order, VECTOR_BYTES * 8 / way->bits,
                          32, WARPS);
}

static const Layout *buffer(LayoutTable *table, const Way *way) {
  const SharedUse store = {coalesced(table, way), false};
  const SharedUse load = {fragment(table, way), true};
  const int log2_run = way->bits == 32 ? 2 : way->bits == 16 ? 3 : 4;
  return layout_best_copied(table, &store, &load, way->bits, 1, log2_run);
}

static void add_layouts(Str *out, Arena *arena, const Way *way) {
  LayoutTable table;
  layout_table_init(&table, arena);
  const Layout *tile = coalesced(&table, way);
  const Layout *const layouts[] = {buffer(&table, way),
                                   fragment(&table, way),
                                   tile,
                                   layout_slice(&table, tile, 1),
                                   layout_slice(&table, tile, 0),
                                   layout_shrink(&table, tile, 1),
                                   layout_shrink(&table, tile, 0)};
  for (int i = 0; i < (int)(sizeof layouts / sizeof *layouts); i++) {
    str_addf(out, "#%d = %s\n", i + 1, text_of(arena, layouts[i]));
  }
}

// Copies x to y through a buffer and a fragment.
static const char *kernel(Arena *arena, const Way *way) {
  Str out = str_in(arena);
  add_layouts(&out, arena, way);
  str_addf(&out,
           "kernel @k(%%x: ptr<%s> {divisibility = [16]}, %%y: ptr<%s> "
           "{divisibility = [16]}, %%n: i32 {divisibility = [16]}) "
           "{num_warps = 4} {\n",
           way->elem, way->elem);
  str_add(&out, "  %r = arange {start = 0, end = 64} : tile<64xi32, #4>\n"
                "  %c = arange {start = 0, end = 32} : tile<32xi32, #5>\n"
                "  %r1 = expand_dims %r {axis = 1} : tile<64x1xi32, #6>\n"
                "  %c1 = expand_dims %c {axis = 0} : tile<1x32xi32, #7>\n"
                "  %k = constant {value = 32} : tile<64x1xi32, #6>\n"
                "  %r2 = muli %r1, %k : tile<64x1xi32, #6>\n"
                "  %r3 = broadcast %r2 : tile<64x32xi32, #3>\n"
                "  %c3 = broadcast %c1 : tile<64x32xi32, #3>\n"
                "  %o = addi %r3, %c3 : tile<64x32xi32, #3>\n"
                "  %ns = splat %n : tile<1x32xi32, #7>\n"
                "  %m1 = cmpi %c1, %ns {predicate = lt} : tile<1x32xi1, #7>\n"
                "  %m = broadcast %m1 : tile<64x32xi1, #3>\n");
  for (const char *p = "xy"; *p; p++) {
    str_addf(&out, "  %%%cs = splat %%%c : tile<64x32xptr<%s>, #3>\n", *p, *p,
             way->elem);
    str_addf(&out, "  %%%cp = addptr %%%cs, %%o : tile<64x32xptr<%s>, #3>\n",
             *p, *p, way->elem);
  }
  str_addf(&out, "  %%zero = constant {value = 0%s} : tile<64x32x%s, #3>\n",
           *way->elem == 'i' ? "" : ".0", way->elem);
  str_addf(&out, "  %%one = constant {value = 1%s} : tile<64x32x%s, #3>\n",
           *way->elem == 'i' ? "" : ".0", way->elem);
  for (const char *c = way->how; *c; c++) {
    if (*c == 'E') {
      str_add(&out, way->elem);
    } else if (*c == 'B') {
      str_addf(&out, "memdesc<64x32x%s, #1, shared>", way->elem);
    } else {
      str_add_char(&out, *c);
    }
  }
  str_addf(&out, "  %%v = load_shared %%buf : tile<64x32x%s, #2>\n", way->elem);
  str_addf(&out, "  %%b = convert_layout %%v : tile<64x32x%s, #3>\n",
           way->elem);
  str_add(&out, "  free_shared %buf\n  store %yp, %b\n  return\n}\n");
  return str_text(&out);
}

static void check_way(const Way *way, int columns, const char *wants,
                      int times) {
  Arena arena;
  Kit kit;
  arena_init(&arena, &system_allocator);
  const int bytes = way->bits / 8;
  const GpuTest test = {.text = kernel(&arena, way),
                        .target = way->target,
                        .passes = "axis_info,alloc_shared,insert_barriers",
                        .num_args = 3,
                        .args = {{bytes, ROWS * COLUMNS,
                                  bytes == 2   ? 0x3c00
                                  : bytes == 4 ? 0x3f800000
                                               : 0x20,
                                  bytes == 4 ? 0x7fffff : 0x1f},
                                 {bytes, ROWS * COLUMNS, 0x11, 0},
                                 {0, columns, 0, 0}}};
  gpu_same(&kit, &test);
  const int found = count_text(kit.code.data, wants);
  if (found != times) {
    fail_msg("%d of '%s', %d wanted:\n%s", found, wants, times, kit.code.data);
  }
  kit_close(&kit);
  arena_free(&arena);
}

// -- Ways --------------------------------------------------------------------

static const char through_registers[] = "  %l = load %xp : tile<64x32xE, #3>\n"
                                        "  %buf = alloc_shared x(%l) : B\n";
static const char stored[] = "  %l = load %xp : tile<64x32xE, #3>\n"
                             "  %buf = alloc_shared : B\n"
                             "  store_shared %l, %buf\n";
static const char copied[] = "  %buf = alloc_shared : B\n"
                             "  %t = async_copy %xp, %buf : token\n"
                             "  %g = async_commit tokens(%t) : token\n"
                             "  %w = async_wait tokens(%g) {count = 0} : "
                             "token\n";
static const char copied_masked[] =
    "  %buf = alloc_shared : B\n"
    "  %t = async_copy %xp, %buf mask(%m) other(%zero) : token\n"
    "  %g = async_commit tokens(%t) : token\n"
    "  %w = async_wait tokens(%g) {count = 0} : token\n";
static const char copied_ones[] =
    "  %buf = alloc_shared : B\n"
    "  %t = async_copy %xp, %buf mask(%m) other(%one) : token\n"
    "  %g = async_commit tokens(%t) : token\n"
    "  %w = async_wait tokens(%g) {count = 0} : token\n";

// A quarter of 2,048 halves a warp: 512, which are 8 matrices.
static void reads_operands_by_ldmatrix(void **state) {
  (void)state;
  Way way = {"f16", 16, false, false, through_registers, "sm_80"};
  check_way(&way, 32, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4);
  way.operand_b = true;
  check_way(&way, 32, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4);
  way.transposed = true;
  check_way(&way, 32, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4);
  way.operand_b = false;
  check_way(&way, 32, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4);
  const Way words = {"f32", 32, false, false, through_registers, "sm_80"};
  check_way(&words, 32, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 8);
  const Way bytes = {"i8", 8, false, false, stored, "sm_80"};
  check_way(&bytes, 32, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 2);
}

static void copies_in_flight(void **state) {
  (void)state;
  Way way = {"f16", 16, false, false, copied, "sm_80"};
  check_way(&way, 32, "cp.async.cg.shared.global", 2);
  way.how = copied_masked;
  check_way(&way, 16, "cp.async.cg.shared.global", 2);
  check_way(&way, 0, "cp.async.cg.shared.global", 2);
  way.elem = "bf16", way.transposed = way.operand_b = true;
  check_way(&way, 48, "cp.async.cg.shared.global", 2);
  const Way words = {"f32", 32, true, false, copied_masked, "sm_90"};
  check_way(&words, 16, "cp.async.cg.shared.global", 4);
}

// Copies that cp.async cannot do, and targets that have none.
static void copies_at_once(void **state) {
  (void)state;
  Way way = {"f16", 16, false, false, copied_ones, "sm_80"};
  check_way(&way, 16, "shared.global", 0);
  way = (Way){"f16", 16, false, false, copied_masked, "sm_75"};
  check_way(&way, 16, "cp.async", 0);
}

// Only the reads of other warps' elements need a barrier.
static void one_barrier_each(void **state) {
  (void)state;
  const Way way = {"f16", 16, false, false, copied, "sm_80"};
  // Copied and converted back: no barrier before the write, since that is
  // elsewhere.
  check_way(&way, 32, "bar.sync", 2);
}

#define COUNTED(log2_parts)                                                    \
  "#0 = layout<register = [[1], [128], [256]], lane = [[2], [4], [8], "        \
  "[16], [32]], warp = [[64]], block = [] -> 512>\n"                           \
  "#1 = layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], "         \
  "warp = [[32]], block = [] -> 128>\n"                                        \
  "kernel @k(%x: ptr<i32>, %y: ptr<i32>) {num_warps = 2} {\n"                  \
  "  %i = arange {start = 0, end = 128} : tile<128xi32, #1>\n"                 \
  "  %xs = splat %x : tile<128xptr<i32>, #1>\n"                                \
  "  %p = addptr %xs, %i : tile<128xptr<i32>, #1>\n"                           \
  "  %v = load %p : tile<128xi32, #1>\n"                                       \
  "  %h = histogram %v {log2_parts = " log2_parts "} : tile<512xi32, #0>\n"    \
  "  %j = arange {start = 0, end = 512} : tile<512xi32, #0>\n"                 \
  "  %ys = splat %y : tile<512xptr<i32>, #0>\n"                                \
  "  %q = addptr %ys, %j : tile<512xptr<i32>, #0>\n"                           \
  "  store %q, %h\n"                                                           \
  "  return\n"                                                                 \
  "}\n"

// Bins are counted in parts, one after the other, as many as registers can hold
// at once.
static void counts_in_parts(void **state) {
  (void)state;
  static const char *const passes = "alloc_shared,insert_barriers";
  GpuTest test = {.target = "sm_75",
                  .passes = passes,
                  .num_args = 2,
                  .args = {{4, 128, 0, 1023}, {4, 512, 0, 0}}};
  static const char *const texts[] = {COUNTED("0"), COUNTED("1"), COUNTED("2")};
  for (int i = 0; i < 3; i++) {
    Kit kit;
    test.text = texts[i];
    gpu_same(&kit, &test);
    assert_int_equal(count_text(kit.code.data, " red."), 2 << i);
    kit_close(&kit);
  }
  static const char *const refused[] = {COUNTED("3"), COUNTED("30")};
  for (int i = 0; i < 2; i++) {
    Kit kit;
    KitJob job = {&kit, refused[i], "sm_75", EMIT_ASM, passes};
    kit_open(&kit);
    assert_true(arena_protect(&kit.arena, kit_run, &job));
    assert_false(kit.ok);
    assert_non_null(strstr(kit_messages(&kit), "in so many parts"));
    kit_close(&kit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_operands_by_ldmatrix),
      cmocka_unit_test(copies_in_flight),
      cmocka_unit_test(copies_at_once),
      cmocka_unit_test(one_barrier_each),
      cmocka_unit_test(counts_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
