// test_codegen_host.c -- host code against the interpreter, kernel by kernel.
#include "host_tiles.h"

static void adds_vectors(void **state) {
  (void)state;
  const char *text =
      "kernel @add(%x: ptr<f32>, %y: ptr<f32>, %out: ptr<f32>, %n: i32) {\n"
      "  %pid = program_id {axis = 0} : i32\n"
      "  %size = constant {value = 64} : i32\n"
      "  %start = muli %pid, %size : i32\n"
      "  %lanes = arange {start = 0, end = 64} : tile<64xi32>\n"
      "  %starts = splat %start : tile<64xi32>\n"
      "  %offs = addi %starts, %lanes : tile<64xi32>\n"
      "  %ns = splat %n : tile<64xi32>\n"
      "  %mask = cmpi %offs, %ns {predicate = lt} : tile<64xi1>\n"
      "  %xs = splat %x : tile<64xptr<f32>>\n"
      "  %xp = addptr %xs, %offs : tile<64xptr<f32>>\n"
      "  %a = load %xp mask(%mask) : tile<64xf32>\n"
      "  %ys = splat %y : tile<64xptr<f32>>\n"
      "  %yp = addptr %ys, %offs : tile<64xptr<f32>>\n"
      "  %b = load %yp mask(%mask) : tile<64xf32>\n"
      "  %sum = addf %a, %b : tile<64xf32>\n"
      "  %os = splat %out : tile<64xptr<f32>>\n"
      "  %op = addptr %os, %offs : tile<64xptr<f32>>\n"
      "  store %op, %sum mask(%mask)\n"
      "  return\n"
      "}\n";
  const HostArg args[] = {{.count = 1000, .low = -1, .high = 1},
                          {.count = 1000, .low = -1, .high = 1},
                          {.count = 1000},
                          {.scalar = 999}};
  host_same(text, (int64_t[]){16, 1, 1}, args, 0);
}

static void reduces_rows(void **state) {
  (void)state;
  const char *text =
      "kernel @rows(%x: ptr<f32>, %out: ptr<f32>) {\n"
      "  %r = arange {start = 0, end = 8} : tile<8xi32>\n"
      "  %c = arange {start = 0, end = 32} : tile<32xi32>\n"
      "  %r1 = expand_dims %r {axis = 1} : tile<8x1xi32>\n"
      "  %c1 = expand_dims %c {axis = 0} : tile<1x32xi32>\n"
      "  %k = constant {value = 32} : tile<8x1xi32>\n"
      "  %r2 = muli %r1, %k : tile<8x1xi32>\n"
      "  %r3 = broadcast %r2 : tile<8x32xi32>\n"
      "  %c3 = broadcast %c1 : tile<8x32xi32>\n"
      "  %offs = addi %r3, %c3 : tile<8x32xi32>\n"
      "  %xs = splat %x : tile<8x32xptr<f32>>\n"
      "  %p = addptr %xs, %offs : tile<8x32xptr<f32>>\n"
      "  %v = load %p : tile<8x32xf32>\n"
      "  %m = reduce inputs(%v) {axis = 1} : tile<8xf32> (%a: f32, %b: f32) {\n"
      "    %s = maxf %a, %b : f32\n"
      "    yield values(%s)\n"
      "  }\n"
      "  %m1 = expand_dims %m {axis = 1} : tile<8x1xf32>\n"
      "  %m2 = broadcast %m1 : tile<8x32xf32>\n"
      "  %d = subf %v, %m2 : tile<8x32xf32>\n"
      "  %s0 = reduce inputs(%d) {axis = 0} : tile<32xf32> (%a: f32, %b: f32)"
      " {\n"
      "    %s = addf %a, %b : f32\n"
      "    yield values(%s)\n"
      "  }\n"
      "  %os = splat %out : tile<32xptr<f32>>\n"
      "  %op = addptr %os, %c : tile<32xptr<f32>>\n"
      "  store %op, %s0\n"
      "  return\n"
      "}\n";
  const HostArg args[] = {{.count = 256, .low = -1, .high = 1}, {.count = 32}};
  host_same(text, one, args, 1e-6);
}

