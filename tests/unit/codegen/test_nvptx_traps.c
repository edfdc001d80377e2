// test_nvptx_traps.c -- traps of LLVM's NVPTX back end.
//
// docs/testing.md tabulates the traps; the numbers here are its rows.
#include "codegen/llvm/output.h"
#include "nvptx_kit.h"
#include "tests/unit/arena_test.h"

// %s is the sum of %v.
#define SUM_OF_V                                                               \
  "  %s = reduce inputs(%v) {axis = 0} : f32 (%a: f32, %b: f32) {\n"           \
  "    %c = addf %a, %b : f32\n"                                               \
  "    yield values(%c)\n"                                                     \
  "  }\n"

// A kernel over a tile of N f32: %v is loaded, %r is stored.
static const char *kernel(int n, int warps, const char *body) {
  return arena_printf(
      &arena,
      "kernel @k(%%x: ptr<f32> {divisibility = [16]}, %%n: i32) "
      "{num_warps = %d} {\n"
      "  %%i = arange {start = 0, end = %d} : tile<%dxi32>\n"
      "  %%xs = splat %%x : tile<%dxptr<f32>>\n"
      "  %%p = addptr %%xs, %%i : tile<%dxptr<f32>>\n"
      "  %%v = load %%p : tile<%dxf32>\n"
      "%s"
      "  store %%p, %%r\n"
      "  return\n"
      "}\n",
      warps, n, n, n, n, n, body);
}

// -- 1, 2, 14: errors of the back end ----------------------------------------

typedef struct {
  DiagList diags;
  bool verified, ok;
  LLVMDiagnosticHandler handler; // ours, in front of which `watch` stands
  void *context;
  bool called, allocates;
} BadCode;

// The handler runs inside of LLVM's frames, where an allocation of ours that
// fails would jump over them.
static void watch(LLVMDiagnosticInfoRef info, void *data) {
  BadCode *bad = data;
  const Arena before = arena;
  bad->handler(info, bad->context);
  bad->called = true;
  bad->allocates |= memcmp(&before, &arena, sizeof before) != 0;
}

