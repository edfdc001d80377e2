// test_sim_checks.c -- planted bugs are reported; what differs by one line and
// is right is not.
//
// Kernels run with 64 threads; `out` and `in` are 256 bytes each.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *kinds; // that the wrong body must give
  int error;
  const char *before, *right, *wrong, *after;
} Planted;

#define MINE                                                                   \
  "mul.wide.u32 %d1, %t, 4; add.u64 %d2, %out, %d1; add.u64 %d3, %in, %d1;\n"  \
  "shl.b32 %r1, %t, 2;\n"
// Each thread's own word in s; its partner's (the other warp's) in %r4.
#define SHARED                                                                 \
  ".shared .align 16 .b8 s[1024];\n" MINE                                      \
  "mov.u32 %r2, s; add.u32 %r3, %r2, %r1; xor.b32 %r5, %r1, 128;\n"            \
  "add.u32 %r4, %r2, %r5;\n"
#define KEEP "st.global.u32 [%d2], %r9;\n"
#define ASYNC                                                                  \
  SHARED "cvta.to.global.u64 %d4, %d3;\n"                                      \
         "cp.async.ca.shared.global [%r3], [%d4], 4;\n"                        \
         "cp.async.commit_group;\n"

static const Planted planted[] = {
    // Global memory
    {"out-of-bounds", 700, MINE, "st.global.u32 [%d2], %t;",
     "st.global.u32 [%d2+4], %t;", ""},
    {"out-of-bounds", 700, MINE, "ld.global.u32 %r9, [%d3];",
     "ld.global.u32 %r9, [%d3+-4];", KEEP},
    {"out-of-bounds", 700, MINE, "atom.global.add.u32 %r9, [%out], 1;",
     "atom.global.add.u32 %r9, [%out+256], 1;", ""},
    {"out-of-bounds", 700, MINE "mov.u64 %d5, 64;", "ld.u32 %r9, [%d3];",
     "ld.u32 %r9, [%d5];", KEEP},
    // Shared and local memory
    {"out-of-bounds", 700, SHARED, "st.shared.u32 [%r3+768], %t;",
     "st.shared.u32 [%r3+772], %t;", ""},
    {"out-of-bounds", 700, SHARED "st.shared.u32 [%r3], %t; bar.sync 0;",
     "ld.shared.u32 %r9, [%r4];", "ld.shared.u32 %r9, [%r4+1024];", KEEP},
    {"out-of-bounds", 700, ".local .b32 a[4];", "st.local.u32 [a+12], %t;",
     "st.local.u32 [a+16], %t;", ""},
    // Alignment
    {"misaligned", 716, MINE, "ld.global.u32 %r9, [%d3];",
     "ld.global.u16 %h1, [%d3+1]; cvt.u32.u16 %r9, %h1;", KEEP},
    {"misaligned", 716, "", "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in+16];",
     "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in+8];", ""},
    {"misaligned", 716, SHARED "mov.u64 %d7, 7;",
     "@%p1 st.shared.u64 [%r2+8], %d7;\n", "st.shared.u64 [%r3+4], %d7;", ""},
    // Unwritten shared memory
    {"uninitialised", 719, SHARED, "st.shared.u32 [%r3], %t;", "",
     "ld.shared.u32 %r9, [%r3];" KEEP},
    {"uninitialised", 719, SHARED "st.shared.u32 [%r3], %t; bar.sync 0;",
     "ld.shared.u32 %r9, [%r4];", "ld.shared.u32 %r9, [%r4+256];", KEEP},
    {"uninitialised", 719, SHARED "st.shared.u16 [%r3], %h1; bar.sync 0;",
     "ld.shared.u16 %h2, [%r4];", "ld.shared.u32 %r9, [%r4];", ""},
    // Races
    {"race", 719,
     SHARED "st.shared.u32 [%r3], %t; bar.sync 0; st.shared.u32 [%r3], %t;",
     "bar.sync 0;", "", "ld.shared.u32 %r9, [%r4];" KEEP},
    {"race", 719,
     SHARED "st.shared.u32 [%r3], %t; bar.sync 0; ld.shared.u32 %r9, [%r4];",
     "bar.sync 0;", "bar.warp.sync -1;", "st.shared.u32 [%r3], %r9;"},
    {"race", 719, SHARED, "st.shared.u32 [%r3], %t;",
     "st.shared.u32 [%r2], %t;", ""},
    {"race", 719,
     SHARED "xor.b32 %r6, %r1, 4; add.u32 %r7, %r2, %r6;"
            "st.shared.u32 [%r3], %t;",
     "bar.warp.sync -1;", "", "ld.shared.u32 %r9, [%r7];" KEEP},
    {"race-same-value", 0,
     SHARED "mov.u32 %r8, 5; shr.u32 %r9, %t, 5;"
            "setp.eq.u32 %p1, %r9, 0;",
     "@%p1 st.shared.u32 [%r2], %r8;", "st.shared.u32 [%r2], %r8;", ""},
    // cp.async
    {"async-read", 719, ASYNC, "cp.async.wait_group 0;", "",
     "ld.shared.u32 %r9, [%r3];" KEEP},
    {"async-read", 719,
     ASYNC "cp.async.ca.shared.global [%r3+256], [%d4], 4;"
           "cp.async.commit_group;",
     "cp.async.wait_group 0;", "cp.async.wait_group 1;",
     "ld.shared.u32 %r9, [%r3+256];" KEEP},
    {"async-write", 719, ASYNC, "cp.async.wait_all;", "",
     "st.shared.u32 [%r3], %t;"},
    {"race", 719,
     SHARED "st.shared.u32 [%r3], %t; bar.sync 0;"
            "cp.async.ca.shared.global [%r3], [%d3], 4; cp.async.wait_all;",
     "bar.sync 0;", "", "ld.shared.u32 %r9, [%r4];" KEEP},
    // mbarriers
    {"race", 719,
     SHARED "setp.eq.u32 %p2, %t, 0; @%p2 mbarrier.init.shared.b64 [s+512], 64;"
            "st.shared.u32 [%r3], %t; bar.sync 0; st.shared.u32 [%r3], 7;"
            "mbarrier.arrive.shared.b64 %d5, [s+512];",
     "F: mbarrier.test_wait.shared.b64 %p1, [s+512], %d5; @!%p1 bra F;", "",
     "ld.shared.u32 %r9, [%r4];" KEEP},
    {"race", 719,
     SHARED "setp.eq.u32 %p2, %t, 0; @%p2 mbarrier.init.shared.b64 [s+512], 64;"
            "st.shared.u32 [%r3], %t; bar.sync 0; st.shared.u32 [%r3], 7;"
            "mbarrier.arrive.shared.b64 %d5, [s+512];",
     "F: mbarrier.test_wait.parity.shared.b64 %p1, [s+512], 0; @!%p1 bra F;",
     "", "ld.shared.u32 %r9, [%r4];" KEEP},
    {"invalid", 715,
     SHARED
     "setp.eq.u32 %p2, %t, 0; @%p2 st.shared.u64 [s+512], 0; bar.sync 0;",
     "@%p2 mbarrier.init.shared.b64 [s+512], 64; bar.sync 0;", "",
     "mbarrier.arrive.shared.b64 %d5, [s+512];"},
    {"barrier-count", 719,
     SHARED "setp.eq.u32 %p2, %t, 0; @%p2 mbarrier.init.shared.b64 [s+512], 64;"
            "bar.sync 0;",
     "mbarrier.arrive.shared.b64 %d5, [s+512];",
     "mbarrier.arrive.noComplete.shared.b64 %d5, [s+512], 65;", ""},
    // Barriers
    {"barrier-divergence", 719, MINE "setp.lt.u32 %p1, %t, 7;", "bar.sync 0;",
     "@%p1 bar.sync 0;", ""},
    {"barrier-divergence", 719, MINE "setp.lt.u32 %p1, %t, 40;",
     "shfl.sync.idx.b32 %r9, %t, 0, 31, -1;",
     "@%p1 bra A; exit; A: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
     "{%r10,%r11}, {%r12}, {%r13}, {%r14,%r15};",
     ""},
    {"barrier-divergence", 719,
     MINE "and.b32 %r5, %t, 1; setp.eq.u32 %p1, %r5, 0;", "",
     "@%p1 bra B; shfl.sync.idx.b32 %r9, %t, 0, 31, -1; bra C;\n"
     "B: bar.sync 0; C:",
     ""},
    {"barrier-count", 719, "", "bar.sync 1, 64;", "bar.sync 1, 63;", ""},
    {"barrier-count", 719, "", "bar.sync 1, 64;", "bar.sync 1, 128;", ""},
    {"barrier-count", 719,
     "shr.u32 %r1, %t, 5; shl.b32 %r2, %r1, 5; sub.u32 %r3, 64, %r2;",
     "bar.sync 1, 64;", "bar.sync 1, %r3;", ""},
    {"deadlock", 719, "shr.u32 %r1, %t, 5; setp.eq.u32 %p1, %r1, 0;",
     "bar.sync 1, 64;", "@%p1 bar.sync 1, 64;", ""},
    {"deadlock", 719, "shr.u32 %r1, %t, 5;", "bar.sync 0;", "bar.sync %r1;",
     ""},
    {"deadlock", 719, "shr.u32 %r1, %t, 5; setp.eq.u32 %p1, %r1, 0;",
     "bar.sync 0;", "@%p1 bra D; bar.sync 2; D: bar.sync 1;", ""},
    // The rest
    {"trap", 719, "setp.gt.u32 %p1, %t, 63;", "@%p1 trap;", "@!%p1 trap;", ""},
    {"invalid", 715, "", "bar.sync 15;", "bar.sync 16;", ""},
    {"invalid", 715, "", "shfl.sync.idx.b32 %r9, %t, 0, 31, -1;",
     "shfl.sync.idx.b32 %r9, %t, 0, 31, 1;", ""},
    {"budget", 702, "mov.u32 %r1, 0;",
     "E: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra E;",
     "E: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 9; @%p2 bra E; bra E;", ""},
};