// LLVM 19.1 divides vectors before it selects among lanes: by a wide shift,
// which is 0; by constants, of which one lane is 0.
static void divides_by_choices(void **state) {
  (void)state;
  static const char *const ops[] = {"divui", "divsi", "remui", "remsi"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "kernel @k(%%x: ptr<i32>, %%y: ptr<i32>) {\n"
             "  %%r = arange {start = 0, end = 16} : tile<16xi32>\n"
             "  %%xs = splat %%x : tile<16xptr<i32>>\n"
             "  %%xp = addptr %%xs, %%r : tile<16xptr<i32>>\n"
             "  %%v = load %%xp : tile<16xi32>\n"
             "  %%c = constant {value = 7} : tile<16xi32>\n"
             "  %%s = shli %%c, %%v : tile<16xi32>\n"
             "  %%t = %s %%c, %%s : tile<16xi32>\n"
             "  %%m = cmpi %%v, %%c {predicate = lt} : tile<16xi1>\n"
             "  %%z = constant {value = 0} : tile<16xi32>\n"
             "  %%d = select %%m, %%z, %%r : tile<16xi32>\n"
             "  %%o = constant {value = 1} : tile<16xi32>\n"
             "  %%u = %s %%o, %%d : tile<16xi32>\n"
             "  %%q = addi %%t, %%u : tile<16xi32>\n"
             "  %%ys = splat %%y : tile<16xptr<i32>>\n"
             "  %%yp = addptr %%ys, %%r : tile<16xptr<i32>>\n"
             "  store %%yp, %%q\n"
             "  return\n"
             "}\n",
             ops[i], ops[i]);
    const HostArg args[] = {{.count = 16, .low = -2, .high = 70},
                            {.count = 16}};
    host_same(text, one, args, 0);
  }
}

// -- Emitted code ------------------------------------------------------------

static const char empty_kernel[] = "kernel @k(%x: ptr<f32>, %n: i64) {\n"
                                   "  return\n"
                                   "}\n";