// No register is named `none`: an error of the back end.
static void emit_bad_assembly(void *data) {
  BadCode *bad = data;
  Emit *e = arena_new(&arena, Emit);
  e->arena = &arena;
  e->diags = &bad->diags;
  e->target = target_find("sm_80");
  const LlvmConfig config = {.target = e->target};
  if (!llvm_open(&e->llvm, &config, &arena, e->diags)) return;
  e->b = e->llvm.builder;
  LLVMTypeRef f32 = LLVMFloatTypeInContext(e->llvm.context);
  LLVMTypeRef type = LLVMFunctionType(f32, &f32, 1, 0);
  LLVMValueRef f = LLVMAddFunction(e->llvm.module, "f", type);
  LLVMPositionBuilderAtEnd(
      e->b, LLVMAppendBasicBlockInContext(e->llvm.context, f, ""));
  LLVMValueRef x = LLVMGetParam(f, 0);
  char text[] = "mov.b32 $0, $1;", constraints[] = "={none},f";
  LLVMValueRef move =
      LLVMGetInlineAsm(type, text, strlen(text), constraints,
                       strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuildRet(e->b, LLVMBuildCall2(e->b, type, move, &x, 1, ""));
  bad->verified = output_verify(e);
  bad->handler = LLVMContextGetDiagnosticHandler(e->llvm.context);
  bad->context = LLVMContextGetDiagnosticContext(e->llvm.context);
  if (bad->handler)
    LLVMContextSetDiagnosticHandler(e->llvm.context, watch, bad);
  CompiledCode code = {0};
  bad->ok = output_write(e, EMIT_ASM, &code);
  llvm_close(&e->llvm);
}

static void an_error_of_the_back_end_is_a_diagnostic(void **state) {
  (void)state;
  BadCode bad = {.ok = true};
  diag_init(&bad.diags, &arena);
  assert_true(arena_protect(&arena, emit_bad_assembly, &bad));
  assert_true(bad.verified);
  assert_false(bad.ok);
  assert_int_equal(bad.diags.num_errors, 1);
  assert_true(bad.called && !bad.allocates);
}

// -- 4: names of chips -------------------------------------------------------

static void every_target_is_known_to_llvm(void **state) {
  (void)state;
  const char *text = kernel(128, 4,
                            "  %r = addf %v, %v : "
                            "tile<128xf32>\n");
  for (int i = 0; i < target_count; i++) {
    const char *name = target_table[i].name;
    if (!target_table[i].is_gpu) continue;
    Kit kit;
    const char *ptx = kit_ptx(&kit, text, name);
    assert_non_null(strstr(ptx, arena_printf(&arena, "\n.target %s\n", name)));
    kit_close(&kit);
  }
  assert_null(target_find("sm_99"));
}

// -- 5, 10: shuffles and branches --------------------------------------------

// If branches diverge, two edges into `join` must not be led around it: each
// half of a warp would execute the code behind it separately.
static const char diamond[] =
    "declare void @either()\n"
    "define void @f(i1 %c) {\n"
    "  br i1 %c, label %yes, label %no\n"
    "yes:\n  call void @either()\n  br label %join\n"
    "no:\n  br label %join\n"
    "join:\n"
    "  %p = phi i1 [ true, %yes ], [ false, %no ]\n"
    "  br i1 %p, label %then, label %done\n"
    "then:\n"
    "  %x = call i32 asm sideeffect \"shfl.sync\", \"=r\"() convergent\n"
    "  br label %done\n"
    "done:\n  ret void\n"
    "}\n";

static void the_middle_end_knows_the_target(void **state) {
  (void)state;
  Llvm llvm;
  DiagList diags;
  diag_init(&diags, &arena);
  const LlvmConfig config = {.target = target_find("sm_80"), .seed = diamond};
  assert_true(llvm_open(&llvm, &config, &arena, &diags));
  assert_true(llvm_run_passes(&llvm, "function(jump-threading)", &diags));
  LLVMValueRef f = LLVMGetNamedFunction(llvm.module, "f");
  assert_int_equal(LLVMCountBasicBlocks(f), 6);
  llvm_close(&llvm);
}

// The code of stores and atomics; test_gpu_pipeline.c looks at copies and
// products.
static void assembly_stays_where_it_is(void **state) {
  (void)state;
  const char *text = kernel(
      128, 4,
      SUM_OF_V "  %t = splat %s : tile<128xf32>\n"
               "  %r = atomic_rmw %p, %t {kind = fadd} : tile<128xf32>\n");
  Kit kit;
  kit_compile(&kit, text, "sm_80", EMIT_LLVM);
  if (!kit.ok) fail_msg("%s", kit_messages(&kit));
  check_asm(&kit, "st.shared.b32");
  check_asm(&kit, "atom.");
  kit_close(&kit);
}

// The sum is used under a condition only; every lane must shuffle before it.
static void shuffles_stay_out_of_branches(void **state) {
  (void)state;
  const char *text =
      kernel(32, 1,
             SUM_OF_V "  %zero = constant {value = 0} : i32\n"
                      "  %some = cmpi %n, %zero {predicate = gt} : i1\n"
                      "  %t = if %some : f32 () {\n"
                      "    yield values(%s)\n"
                      "  } () {\n"
                      "    %half = constant {value = 0.5} : f32\n"
                      "    yield values(%half)\n"
                      "  }\n"
                      "  if %some () {\n"
                      "    store %x, %s\n"
                      "    yield\n"
                      "  } () {\n"
                      "    yield\n"
                      "  }\n"
                      "  %r = splat %t : tile<32xf32>\n");
  Kit kit;
  const char *ptx = kit_ptx(&kit, text, "sm_80");
  const char *branch = strstr(ptx, "bra"), *last = NULL;
  for (const char *at = ptx; (at = strstr(at, "shfl.sync")); at++) last = at;
  assert_non_null(last);
  assert_int_equal(count_text(ptx, "shfl.sync"), 5);
  assert_true(!branch || last < branch);
  kit_close(&kit);
}

// -- 6: shared pointers ------------------------------------------------------

// The beginning of the line that has the text.
static const char *line_of(const char *text, const char *what) {
  const char *at = strstr(text, what);
  while (at && at > text && at[-1] != '\n') at--;
  return at;
}

static void shared_pointers_have_32_bits(void **state) {
  (void)state;
  const char *text =
      kernel(128, 4, SUM_OF_V "  %r = splat %s : tile<128xf32>\n");
  Kit kit;
  const char *ptx = kit_ptx(&kit, text, "sm_80");
  assert_non_null(strstr(ptx, "st.shared.b32 [%r"));
  assert_null(strstr(ptx, "st.shared.b32 [%rd"));
  assert_int_equal(count_text(ptx, ", tile_shared;"), 1);
  const char *line = line_of(ptx, ", tile_shared;");
  assert_memory_equal(line, "\tmov.", 5); // u32 or, since LLVM 21, b32
  assert_memory_equal(line + 6, "32 ", 3);
  assert_int_equal(kit.code.kernels[0].shared_bytes, 16);
  assert_int_equal(kit.code.kernels[0].num_warps, 4);
  kit_close(&kit);
}

// -- 8: atomics --------------------------------------------------------------

static void atomics_keep_order_and_scope(void **state) {
  (void)state;
  static const char text[] =
      "kernel @k(%p: ptr<i32>, %x: i32) {\n"
      "  %a = atomic_rmw %p, %x {kind = add} : i32\n"
      "  %b = atomic_rmw %p, %x {kind = umax, scope = sys, sem = relaxed} : "
      "i32\n"
      "  %c = atomic_cas %p, %x, %x {scope = cta, sem = release} : i32\n"
      "  return\n"
      "}\n";
  Kit kit;
  const char *ptx = kit_ptx(&kit, text, "sm_80");
  assert_non_null(strstr(ptx, "atom.acq_rel.gpu.global.add.u32"));
  assert_non_null(strstr(ptx, "atom.relaxed.sys.global.max.u32"));
  assert_non_null(strstr(ptx, "atom.release.cta.global.cas.b32"));
  if (have_ptxas()) check_ptxas(ptx, "sm_80");
  kit_close(&kit);
}

// -- 9: arithmetic -----------------------------------------------------------

static void arithmetic_is_that_of_the_chip(void **state) {
  (void)state;
  const char *text = kernel(128, 4,
                            "  %a = divf %v, %v : tile<128xf32>\n"
                            "  %b = exp2 %a : tile<128xf32>\n"
                            "  %c = exp %b : tile<128xf32>\n"
                            "  %d = log2 %c : tile<128xf32>\n"
                            "  %e = sqrt %d : tile<128xf32>\n"
                            "  %f = rsqrt %e : tile<128xf32>\n"
                            "  %g = mulf %f, %v : tile<128xf32>\n"
                            "  %r = addf %g, %v : tile<128xf32>\n");
  static const char *const wanted[] = {
      "div.full.f32",    "ex2.approx.ftz.f32", "lg2.approx.ftz.f32",
      "sqrt.approx.f32", "rsqrt.approx.f32",   "fma.rn.f32"};
  Kit kit;
  const char *ptx = kit_ptx(&kit, text, "sm_80");
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    if (!strstr(ptx, wanted[i])) fail_msg("no %s in\n%s", wanted[i], ptx);
  }
  assert_null(strstr(ptx, "div.rn"));
  assert_null(strstr(ptx, "call"));
  kit_close(&kit);
}

