// test_sim_checks.c -- planted bugs are reported; right kernels that differ in
// one line are not.
#include <stdio.h>
#include <time.h>

#include "sim_kit.h"

typedef struct {
  unsigned num_ctas;
  const char *kinds; // kinds of reports of the wrong body
  int error;
  const char *before, *right, *wrong, *after;
} Planted;

static const char *const async_kinds[] = {
#define PLANTED(kind, ...) kind,
#include "tests/sim/planted_async.def"
#define PLANTED(kind, ...) kind,
#include "tests/sim/planted_cluster.def"
#define PLANTED(name, body, kinds, ...) kinds,
#include "tests/sim/planted_maps.def"
};

static const Planted planted[] = {
#define PLANTED(...) {__VA_ARGS__},
#include "tests/sim/planted.def"
};

// A kernel around the body, with the variables of planted.def.
static CUmodule load(const char *body) {
  static char text[1 << 14];
  snprintf(
      text, sizeof text,
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".const .align 8 .b32 table[4] = {1, 2, 3, 4};\n"
      ".global .b8 message[7] = {120, 32, 62, 32, 48};\n"
      ".global .b8 file[9] = {99, 104, 101, 99, 107, 46, 99, 117};\n"
      ".extern .func __assertfail(.param .b64 message, .param .b64 file,\n"
      " .param .b32 line, .param .b64 function, .param .b64 size);\n"
      ".extern .func (.param .b64 block) malloc(.param .b64 size);\n"
      ".extern .func free(.param .b64 block);\n"
      ".func down(.reg .b32 %%n) {\n"
      ".reg .pred %%p; .reg .b32 %%m; setp.eq.u32 %%p, %%n, 0; @%%p ret;\n"
      "sub.u32 %%m, %%n, 1; call down, (%%m); ret; }\n"
      ".func check(.reg .b32 %%x) {\n"
      ".reg .pred %%p; .reg .b64 %%m; setp.ne.u32 %%p, %%x, 0; @%%p ret;\n"
      ".param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"
      ".param .b64 e; mov.u64 %%m, message; st.param.b64 [a], %%m;\n"
      "mov.u64 %%m, file; st.param.b64 [b], %%m; st.param.b32 [c], 7; "
      "st.param.b64 [d], %%m;\n"
      "st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e);\nret; }\n"
      ".visible .entry k(.param .u64 out_p, .param .u64 in_p,\n"
      " .param .u64 gone_p) {\n"
      ".reg .b32 %%r<30>; .reg .b64 %%d<9>; .reg .b16 %%h<9>;\n"
      ".reg .pred %%p<9>; .reg .b64 %%out, %%in, %%gone; .reg .b32 %%t;\n"
      "ld.param.u64 %%out, [out_p]; ld.param.u64 %%in, [in_p];\n"
      "ld.param.u64 %%gone, [gone_p]; mov.u32 %%t, %%tid.x;\n%s\nret;\n}\n",
      body);
  return kit_load_text(text);
}

static void reopen(void) {
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxPushCurrent_v2(context);
}

static int run_block(const char *body, unsigned num_ctas,
                     unsigned num_threads) {
  CUmodule module = load(body);
  static const char zeros[256];
  CUdeviceptr out = kit_upload(zeros, 256), in = kit_upload(zeros, 256);
  CUdeviceptr gone = kit_upload(zeros, 256);
  void *params[] = {&out, &in, &gone};
  assert_int_equal(cuMemFree_v2(gone), 0);
  const int error =
      kit_run(module, "k", (KitShape){{num_ctas}, {num_threads}, 0}, params);
  cuMemFree_v2(out); // fails after a fault
  cuMemFree_v2(in);
  reopen(); // a fault ends the context
  return error;
}

static int run_text(const char *body, unsigned num_ctas) {
  return run_block(body, num_ctas, 64);
}