static int run_text(const char *body) {
  CUmodule module = kit_load_body(body);
  static const char zeros[256];
  CUdeviceptr out = kit_upload(zeros, 256), in = kit_upload(zeros, 256);
  void *params[] = {&out, &in};
  const int error = kit_run(module, "k", (KitShape){{1}, {64}, 0}, params);
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0); // a fault ends the context
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxPushCurrent_v2(context);
  return error;
}

// One or more times that kind and a space.
static bool only_kind(const char *found, const char *kind) {
  const size_t length = strlen(kind);
  const char *start = found;
  while (strncmp(found, kind, length) == 0 && found[length] == ' ')
    found += length + 1;
  return found != start && !*found;
}

static void run_planted(const Planted *p) {
  char body[4096];
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before, p->right, p->after);
  const int clean = run_text(body);
  const char *none = kit_reports();
  if (clean || *none)
    fail_msg("error %d, '%s' of the right kernel:\n%s", clean, none, body);
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before, p->wrong, p->after);
  const int error = run_text(body);
  const char *found = kit_reports();
  if (error != p->error || !only_kind(found, p->kinds))
    fail_msg("error %d, '%s', not %d, '%s':\n%s", error, found, p->error,
             p->kinds, body);
}

static void test_planted(void **state) {
  (void)state;
  setenv("TILE_SIM_BUDGET", "1000000", 1);
  for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
    run_planted(&planted[i]);
  unsetenv("TILE_SIM_BUDGET");
}