static void no_library_function_is_called(void **state) {
  (void)state;
  const char *text = kernel(128, 4,
                            "  %a = sin %v : tile<128xf32>\n"
                            "  %b = cos %a : tile<128xf32>\n"
                            "  %c = tanh %b : tile<128xf32>\n"
                            "  %d = erf %c : tile<128xf32>\n"
                            "  %e = log %d : tile<128xf32>\n"
                            "  %r = remf %e, %v : tile<128xf32>\n");
  static const char *const bad[] = {"llvm.sin", "llvm.cos",  "llvm.exp",
                                    "llvm.log", "llvm.pow",  "frem",
                                    "__nv_",    "llvm.tanh", "@fmod"};
  Kit kit;
  kit_compile(&kit, text, "sm_80", EMIT_LLVM);
  assert_true(kit.ok);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (strstr(kit.code.data, bad[i])) fail_msg("%s is there", bad[i]);
  }
  kit_close(&kit);
}

// -- 11, 13: large tiles -----------------------------------------------------

static const char double_it[] = "  %%r = addf %%v, %%v : tile<%dxf32>\n";

static void large_tiles_are_not_vectorised(void **state) {
  (void)state;
  const char *body = arena_printf(&arena, double_it, 16384);
  Kit kit;
  kit_compile(&kit, kernel(16384, 1, body), "sm_80", EMIT_LLVM);
  assert_true(kit.ok);
  assert_null(strstr(kit.code.data, "fadd contract <"));
  assert_int_equal(count_text(kit.code.data, "fadd contract float"), 512);
  assert_int_equal(kit.diags.num_warnings, 0);
  kit_close(&kit);
}