static void run_planted(const Planted *p) {
  char body[4096];
  if (strcmp(p->kinds, "budget") == 0 || strstr(p->kinds, "deadlock") ||
      strcmp(p->kinds, "endless-wait") == 0)
    setenv("TILE_SIM_BUDGET", "50000", 1);
  else
    unsetenv("TILE_SIM_BUDGET");
  // No schedule fixes the order in which the host runs its threads.
  if (p->num_ctas > 1)
    setenv("TILE_SIM_THREADS", "1", 1);
  else
    unsetenv("TILE_SIM_THREADS");
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before, p->right, p->after);
  const int clean = run_text(body, p->num_ctas);
  const char *none = kit_reports();
  if (clean || *none)
    fail_msg("error %d, '%s' of the right kernel:\n%s", clean, none, body);
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before, p->wrong, p->after);
  const int error = run_text(body, p->num_ctas);
  const char *found = kit_reports();
  if (error != p->error || !kit_only_kinds(found, p->kinds))
    fail_msg("error %d, '%s', not %d, '%s':\n%s", error, found, p->error,
             p->kinds, body);
}

static void test_planted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
    run_planted(&planted[i]);
}

// Memory that the host does not free; a number is a size to allocate, or, if
// negative, an allocation to free.
typedef struct {
  size_t sizes[3];
  int freed;
  const char *text;
} Leak;

static const Leak leaks[] = {
    {{100}, 0, "1 allocation of 100 bytes"},
    {{100, 28}, 0, "2 allocations of 128 bytes"},
    {{1, 2, 3}, 2, "1 allocation of 3 bytes"},
};

static void run_leak(const Leak *leak, bool free_all) {
  for (int i = 0; i < 3 && leak->sizes[i]; i++) {
    CUdeviceptr address = kit_upload(NULL, leak->sizes[i]);
    if (free_all || i < leak->freed) assert_int_equal(cuMemFree_v2(address), 0);
  }
  reopen();
}

static void test_leaks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
    run_leak(&leaks[i], true);
    assert_string_equal(kit_reports(), "");
    run_leak(&leaks[i], false);
    assert_non_null(strstr(kit_report_text(), leaks[i].text));
    assert_string_equal(kit_reports(), "leak ");
  }
}

// Six warps read a word; the last one writes it, and awaits only four of the
// others.
static void test_many_readers(void **state) {
  (void)state;
  for (unsigned forgotten = 0; forgotten <= 6; forgotten++) {
    char body[1024];
    snprintf(body, sizeof body,
             ".shared .align 4 .b32 s; shr.u32 %%r1, %%t, 5;\n"
             "setp.eq.u32 %%p1, %%t, 0; @%%p1 st.shared.u32 [s], 1;\n"
             "bar.sync 0; setp.eq.u32 %%p1, %%r1, 6; @%%p1 bra W;\n"
             "ld.shared.u32 %%r2, [s]; setp.eq.u32 %%p1, %%r1, %u;\n"
             "@%%p1 bra E; bar.arrive 1, %u; E: exit;\n"
             "W: bar.sync 1, %u; setp.eq.u32 %%p1, %%t, 192;\n"
             "@%%p1 st.shared.u32 [s], 5;",
             forgotten, forgotten < 6 ? 192 : 224, forgotten < 6 ? 192 : 224);
    const int error = run_block(body, 1, 224);
    assert_int_equal(error, forgotten < 6 ? 719 : 0);
    assert_string_equal(kit_reports(), forgotten < 6 ? "race " : "");
  }
}

// The same in global memory, between CTAs; the CTA that is not awaited may read
// only a byte.
static void run_far_readers(unsigned forgotten, const char *load) {
  char body[1024];
  snprintf(body, sizeof body,
           "mov.u32 %%r1, %%ctaid.x; setp.eq.u32 %%p1, %%r1, 6;\n"
           "@%%p1 bra W; setp.eq.u32 %%p2, %%r1, %u; @%%p2 bra F;\n"
           "ld.global.u32 %%r2, [%%out+64];\n"
           "red.release.gpu.global.add.u32 [%%in], 1; exit;\n"
           "F: %s; red.relaxed.gpu.global.add.u32 [%%in], 1; exit;\n"
           "W: ld.acquire.gpu.global.u32 %%r2, [%%in];\n"
           "setp.ne.u32 %%p1, %%r2, 6; @%%p1 bra W;\n"
           "st.global.u32 [%%out+64], 5;",
           forgotten, load);
  const int error = run_block(body, 7, 1);
  assert_int_equal(error, forgotten < 6 ? 719 : 0);
  assert_string_equal(kit_reports(), forgotten < 6 ? "race " : "");
}

static void test_far_readers(void **state) {
  (void)state;
  for (unsigned forgotten = 0; forgotten <= 6; forgotten++) {
    run_far_readers(forgotten, "ld.global.u32 %r2, [%out+64]");
    run_far_readers(forgotten, "ld.global.u8 %r2, [%out+64]");
  }
}