static void emits_kinds(void **state) {
  (void)state;
  static const struct {
    EmitKind kind;
    const char *contains;
  } cases[] = {{EMIT_LLVM, "define void @kernel_k("}, {EMIT_ASM, "kernel_k:"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    HostKit kit;
    host_parse(&kit, empty_kernel);
    assert_true(codegen_emit(kit.m, target_find("cpu"), cases[i].kind, NULL,
                             &kit.code));
    assert_non_null(strstr(kit.code.data, cases[i].contains));
    assert_int_equal(kit.code.size, strlen(kit.code.data));
    host_close(&kit);
  }
}

// A loop that waits for another program must load again in each trip.
static void looks_again(void **state) {
  (void)state;
  HostKit kit;
  host_parse(&kit, "kernel @k(%x: ptr<i32>) {\n"
                   "  while () {\n"
                   "    %v = load %x {volatile = true} : i32\n"
                   "    %z = constant {value = 0} : i32\n"
                   "    %c = cmpi %v, %z {predicate = eq} : i1\n"
                   "    condition %c\n"
                   "  } () {\n"
                   "    yield\n"
                   "  }\n"
                   "  return\n"
                   "}\n");
  assert_true(
      codegen_emit(kit.m, target_find("cpu"), EMIT_LLVM, NULL, &kit.code));
  const char *loop = strstr(kit.code.data, "while:");
  assert_non_null(loop);
  assert_non_null(strstr(loop, "load i32"));
  host_close(&kit);
}

// Tiles that change places are copied, by a function of that name.
static void is_called_memcpy(void **state) {
  (void)state;
  const HostArg args[] = {
      {.count = 4096, .low = -1, .high = 1}, {.count = 4096}, {.scalar = 3}};
  host_same("kernel @memcpy(%x: ptr<f32>, %y: ptr<f32>, %n: i32) {\n"
            "  %i = arange {start = 0, end = 4096} : tile<4096xi32>\n"
            "  %xs = splat %x : tile<4096xptr<f32>>\n"
            "  %xp = addptr %xs, %i : tile<4096xptr<f32>>\n"
            "  %a = load %xp : tile<4096xf32>\n"
            "  %b = addf %a, %a : tile<4096xf32>\n"
            "  %zero = constant {value = 0} : i32\n"
            "  %one = constant {value = 1} : i32\n"
            "  %r, %q = for %zero, %n, %one init(%a, %b) : "
            "tile<4096xf32>, tile<4096xf32> "
            "(%k: i32, %u: tile<4096xf32>, %v: tile<4096xf32>) {\n"
            "    %w = addf %u, %v : tile<4096xf32>\n"
            "    yield values(%v, %w)\n"
            "  }\n"
            "  %s = subf %r, %q : tile<4096xf32>\n"
            "  %ys = splat %y : tile<4096xptr<f32>>\n"
            "  %yp = addptr %ys, %i : tile<4096xptr<f32>>\n"
            "  store %yp, %s\n"
            "  return\n"
            "}\n",
            one, args, 0);
}

// A kernel of any number of ops, each of which takes the result of the one
// before.
static void chains_ops(void **state) {
  (void)state;
  enum { LENGTH = 10000 };
  HostKit kit = {0};
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  str_add(&text, "kernel @k(%x: ptr<f32>) {\n"
                 "  %i = arange {start = 0, end = 64} : tile<64xi32>\n"
                 "  %xs = splat %x : tile<64xptr<f32>>\n"
                 "  %p = addptr %xs, %i : tile<64xptr<f32>>\n"
                 "  %v0 = load %p : tile<64xf32>\n");
  for (int i = 1; i <= LENGTH; i++) {
    str_addf(&text, "  %%v%d = addf %%v%d, %%v0 : tile<64xf32>\n", i, i - 1);
  }
  str_addf(&text, "  store %%p, %%v%d\n  return\n}\n", LENGTH);
  host_parse(&kit, str_text(&text));
  assert_true(
      codegen_emit(kit.m, target_find("cpu"), EMIT_LLVM, NULL, &kit.code));
  host_close(&kit);
  arena_free(&arena);
}

static void describes_kernels(void **state) {
  (void)state;
  HostKit kit;
  host_parse(&kit, "kernel @a(%x: ptr<f32> {argument = 2}, %n: i64) {\n"
                   "  return\n}\n"
                   "kernel @b(%s: f16) {\n  return\n}\n");
  assert_true(
      codegen_emit(kit.m, target_find("cpu"), EMIT_OBJECT, NULL, &kit.code));
  assert_int_equal(kit.code.num_kernels, 2);
  const KernelInfo *a = &kit.code.kernels[0], *b = &kit.code.kernels[1];
  assert_string_equal(a->symbol, "kernel_a");
  assert_int_equal(a->num_params, 2);
  assert_true(a->params[0].is_pointer);
  assert_int_equal(a->params[0].index, 2);
  assert_int_equal(a->params[1].size, 8);
  assert_int_equal(b->params[0].elem, ELEM_f16);
  assert_int_equal(b->params[0].size, 2);
  assert_int_equal(b->scratch_bytes, 0);
  host_close(&kit);
}

// A kernel that adds up `count` reductions, each of 256 other elements, with
// another factor.
static const char *sums(Arena *arena, const char *name, int count) {
  Str text = str_in(arena);
  str_addf(&text,
           "kernel @%s(%%x: ptr<f32>, %%y: ptr<f32>) {\n"
           "  %%i = arange {start = 0, end = 256} : tile<256xi32>\n"
           "  %%s0 = constant {value = 0.0} : f32\n",
           name);
  for (int i = 1; i <= count; i++) {
    str_addf(&text, "  %%c%d = constant {value = %d} : i32\n", i,
             256 * i - 256);
    str_addf(&text, "  %%q%d = addptr %%x, %%c%d : ptr<f32>\n", i, i);
    str_addf(&text, "  %%t%d = splat %%q%d : tile<256xptr<f32>>\n", i, i);
    str_addf(&text, "  %%p%d = addptr %%t%d, %%i : tile<256xptr<f32>>\n", i, i);
    str_addf(&text, "  %%v%d = load %%p%d : tile<256xf32>\n", i, i);
    str_addf(&text, "  %%f%d = constant {value = %d.5} : tile<256xf32>\n", i,
             i);
    str_addf(&text, "  %%m%d = mulf %%v%d, %%f%d : tile<256xf32>\n", i, i, i);
    str_addf(&text,
             "  %%r%d = reduce inputs(%%m%d) {axis = 0} : f32 "
             "(%%a%d: f32, %%b%d: f32) {\n"
             "    %%e%d = addf %%a%d, %%b%d : f32\n"
             "    yield values(%%e%d)\n  }\n",
             i, i, i, i, i, i, i, i);
    str_addf(&text, "  %%s%d = addf %%s%d, %%r%d : f32\n", i, i - 1, i);
  }
  str_addf(&text, "  store %%y, %%s%d\n  return\n}\n", count);
  return str_text(&text);
}

static int count_of(const char *text, const char *word) {
  int count = 0;
  while ((text = strstr(text, word))) text++, count++;
  return count;
}

static void open_sums(HostKit *kit, int count, int beside) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const char *first = sums(&arena, "k", count);
  const char *other = beside ? sums(&arena, "l", beside) : "";
  host_parse(kit, arena_printf(&arena, "%s%s", first, other));
  assert_true(
      codegen_emit(kit->m, target_find("cpu"), EMIT_LLVM, NULL, &kit->code));
  arena_free(&arena);
}