// LLVM would vectorise two of 16 bits, on chips that can add them.
static void small_integers_are_not_vectorised(void **state) {
  (void)state;
  static const char text[] =
      "kernel @k(%x: ptr<i16> {divisibility = [16]}) {num_warps = 1} {\n"
      "  %i = arange {start = 0, end = 16384} : tile<16384xi32>\n"
      "  %xs = splat %x : tile<16384xptr<i16>>\n"
      "  %p = addptr %xs, %i : tile<16384xptr<i16>>\n"
      "  %v = load %p : tile<16384xi16>\n"
      "  %m = muli %v, %v : tile<16384xi16>\n"
      "  %r = addi %m, %v : tile<16384xi16>\n"
      "  store %p, %r\n"
      "  return\n"
      "}\n";
  Kit kit;
  kit_compile(&kit, text, "sm_90", EMIT_LLVM);
  assert_true(kit.ok);
  assert_null(strstr(kit.code.data, "mul <"));
  assert_int_equal(count_text(kit.code.data, " = mul i16"), 512);
  kit_close(&kit);
}

static void too_many_elements_a_thread_are_told(void **state) {
  (void)state;
  const char *body = arena_printf(&arena, double_it, 32768);
  Kit kit;
  kit_compile(&kit, kernel(32768, 1, body), "sm_80", EMIT_LLVM);
  assert_true(kit.ok);
  assert_int_equal(kit.diags.num_warnings, 1);
  assert_non_null(strstr(kit_messages(&kit), "1024 elements a thread"));
  kit_close(&kit);

  body = arena_printf(&arena, double_it, 131072);
  kit_compile(&kit, kernel(131072, 1, body), "sm_80", EMIT_ASM);
  assert_false(kit.ok);
  assert_int_equal(kit.diags.num_errors, 1);
  assert_non_null(strstr(kit_messages(&kit), "4096 elements a thread"));
  kit_close(&kit);
}