static void reopen(void) {
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxPushCurrent_v2(context);
}

static void test_use_after_free(void **state) {
  (void)state;
  CUmodule module = kit_load_body("st.global.u32 [%out], 1;");
  CUdeviceptr out = kit_upload(NULL, 256), in = out;
  void *params[] = {&out, &in};
  const KitShape shape = {{1}, {64}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), 0);
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(kit_run(module, "k", shape, params), 700);
  assert_string_equal(kit_reports(), "use-after-free ");
  // As with the driver, every call fails until the context is gone.
  assert_int_equal(cuMemAlloc_v2(&in, 16), 700);
  reopen();
  assert_int_equal(cuMemAlloc_v2(&in, 16), 0);
  assert_int_equal(cuMemFree_v2(in), 0);
  assert_int_equal(cuMemFree_v2(in), 1);
}

static void test_read_only(void **state) {
  (void)state;
  const char *ptx = ".version 8.0 .target sm_80 .address_size 64\n"
                    ".const .align 4 .b32 table[2] = {7, 8};\n"
                    ".entry k(.param .u64 out) { .reg .b64 %d<3>;\n"
                    ".reg .b32 %r<3>; mov.u64 %d1, table;\n"
                    "ld.const.u32 %r1, [table+4]; ld.param.u64 %d2, [out];\n"
                    "st.global.u32 [%d2], %r1; st.u32 [%d1], %r1; ret; }";
  CUmodule module = kit_load_text(ptx);
  CUdeviceptr out = kit_upload(NULL, 4);
  void *params[] = {&out};
  const KitShape shape = {{1}, {1}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), 700);
  assert_string_equal(kit_reports(), "read-only ");
  reopen();
}

// What is not PTX, or no instruction of ours, is refused with line and text.
static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *log;
  } wrong[] = {
      {"", "target"},
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
      {".version 8.0 .target sm_80 .address_size 64\n.func f() { call f; ret; }"
       ".entry k() { call f; ret; }",
       "recursive"},
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

static int open_all(void **state) {
  (void)state;
  kit_open();
  return 0;
}

static int close_all(void **state) {
  (void)state;
  kit_close();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted),
      cmocka_unit_test(test_use_after_free),
      cmocka_unit_test(test_read_only),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