// A tile that is read only by the loops that load it has no memory.
static void keeps_nothing_of_a_sum(void **state) {
  (void)state;
  HostKit kit;
  open_sums(&kit, 2, 0);
  assert_int_equal(kit.code.kernels[0].scratch_bytes, 0);
  assert_int_equal(count_of(kit.code.data, "store <"), 0);
  host_close(&kit);
}

// LLVM would look at all pairs of many loops in a row; so behind every 16th
// loop the code branches.
static void parts_long_rows(void **state) {
  (void)state;
  for (int count = 15; count <= 31; count += 16) {
    HostKit kit;
    open_sums(&kit, count, 0);
    assert_int_equal(count_of(kit.code.data, "\nother"), count / 16);
    host_close(&kit);
  }
}

// From the 32nd on loops are functions; equal code that differs only in
// constants is one function.  Each loop adds up its own results.
static void calls_functions_for_loops(void **state) {
  (void)state;
  HostKit kit;
  open_sums(&kit, 40, 0);
  assert_int_equal(count_of(kit.code.data, "define internal"), 1);
  assert_int_equal(count_of(kit.code.data, "call fastcc"), 9);
  const char *part = strstr(kit.code.data, "define internal");
  assert_int_equal(count_of(part, "label %loop"), 2);
  assert_int_equal(count_of(part, "= extractelement"), 2);
  assert_non_null(strstr(kit.code.data, ", float 4.050000e+01)"));
  host_close(&kit);
}

// Kernels of few loops do not get such functions.
static void counts_loops_of_one_kernel(void **state) {
  (void)state;
  HostKit alone, beside;
  open_sums(&alone, 17, 0);
  open_sums(&beside, 17, 17);
  const char *start = strstr(alone.code.data, "define");
  const char *end = strstr(start, "\n}\n");
  const char *same = strstr(beside.code.data, "define");
  assert_int_equal(strncmp(start, same, (size_t)(end - start)), 0);
  assert_int_equal(count_of(beside.code.data, "\nother"), 2);
  host_close(&alone);
  host_close(&beside);
}

static void tells_time(void *ctx, const char *stage, double seconds) {
  assert_true(seconds >= 0);
  strcat(strcat(ctx, stage), " ");
}

static void times_stages(void **state) {
  (void)state;
  char stages[64] = "";
  const CodegenOptions options = {.timed = tells_time, .timed_ctx = stages};
  HostKit kit;
  host_parse(&kit, empty_kernel);
  assert_true(
      codegen_emit(kit.m, target_find("cpu"), EMIT_ASM, &options, &kit.code));
  assert_string_equal(stages, "emit optimize codegen ");
  host_close(&kit);
}

// -- Elements that change places ---------------------------------------------

static void joins_and_splits(void **state) {
  (void)state;
  const HostArg args[] = {data_256, data_256, {.count = 256}};
  host_same(
      KERNEL(
          "%x: ptr<f16>, %y: ptr<f16>, %z: ptr<f16>",
          LOAD("a", "x", 8, 16, "f16") LOAD(
              "b", "y", 8, 16,
              "f16") "  %j = join %a, %b : tile<8x16x2xf16>\n"
                     "  %m = mulf %j, %j : tile<8x16x2xf16>\n"
                     "  %s, %t = split %m : tile<8x16xf16>, tile<8x16xf16>\n"
                     "  %c = cat %t, %s {axis = 0} : tile<16x16xf16>\n" STORE(
                         "d", "c", "z", 16, 16, "f16")),
      one, args, 0);
}

static void gathers(void **state) {
  (void)state;
  const HostArg args[] = {
      data_256, {.count = 256, .low = -2, .high = 18}, {.count = 256}};
  host_same(
      KERNEL(
          "%x: ptr<f32>, %i: ptr<i32>, %z: ptr<f32>",
          LOAD("a", "x", 16, 16, "f32") LOAD(
              "b", "i", 16, 16,
              "i32") "  %g = gather %a, %b {axis = 0} : tile<16x16xf32>\n"
                     "  %h = gather %g, %b {axis = 1} : "
                     "tile<16x16xf32>\n"
                     "  %t = trunci %b : tile<16x16xi1>\n"
                     "  %k = gather %h, %t {axis = 1} : "
                     "tile<16x16xf32>\n" STORE("d", "k", "z", 16, 16, "f32")),
      one, args, 0);
}