// A fault in a function of a library, called by one of the kernel's file, which
// the kernel calls.
static void test_inlined(void **state) {
  (void)state;
  uint32_t out[1];
  CUmodule module = kit_load_text(
      ".version 7.4\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 out) {\n.reg .b64 %d; .reg .b32 %r<2>;\n"
      ".shared .b32 s; ld.param.u64 %d, [out];\n.loc 1 41 5\n"
      ".loc 1 20 3, function_name $i0, inlined_at 1 41 5\n"
      ".loc 2 9 1, function_name $i1+4, inlined_at 1 20 3\n"
      ".loc 3 7 1, function_name $i2, inlined_at 2 9 1\n"
      "ld.shared.b32 %r1, [s];\n"
      ".loc 1 42 5\nst.global.b32 [%d+4], %r1;\nret;\n}\n"
      ".file 1 \"kernel.cu\"\n.file 2 \"outer.h\"\n.file 3 \"inner.h\"\n");
  assert_int_equal(kit_map(module, 1, NULL, 4, out, sizeof out), 719);
  const char *text = kit_report_text();
  assert_non_null(strstr(text, "\"file\":\"inner.h\",\"line\":7,"
                               "\"inlined_at_file\":\"kernel.cu\","
                               "\"inlined_at_line\":20,"));
  assert_non_null(strstr(text, "\"file\":\"kernel.cu\",\"line\":42,\"text\""));
  assert_string_equal(kit_reports(), "uninitialised out-of-bounds ");
  reopen();
}

// Five programs for each kind of report.
static void test_every_kind(void **state) {
  (void)state;
  static const char *const kinds[] = {
#define KIND(id, spelling, error, fatal, text) spelling,
#include "runtime/simulator/base/kinds.def"
  };
  // Kinds of rows that other tests run.
  static const char *const elsewhere[] = {
#define PLANTED_WGMMA(threads, kinds, error, before, right, wrong, after) kinds,
#include "tests/sim/planted_wgmma.def"
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t count =
        strcmp(kinds[i], "leak") == 0 ? sizeof leaks / sizeof *leaks : 0;
    for (size_t j = 0; j < sizeof planted / sizeof *planted; j++)
      count += strcmp(planted[j].kinds, kinds[i]) == 0;
    for (size_t j = 0; j < sizeof elsewhere / sizeof *elsewhere; j++)
      count += strcmp(elsewhere[j], kinds[i]) == 0;
    for (size_t j = 0; j < sizeof async_kinds / sizeof *async_kinds; j++)
      count += strcmp(async_kinds[j], kinds[i]) == 0;
    if (count < 5) fail_msg("%zu planted '%s'", count, kinds[i]);
  }
}

// Every call fails until the context is destroyed, as with the real driver.
static void test_sticky(void **state) {
  (void)state;
  CUmodule module = kit_load_body("trap;");
  CUdeviceptr out = kit_upload(NULL, 256);
  void *params[] = {&out, &out};
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 719);
  assert_int_equal(cuMemAlloc_v2(&out, 16), 719);
  reopen();
  assert_int_equal(cuMemAlloc_v2(&out, 16), 0);
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(cuMemFree_v2(out), 1);
  kit_reports();
}

// The report of an address outside names the nearest allocation.
static void test_nearest(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"ld.global.u32 %r1, [%out+256];",
       ": byte 256 of argument 0 (256 bytes)"},
      {"ld.global.u32 %r1, [%in+-4];",
       ": 4 bytes before argument 1 (256 bytes)"},
      {"st.global.u8 [%in+-1], %r1;", ": 1 byte before argument 1 (256 bytes)"},
      {"ld.global.u32 %r1, [%in+252];ld.global.u32 %r1, [%in+260];",
       ": byte 260 of argument 1 (256 bytes)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(run_text(rows[i][0], 1), 700);
    const char *text = kit_report_text();
    if (!strstr(text, rows[i][1])) fail_msg("%s: %s", rows[i][0], text);
    assert_string_equal(kit_reports(), "out-of-bounds ");
  }
}