// Two bytes as one word once went through the stack.
static void bytes_do_not_go_through_memory(void **state) {
  (void)state;
  static const char *const sizes[] = {"256", "512", "1024", "2048"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    Str text = str_in(&arena);
    str_addf(&text,
             "kernel @k(%%x: ptr<i8> {divisibility = [16]}) {num_warps = 4} {\n"
             "  %%i = arange {start = 0, end = %s} : tile<%sxi32>\n"
             "  %%xs = splat %%x : tile<%sxptr<i8>>\n"
             "  %%p = addptr %%xs, %%i : tile<%sxptr<i8>>\n"
             "  %%v = load %%p : tile<%sxi8>\n"
             "  %%r = addi %%v, %%v : tile<%sxi8>\n"
             "  store %%p, %%r\n"
             "  return\n"
             "}\n",
             sizes[i], sizes[i], sizes[i], sizes[i], sizes[i], sizes[i]);
    Kit kit;
    const char *ptx = kit_ptx(&kit, str_text(&text), "sm_80");
    assert_null(strstr(ptx, "local"));
    assert_int_equal(count_text(ptx, "ld.global"), 1);
    assert_int_equal(count_text(ptx, "st.global"), 1);
    kit_close(&kit);
  }
}

// -- Missing instructions ----------------------------------------------------

static void wrong_ops_are_diagnostics(void **state) {
  (void)state;
  const char *text = kernel(1024, 4,
                            "  %r = inline_asm args(%v) {assembly = \"mov.b32 "
                            "$0, $2;\", constraints = \"=f,f\", pack = 1} : "
                            "tile<1024xf32>\n");
  Kit kit;
  kit_compile(&kit, text, "sm_80", EMIT_ASM);
  assert_false(kit.ok);
  assert_null(kit.code.data);
  assert_non_null(strstr(kit_messages(&kit),
                         "t.tir:6:3: error: '$2;' in this assembly is none of "
                         "its 2 operands"));
  kit_close(&kit);
}

static void layouts_must_be_for_the_target(void **state) {
  (void)state;
  static const char text[] =
      "#0 = layout<register = [], lane = [[1], [2]], warp = [], block = [] -> "
      "4>\n"
      "kernel @k() {num_warps = 1} {\n"
      "  %i = arange {start = 0, end = 4} : tile<4xi32, #0>\n"
      "  device_print values(%i) {message = \"\"}\n"
      "  return\n"
      "}\n";
  Kit kit;
  KitJob job = {&kit, text, "sm_80", EMIT_ASM, NULL};
  kit_open(&kit);
  Source *source = source_create(&kit.arena, "t.tir", text, strlen(text));
  assert_true(module_parse(kit.m, source));
  assert_false(
      codegen_emit(kit.m, target_find(job.target), job.kind, NULL, &kit.code));
  assert_non_null(strstr(kit_messages(&kit), "not for 1 warps of 32 lanes"));
  kit_close(&kit);
}

static void output_is_the_same_each_time(void **state) {
  (void)state;
  const char *text = kernel(2048, 4, "  %r = exp %v : tile<2048xf32>\n");
  Kit a, b;
  assert_string_equal(kit_ptx(&a, text, "sm_90"), kit_ptx(&b, text, "sm_90"));
  kit_close(&a);
  kit_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_of_the_back_end_is_a_diagnostic),
      cmocka_unit_test(every_target_is_known_to_llvm),
      cmocka_unit_test(the_middle_end_knows_the_target),
      cmocka_unit_test(assembly_stays_where_it_is),
      cmocka_unit_test(shuffles_stay_out_of_branches),
      cmocka_unit_test(shared_pointers_have_32_bits),
      cmocka_unit_test(atomics_keep_order_and_scope),
      cmocka_unit_test(arithmetic_is_that_of_the_chip),
      cmocka_unit_test(no_library_function_is_called),
      cmocka_unit_test(large_tiles_are_not_vectorised),
      cmocka_unit_test(small_integers_are_not_vectorised),
      cmocka_unit_test(too_many_elements_a_thread_are_told),
      cmocka_unit_test(bytes_do_not_go_through_memory),
      cmocka_unit_test(wrong_ops_are_diagnostics),
      cmocka_unit_test(layouts_must_be_for_the_target),
      cmocka_unit_test(output_is_the_same_each_time),
  };
  return cmocka_run_group_tests(tests, arena_set_up, arena_tear_down);
}