// An element that is picked for a whole row is available to computations
// outside of the row's loop.
static void repeats_gathered(void **state) {
  (void)state;
  const HostArg args[] = {
      data_256, {.count = 16, .low = 0, .high = 16}, {.count = 1024}};
  host_same(
      KERNEL("%x: ptr<f32>, %i: ptr<i32>, %z: ptr<f32>",
             LOAD("a", "x", 16, 1, "f32") LOAD(
                 "b", "i", 16, 1,
                 "i32") "  %g = gather %a, %b {axis = 0} : tile<16x1xf32>\n"
                        "  %n = negf %g : tile<16x1xf32>\n"
                        "  %w = broadcast %n : tile<16x64xf32>\n" STORE(
                            "d", "w", "z", 16, 64, "f32")),
      one, args, 0);
}

// One half of the pairs has memory of its own; the other half is read from the
// pairs, behind it.
static void splits_late(void **state) {
  (void)state;
  const HostArg data_512 = {.count = 512, .low = -2, .high = 2};
  const HostArg args[] = {data_512, data_512, data_512, data_512};
  host_same(
      KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %w: ptr<f32>",
             LOAD("a", "x", 16, 32,
                  "f32") "  %b = constant {value = 3} : tile<16x16xi32>\n"
                         "  %r = reshape %a : tile<16x16x2xf32>\n"
                         "  %s, %t = split %r : tile<16x16xf32>, "
                         "tile<16x16xf32>\n"
                         "  %g = gather %s, %b {axis = 0} : "
                         "tile<16x16xf32>\n" STORE("c", "g", "x", 16, 16, "f32")
                             LOAD("d", "y", 16, 32, "f32")
                                 LOAD("e", "z", 16, 32,
                                      "f32") "  %q = trans %d {order = [1, 0]} "
                                             ": tile<32x16xf32>\n"
                                             "  %v = trans %e {order = [1, 0]} "
                                             ": tile<32x16xf32>\n"
                                             "  %k = addf %q, %v : "
                                             "tile<32x16xf32>\n" STORE(
                                                 "h", "k", "z", 32, 16, "f32")
                                                 STORE("f", "t", "w", 16, 16,
                                                       "f32")),
      one, args, 0);
}

// -- Unsupported ops ---------------------------------------------------------

static void refuses(const char *text, const char *message) {
  HostKit kit;
  host_parse(&kit, text);
  assert_false(
      codegen_emit(kit.m, target_find("cpu"), EMIT_OBJECT, NULL, &kit.code));
  if (!strstr(host_messages(&kit), message)) {
    fail_msg("expected '%s' in:\n%s", message, host_messages(&kit));
  }
  assert_null(kit.code.data);
  host_close(&kit);
}

static void refuses_the_rest(void **state) {
  (void)state;
  refuses("kernel @k() {\n"
          "  %t = async_commit : token\n"
          "  return\n}\n",
          "t.tir:2:3: error: 'async_commit' is not supported on cpu yet");
  refuses("kernel @k(%x: ptr<f32>) {\n"
          "  %r = arange {start = 0, end = 16} : tile<16xi32>\n"
          "  %s = reduce inputs(%r) {axis = 0} : i32 (%a: i32, %b: i32) {\n"
          "    %p = program_id {axis = 0} : i32\n"
          "    yield values(%p)\n"
          "  }\n"
          "  return\n}\n",
          "'program_id' is not supported in a reduction on cpu yet");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds_vectors),
      cmocka_unit_test(reduces_rows),
      cmocka_unit_test(divides_by_choices),
      cmocka_unit_test(emits_kinds),
      cmocka_unit_test(looks_again),
      cmocka_unit_test(describes_kernels),
      cmocka_unit_test(times_stages),
      cmocka_unit_test(refuses_the_rest),
      cmocka_unit_test(joins_and_splits),
      cmocka_unit_test(gathers),
      cmocka_unit_test(repeats_gathered),
      cmocka_unit_test(splits_late),
      cmocka_unit_test(is_called_memcpy),
      cmocka_unit_test(chains_ops),
      cmocka_unit_test(keeps_nothing_of_a_sum),
      cmocka_unit_test(parts_long_rows),
      cmocka_unit_test(calls_functions_for_loops),
      cmocka_unit_test(counts_loops_of_one_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