// A kernel that runs for too long: the report is about the thread that runs,
// not those that wait.
static void test_budget_place(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"shr.u32 %r1, %t, 5; setp.ne.u32 %p1, %r1, 0;",
       "\"warp\":0,\"lane\":0,"},
      {"setp.ne.u32 %p1, %t, 0;", "\"warp\":0,\"lane\":0,"},
      {"setp.ne.u32 %p1, %t, 40;", "\"warp\":1,\"lane\":8,"},
  };
  setenv("TILE_SIM_BUDGET", "100000", 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char body[256];
    snprintf(body, sizeof body,
             "%s @%%p1 bra D; mov.u32 %%r2, 0;\n"
             "W: add.u32 %%r2, %%r2, 1; bra W;\nD: bar.sync 0;",
             rows[i][0]);
    assert_int_equal(run_text(body, 1), 702);
    const char *text = kit_report_text();
    if (!strstr(text, rows[i][1]) || !strstr(text, "\"ptx_line\":28"))
      fail_msg("%s: %s", rows[i][0], text);
    assert_string_equal(kit_reports(), "budget ");
  }
  unsetenv("TILE_SIM_BUDGET");
}

// Reads of unwritten global memory are reported only on request; a copy copies
// the marks, too.
static void test_uninitialised_global(void **state) {
  (void)state;
  CUmodule module =
      kit_load_body("mul.wide.u32 %d1, %t, 4; add.u64 %d2, %out, %d1;"
                    "add.u64 %d3, %in, %d1; ld.global.u32 %r1, [%d3];"
                    "st.global.u32 [%d2], %r1;");
  const KitShape shape = {{1}, {64}, 0};
  static const char *const settings[] = {"usual", "all", "none"};
  for (int i = 0; i < 3; i++) {
    setenv("TILE_SIM_CHECKS", settings[i], 1);
    CUdeviceptr out = kit_upload(NULL, 256), in = kit_upload(NULL, 256);
    void *params[] = {&out, &in}, *copied[] = {&in, &out};
    const char *found = i == 1 ? "uninitialised " : "";
    assert_int_equal(cuMemsetD8_v2(in, 0, 255), 0);
    assert_int_equal(kit_run(module, "k", shape, params), i == 1 ? 719 : 0);
    assert_string_equal(kit_reports(), found);
    assert_int_equal(kit_run(module, "k", shape, copied), 0);
    assert_string_equal(kit_reports(), "");
    assert_int_equal(cuMemFree_v2(in), 0);
    in = kit_upload(NULL, 256);
    assert_int_equal(cuMemcpyDtoD_v2(out, in, 256), 0);
    assert_int_equal(kit_run(module, "k", shape, copied), i == 1 ? 719 : 0);
    assert_string_equal(kit_reports(), found);
    assert_int_equal(cuMemFree_v2(in), 0);
    assert_int_equal(cuMemFree_v2(out), 0);
  }
  unsetenv("TILE_SIM_CHECKS");
}

// By the manual a shuffle does not order accesses of memory.
static void test_strict(void **state) {
  (void)state;
  static const char *const meetings[] = {
      "shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;", "bar.warp.sync -1;"};
  for (int i = 0; i < 4; i++) {
    char body[400];
    snprintf(body, sizeof body,
             ".shared .b32 s[32]; mov.u32 %%r1, s; shl.b32 %%r2, %%t, 2;"
             "xor.b32 %%r3, %%r2, 4; add.u32 %%r2, %%r1, %%r2;"
             "add.u32 %%r3, %%r1, %%r3; st.shared.u32 [%%r2], %%t;\n%s\n"
             "ld.shared.u32 %%r5, [%%r3];",
             meetings[i / 2]);
    setenv("TILE_SIM_CHECKS", i % 2 ? "strict" : "usual", 1);
    CUmodule module = kit_load_body(body);
    CUdeviceptr out = kit_upload(NULL, 4);
    void *params[] = {&out, &out};
    const bool told = i == 1;
    assert_int_equal(kit_run(module, "k", (KitShape){{1}, {32}, 0}, params),
                     told ? 719 : 0);
    assert_string_equal(kit_reports(), told ? "race " : "");
    assert_int_equal(cuMemFree_v2(out), 0);
    assert_int_equal(cuModuleUnload(module), 0);
  }
  unsetenv("TILE_SIM_CHECKS");
}

// A source that is overwritten before the wait: the schedule decides which of
// the two values is copied.
static void test_source_of_copies(void **state) {
  (void)state;
  static const struct {
    const char *schedule;
    uint32_t found;
  } rows[] = {{"late", 7}, {"early", 5}};
  const char *before = getenv("TILE_SIM_SCHEDULE");
  char *kept = before ? strdup(before) : NULL;
  CUmodule module = kit_load_body(
      ".shared .align 16 .b8 s[16]; cp.async.ca.shared.global [s], [%in], 4;"
      "st.global.u32 [%in], 7; cp.async.wait_all; ld.shared.u32 %r1, [s];"
      "st.global.u32 [%out], %r1;");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t found = 0, five = 5;
    CUdeviceptr out = kit_upload(NULL, 4), in = kit_upload(&five, 4);
    void *params[] = {&out, &in};
    setenv("TILE_SIM_SCHEDULE", rows[i].schedule, 1);
    assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params),
                     719);
    kit_download(&found, out, 4);
    assert_int_equal(found, rows[i].found);
    assert_int_equal(cuMemFree_v2(in), 0);
    assert_string_equal(kit_reports(), "race ");
  }
  if (kept)
    setenv("TILE_SIM_SCHEDULE", kept, 1);
  else
    unsetenv("TILE_SIM_SCHEDULE");
  free(kept);
}

// Text that is not PTX, or an instruction that the simulator lacks, is refused
// with its line.
static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *log;
  } wrong[] = {
      {"", ".version"},
      {"hello", "line 1"},
      {".version 8.0 .target sm_80 .address_size 64 .entry k() { fro.b32; }",
       "unknown instruction 'fro'"},
      {".version 8.0 .target sm_80 .address_size 64\n.entry k() {\n.reg .b32 "
       "%r<2>;\nadd.rz.s32 %r1, %r1, %r1; }",
       "line 4"},
      {".version 8.0 .target sm_80 .address_size 64\n.entry k() { add.s32 %a, "
       "1, 2; }",
       "'%a' is not a register"},
      {".version 8.0 .target sm_80 .address_size 64\n.entry k() { bra nowhere; "
       "}",
       "unknown label 'nowhere'"},
      {".version 8.0 .target sm_80 .address_size 64\n.entry k() {", "line 2"},
      {".version 8.5 .target sm_90a .address_size 64\n.entry k() { ret; }",
       "the module is for sm_90a"},
      {".version 8.0 .target sm_80 .address_size 64\n.entry k() { call k; }",
       "'k' calls itself"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char log[400] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    const int error =
        cuModuleLoadDataEx(&module, wrong[i].text, 2, options, values);
    assert_int_not_equal(error, 0);
    if (!strstr(log, wrong[i].log))
      fail_msg("'%s' is not in '%s'", wrong[i].log, log);
  }
}

// Many threads store one value to one place.  The time must grow linearly:
// comparing each with all before it took minutes.  A thread that has waited
// only for the last of them and stores another value races with the others.
static void test_many_writers(void **state) {
  (void)state;
  const char *const ends[] = {"exit;", "st.global.u32 [%out], 8;"};
  setenv("TILE_SIM_THREADS", "1", 1);
  for (int i = 0; i < 2; i++) {
    char body[1024];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, %%ctaid.x;\n"
             "setp.eq.u32 %%p1, %%r1, 39999; @%%p1 bra W;\n"
             "st.global.u32 [%%out], 7; setp.eq.u32 %%p1, %%r1, 39998;\n"
             "@%%p1 st.release.gpu.global.u32 [%%out+64], 1; exit;\n"
             "W: ld.acquire.gpu.global.u32 %%r2, [%%out+64];\n"
             "setp.eq.u32 %%p1, %%r2, 0; @%%p1 bra W;\n%s",
             ends[i]);
    const clock_t start = clock();
    assert_int_equal(run_block(body, 40000, 1), i ? 719 : 0);
    assert_true(clock() - start < 30 * CLOCKS_PER_SEC);
    assert_string_equal(kit_reports(),
                        i ? "race-same-value race " : "race-same-value ");
  }
  unsetenv("TILE_SIM_THREADS");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted),
      cmocka_unit_test(test_many_readers),
      cmocka_unit_test(test_many_writers),
      cmocka_unit_test(test_far_readers),
      cmocka_unit_test(test_inlined),
      cmocka_unit_test(test_every_kind),
      cmocka_unit_test(test_leaks),
      cmocka_unit_test(test_sticky),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_budget_place),
      cmocka_unit_test(test_uninitialised_global),
      cmocka_unit_test(test_strict),
      cmocka_unit_test(test_source_of_copies),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
