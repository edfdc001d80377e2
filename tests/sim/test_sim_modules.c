// test_sim_modules.c -- declarations of a module: wrong ones are refused, right
// ones accepted, as by ptxas.
#include <stdio.h>

#include "sim_kit.h"

enum { INVALID_PTX = 218 };

#define HEAD       ".version 8.0\n.target sm_80\n.address_size 64\n"
#define HOPPER     ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define ENTRY      ".entry k() { ret; }"
#define BODY(text) HEAD ".entry k() {\n" text " ret; }"

// A call of a function with two parameters and a result, which is copied to the
// place of the call; and of one that calls itself.
#define FUNCTION(inner)                                                        \
  HEAD ".func (.param .b32 r) f(.param .b32 x, .param .b32 y) {\n" inner       \
       " ret; }\n"
#define CALL(text)  "{ .param .b32 p; .param .b32 q; .param .b32 s;\n" text " }"
#define CALLS(text) FUNCTION("") ".entry k() { " CALL(text) " ret; }"
#define CALLS_AGAIN(text)                                                      \
  FUNCTION(CALL("call (p), f, (q, s);")) ".entry k() { " CALL(text) " ret; }"

typedef struct {
  const char *text, *log;
} Wrong;

static const Wrong wrong[] = {
    // The head
    {".target sm_80\n.address_size 64\n" ENTRY, "expecting .version"},
    {".version 8.0\n.address_size 64\n" ENTRY, "expecting .target"},
    {".version 8.0\n.version 8.0\n.target sm_80\n" ENTRY, "line 2"},
    {HEAD ".address_size 64\n" ENTRY, "line 4"},
    {".version 6.3\n.target sm_80\n" ENTRY, "PTX 6.3 has no sm_80"},
    {".version 8.0\n.target sm_81\n" ENTRY, "unknown target 'sm_81'"},
    {".version 8.0\n.target sm_80, fast\n" ENTRY, "unknown target"},
    // Names
    {HEAD ENTRY "\n" ENTRY, "line 5: error: 'k' is defined twice"},
    {HEAD ".func f() { ret; }\n.func f() { ret; }\n" ENTRY, "'f' is defined"},
    {HEAD ".func k() { ret; }\n" ENTRY, "otherwise in line 4"},
    {HEAD ".func f(.param .b32 x);\n.func f() { ret; }\n" ENTRY, "otherwise"},
    {HEAD ".func f(.param .u32 x);\n.func f(.param .b32 x) { ret; }\n" ENTRY,
     "otherwise"},
    {HEAD ".global .b32 a;\n.const .b32 a;\n" ENTRY, "'a' is declared twice"},
    {HEAD ".shared .b32 a;\n.shared .b32 a;\n" ENTRY, "'a' is declared twice"},
    {HEAD ".global .b32 k;\n" ENTRY, "'k' is a variable, too"},
    {BODY("L: bra L; L:"), "'L' is declared twice"},
    {BODY(".reg .b32 L; L:"), "'L' is declared twice"},
    {BODY(".reg .b32 %r<9>; .reg .b32 %r<4>;"), "is declared twice"},
    {BODY(".reg .b32 %r<9>; .reg .b32 %r1;"), "'%r1' is declared twice"},
    {BODY(".reg .b32 a; .local .b32 a;"), "'a' is declared twice"},
    {HEAD ".entry k(.param .u32 p, .param .u32 p) { ret; }", "'p' is declared"},
    {HEAD ".entry k(.param .u32 p) { .reg .b32 p; ret; }", "'p' is declared"},
    {HEAD ".func f() { ret; }\n.alias g, f;\n" ENTRY, "names no function"},
    {HEAD ".func g();\n.alias g, k;\n" ENTRY, "names a kernel"},
    {HEAD ".func f();\n.func g();\n.alias g, f;\n" ENTRY, "without a body"},
    {HEAD ".func f() { ret; }\n.func g() { ret; }\n.alias g, f;\n" ENTRY,
     "line 6: error: alias 'g' is defined twice"},
    {HEAD ".func f() { ret; }\n.func g();\n.alias g, f;\n.alias g, f;\n" ENTRY,
     "alias 'g' is defined twice"},
    {HEAD ".func f() { ret; }\n.func g(.param .b32 x);\n.alias g, f;\n" ENTRY,
     "declared otherwise"},
    {".version 6.2\n.target sm_70\n.func f() { ret; }\n.func g();\n"
     ".alias g, f;\n" ENTRY,
     "wants PTX 6.3"},
    {".version 8.0\n.target sm_80\n.target sm_81\n" ENTRY, "'sm_81'"},
    {HEAD ".file 1 \"a.cu\"\n.file 1 \"b.cu\"\n" ENTRY, "second file"},
    // Limits
    {HEAD ".entry k() .maxntid 0 { ret; }", "above zero"},
    {HEAD ".entry k() .maxntid 1, 0, 1 { ret; }", "above zero"},
    {HEAD ".entry k() .maxntid 1, 1, 1, 1 { ret; }", "too many"},
    {HEAD ".entry k() .maxntid 64 .reqntid 32 { ret; }", "exclude"},
    {HEAD ".entry k() .maxnreg 0 { ret; }", "above zero"},
    {HOPPER ".entry k() .reqnctapercluster 1, 1, 1, 1 { ret; }", "too many"},
    {HOPPER ".entry k() .reqnctapercluster { ret; }", "a number was expected"},
    {HOPPER ".entry k() .maxclusterrank 4, 2 { ret; }", "too many"},
    {HOPPER ".entry k() .explicitcluster 4 { ret; }", "too many"},
    {HOPPER ".entry k() .reqnctapercluster 2 .maxclusterrank 8 { ret; }",
     "exclude"},
    {HOPPER ".entry k() .maxclusterrank 4 .reqnctapercluster 2 { ret; }",
     "exclude"},
    {HOPPER ".entry k() .reqntid 32 .reqnctapercluster 2 .blocksareclusters "
            "{ ret; }",
     "not simulated"},
    {HOPPER ".entry k() .maxntid 384 { setmaxnreg.dec.sync.aligned.u32 176; "
            "ret; }",
     "no warp has above 168"},
    {HOPPER ".entry k() .maxnreg 128 .maxntid 384 {\n"
            "setmaxnreg.inc.sync.aligned.u32 160;\n"
            "setmaxnreg.dec.sync.aligned.u32 168; ret; }",
     "no warp has above 160"},
    {HEAD ".entry k() .fast { ret; }", "unknown directive"},
    {HEAD ".entry k() .explicitcluster { ret; }", "wants sm_90"},
    {HEAD ".func f() .maxntid 32 { ret; }\n" ENTRY, "line 4"},
    {HEAD ".entry k(.param .b8 p[4353]) { ret; }", "4352 bytes of parameters"},
    {".version 8.1\n.target sm_80\n.entry k(.param .b8 p[32765]) { ret; }",
     "32764 bytes of parameters"},
    {HEAD ".entry k(.param .align 0 .b8 p[4]) { ret; }", "unknown type"},
    {HEAD ".entry k(.param .b8 p[]) { ret; }", "unknown type or size"},
    {HEAD ".entry k(.reg .b32 p) { ret; }", "unknown type"},
    {HEAD ".const .b8 a[65537];\n" ENTRY, "65537 bytes of constants"},
    // Variables
    {HEAD ".global .b32 a[];\n" ENTRY, "'a' has no size"},
    {HEAD ".shared .b8 a[];\n" ENTRY, "'a' has no size"},
    {HEAD ".global .v4 .b64 a;\n" ENTRY, "unknown type"},
    {HEAD ".global .bf16 a;\n" ENTRY, "unknown type '.bf16'"},
    {HEAD ".global .b32 a = {1};\n" ENTRY, "wants one value"},
    {HEAD ".global .b32 a[2] = 1;\n" ENTRY, "wants values in braces"},
    {HEAD ".global .b32 a[2] = {1, 2, 3};\n" ENTRY, "too many"},
    {HEAD ".global .f32 a = 1;\n" ENTRY, "another kind than .f32"},
    {HEAD ".global .u32 a = 1.5;\n" ENTRY, "another kind than .u32"},
    {HEAD ".shared .b32 a = 5;\n" ENTRY, "no initial value"},
    {BODY(".reg .b32 a = 5;"), "no initial value"},
    {HEAD ".global .texref t;\n" ENTRY,
     "line 4: error: '.texref': textures and surfaces are not simulated"},
    {HEAD ".entry k(.param .surfref t) { ret; }", "'.surfref': textures"},
    {BODY("tex.2d.v4.f32.f32 {a, a, a, a}, [t, {a, a}];"), "'tex': textures"},
    {BODY("suld.b.2d.b32.trap {a}, [t, {a, a}];"), "'suld': textures"},
    {HEAD ".func f() .abi_preserve { ret; }\n" ENTRY, "line 4"},
    {BODY("t: .branchtargets L<0>; brx.idx 0, t;"), "no range"},
    {BODY("t: .branchtargets L<9999999999>; brx.idx 0, t;"), "no range"},
    {BODY(" # 5"), "what is not PTX"},
    // Numbers
    {BODY(".reg .b64 a; mov.b64 a, 99999999999999999999;"), "too large"},
    {BODY(".reg .b64 a; mov.b64 a, 0x10000000000000000;"), "too large"},
    {BODY(".reg .b32 a; mov.b32 a, 08;"), "is no number"},
    {BODY(".reg .f32 a; mov.f32 a, 1e999;"), "too large"},
    {BODY(".reg .f32 a; mov.f32 a, 1;"), "another kind than .f32"},
    {BODY(".reg .b32 a; add.u32 a, a, 1.0;"), "another kind than .u32"},
    {BODY(".reg .b16 a; add.f16 a, a, 1.0;"), "another kind than .f16"},
    {BODY(".reg .b32 a; mov.b32 a, 1/0;"), "division by zero"},
    // Calls
    {CALLS("call (p), f, (q);"), "wrong number of arguments"},
    {CALLS("call (p), f, (q, s, s);"), "wrong number of arguments"},
    {CALLS("call (p), f;"), "wrong number of arguments"},
    {CALLS("call f, (q, s);"), "wrong number of arguments"},
    {CALLS("call (p, q), f, (q, s);"), "wrong number of arguments"},
    {CALLS("call (p), f, (q, n);"), "an argument that is not in .param"},
    {CALLS_AGAIN("call (p), f, (q);"), "wrong number of arguments"},
    {CALLS_AGAIN("call (p), f, (q, s, s);"), "wrong number of arguments"},
    {CALLS_AGAIN("call (p), f;"), "wrong number of arguments"},
    {CALLS_AGAIN("call f, (q, s);"), "wrong number of arguments"},
    {CALLS_AGAIN("call (p, q), f, (q, s);"), "wrong number of arguments"},
    {CALLS_AGAIN("call (p), f, (q, n);"), "an argument that is not in .param"},
    // Registers of another kind
    {BODY(".reg .f32 a; .reg .u32 b; add.u32 b, b, a;"), "'a' is of .f32"},
    {BODY(".reg .f32 a; .reg .u32 b; add.f32 a, a, b;"), "'b' is of .u32"},
    {BODY(".reg .f32 a; .reg .b64 b; ld.global.u32 a, [b];"), "'a' is of .f32"},
    {BODY(".reg .f64 a; .reg .b32 b; ld.global.u32 b, [a];"), "address"},
    {BODY(".reg .b32 b; ld.global.u32 b, [64];"), "local memory only"},
    {BODY(".reg .b32 b; .shared .b32 s; add.u32 b, b, s;"), "not a value"},
};

static void test_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char log[1000] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    if (cuModuleLoadDataEx(&module, wrong[i].text, 2, options, values) !=
        INVALID_PTX)
      fail_msg("loads: %s", wrong[i].text);
    if (!strstr(log, wrong[i].log))
      fail_msg("'%s' is not in '%s'", wrong[i].log, log);
  }
}

static const char *const right[] = {
    CALLS("call (p), f, (q, s);"),
    CALLS_AGAIN("call (p), f, (q, s);"),
    ".version 8.0\n.target sm_80\n" ENTRY,
    ".version 8.0\n.target sm_80, debug\n.address_size 64\n" ENTRY,
    ".version 8.0\n.target sm_80\n.target sm_75\n" ENTRY,
    ".version 6.0\n.target sm_70\n" ENTRY,
    ".version 8.0\n.target compute_80\n" ENTRY,
    HEAD ".func f();\n.func f();\n.func f() { ret; }\n" ENTRY,
    HEAD ".extern .global .b32 a;\n.visible .global .b32 a = 7;\n" ENTRY,
    HEAD ".extern .global .b32 nobodys;\n" ENTRY,
    HEAD ".extern .shared .b8 a[];\n.extern .shared .b8 a[];\n" ENTRY,
    HEAD ".global .attribute(.managed) .align 4 .u32 m = 5;\n" ENTRY,
    HEAD ".file 1 \"a\\\"b.cu\"\n.file 2 \"c\\\\d.cu\", 1, 2\n" ENTRY,
    HEAD ".global .b32 a[4] = { };\n" ENTRY,
    HEAD ".entry k(.param .b8 p[4352]) { ret; }",
    ".version 8.1\n.target sm_75\n.entry k(.param .b8 p[32764]) { ret; }",
    HEAD ".entry k(.param .u32 _) { ret; }",
    HEAD ".func f() .abi_preserve 9 .abi_preserve_control 2 { ret; }\n" ENTRY,
    HEAD ".extern .func f() .noreturn .abi_preserve 9;\n" ENTRY,
    HEAD ".pragma \"nounroll\", \"more\";\n" ENTRY,
    BODY(".pragma \"nounroll\", \"more\";"),
    BODY("p: .callprototype _ (.param .b32 _) .abi_preserve 9;"),
    "# 1 \"k.c\"\n" HEAD "#line 3 \"k.c\"\n" ENTRY,
    BODY("{ .reg .b32 a; L: bra L; } { .reg .b32 a; L: bra L; }"),
    BODY(".reg .f32 a; mov.f32 a, .5; mov.f32 a, 0d3ff0000000000000;"),
    BODY(".reg .b32 a; mov.b32 a, 0f3f800000; .reg .b64 b; mov.b64 b, 1.5;"),
};

static void test_right(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    assert_int_equal(cuModuleUnload(kit_load_text(right[i])), 0);
}

// A range of labels names them in order.
static void test_label_range(void **state) {
  (void)state;
  CUmodule module =
      kit_load_body("t: .branchtargets L<3>, M; brx.idx %t, t;\n"
                    "L2: mov.u32 %r1, 7; bra E; M: mov.u32 %r1, 8; bra E;\n"
                    "L0: mov.u32 %r1, 5; bra E; L1: mov.u32 %r1, 6;\n"
                    "E: mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d1, %out;\n"
                    "st.global.u32 [%d1], %r1;");
  CUdeviceptr out = kit_upload(NULL, 16);
  void *params[] = {&out, &out};
  const int expected[4] = {5, 6, 7, 8};
  int found[4];
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {4}, 0}, params), 0);
  kit_download(found, out, sizeof found);
  assert_memory_equal(found, expected, sizeof found);
  assert_int_equal(cuModuleUnload(module), 0);
}

// The last list is longer than the parameters of a kernel may be.
static void test_many_labels(void **state) {
  (void)state;
  enum { LABELS = 100000, BRANCHES = 11 };
  static char text[2 * LABELS + 1000], log[2000];
  char *at = text + sprintf(text, ".version 8.0\n.target sm_80\n"
                                  ".address_size 64\n.entry k() {\n"
                                  ".reg .b32 %%t; t: .branchtargets L");
  for (int i = 1; i < LABELS; i++) at += sprintf(at, ",L");
  at += sprintf(at, ";\nmov.u32 %%t, 0; L:\n");
  for (int i = 0; i < BRANCHES; i++) at += sprintf(at, "brx.idx %%t, t;\n");
  sprintf(at, "}\n");
  int options[] = {5, 6}; // the log and its size
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUmodule module;
  assert_int_equal(cuModuleLoadDataEx(&module, text, 2, options, values), 218);
  assert_non_null(strstr(log, "the kernel is too large"));
}

// Constant expressions have the values of C's, in 64 bits.
static const struct {
  const char *text;
  long long value;
} expressions[] = {
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"10 - 4 - 3", 3},
    {"-7 / 2", -3},
    {"-7 % 3", -1},
    {"7 | 8 ^ 12 & 10", 7},
    {"~5 + +1", -5},
    {"!0 + !9", 1},
    {"1 << 4 + 1", 32},
    {"-64 >> 3", -8},
    {"-1 < 1", 1},
    {"3 >= 4 == 0", 1},
    {"2 != 2 || 3 && 0", 0},
    {"0 ? 2 : 1 ? 3 : 4", 3},
    {"(.u64)-1 / 3", 0x5555555555555555},
    {"(.u64)-1 > 1", 1},
    {"(.s64)5 - 0x7", -2},
    {"0xffffffffffffffff >> 60", 15},
    {"017 + 0b101 + 3U", 23},
};

static long long value_of(const char *expression) {
  char body[300];
  long long value = 0;
  snprintf(body, sizeof body,
           "mov.b64 %%d1, %s; st.global.b64 [%%out + 4 * 2], %%d1;",
           expression);
  CUmodule module = kit_load_body(body);
  CUdeviceptr out = kit_upload(NULL, 16);
  void *params[] = {&out, &out};
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 0);
  assert_int_equal(cuMemcpyDtoH_v2(&value, out + 8, 8), 0);
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(cuModuleUnload(module), 0);
  return value;
}

static void test_expressions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
    const long long value = value_of(expressions[i].text);
    if (value != expressions[i].value)
      fail_msg("%s: %lld, not %lld", expressions[i].text, value,
               expressions[i].value);
  }
}

// An alias as LLVM writes it: a declaration, then the function it stands for.
static void test_aliases(void **state) {
  (void)state;
  CUmodule module = kit_load_text(
      HEAD ".visible .func (.param .b32 r) g(.param .b32 x);\n"
           ".func (.param .b32 r) f(.param .b32 x);\n"
           ".func (.param .b32 r) f(.param .b32 y) { .reg .b32 %v;\n"
           "ld.param.b32 %v, [y]; add.u32 %v, %v, 5; st.param.b32 [r], %v;\n"
           "ret; }\n"
           ".entry k(.param .u64 out) { .reg .b64 %d<3>; .reg .b32 %v<3>;\n"
           ".param .b32 a; .param .b32 b; ld.param.u64 %d0, [out];\n"
           "st.param.b32 [a], 7; call (b), g, (a); ld.param.b32 %v0, [b];\n"
           "mov.u64 %d1, g; mov.u64 %d2, f; sub.u64 %d2, %d2, %d1;\n"
           "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
           "call (b), %d1, (a), P; ld.param.b32 %v1, [b];\n"
           "st.global.v2.b32 [%d0], {%v0, %v1}; st.global.b64 [%d0+8], %d2;\n"
           "ret; }\n.alias g, f;\n");
  CUdeviceptr out = kit_upload(NULL, 16);
  void *params[] = {&out};
  uint64_t found[2];
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 0);
  kit_download(found, out, sizeof found);
  assert_int_equal(found[0], UINT64_C(12) << 32 | 12);
  assert_int_equal(found[1], 0);
  assert_int_equal(cuModuleUnload(module), 0);
}

// A pointer in a packed structure, byte by byte, as nvcc writes it.
static void test_masks(void **state) {
  (void)state;
  CUmodule module = kit_load_text(
      HEAD ".global .b32 v[3] = {5, 6, 7};\n"
           ".global .align 1 .u8 s[] = {1, 0XFF(generic(v)+8),\n"
           " 0xFF00(generic(v)+8), 0xFF0000(generic(v)+8),\n"
           " 0xFF000000(generic(v)+8), 0xFF00000000(generic(v)+8),\n"
           " 0xFF0000000000(generic(v)+8), 0xFF000000000000(generic(v)+8),\n"
           " 0xFF00000000000000(generic(v)+8)};\n" ENTRY);
  CUdeviceptr v, s;
  size_t bytes;
  uint8_t found[9];
  assert_int_equal(cuModuleGetGlobal_v2(&v, &bytes, module, "v"), 0);
  assert_int_equal(cuModuleGetGlobal_v2(&s, &bytes, module, "s"), 0);
  assert_int_equal(bytes, sizeof found);
  assert_int_equal(cuMemcpyDtoH_v2(found, s, sizeof found), 0);
  v += 8;
  assert_int_equal(found[0], 1);
  assert_memory_equal(found + 1, &v, 8);
  assert_int_equal(cuModuleUnload(module), 0);
}

// Functions use the module's shared variables, also one that calls itself.
static void test_shared(void **state) {
  (void)state;
  CUmodule module = kit_load_text(
      HEAD ".shared .align 8 .b32 v[4];\n.extern .shared .b32 more[];\n"
           ".func f(.param .b32 x) { .reg .b32 %v<2>;\n"
           "ld.param.b32 %v0, [x]; st.shared.b32 [more+4], %v0; ret; }\n"
           ".func down(.param .b32 x);\n"
           ".func down(.param .b32 x) { .reg .b32 %v<3>; .reg .pred %p;\n"
           ".param .b32 y; ld.param.b32 %v0, [x]; setp.eq.s32 %p, %v0, 0;\n"
           "@%p bra end; mov.u32 %v1, v; mad.lo.s32 %v1, %v0, 4, %v1;\n"
           "st.shared.b32 [%v1], %v0; sub.s32 %v0, %v0, 1;\n"
           "st.param.b32 [y], %v0; call down, (y); end: ret; }\n"
           ".entry k(.param .u64 out) { .reg .b64 %d; .reg .b32 %v<4>;\n"
           ".param .b32 a; ld.param.u64 %d, [out]; st.param.b32 [a], 3;\n"
           "call down, (a); call f, (a); ld.shared.v2.b32 {%v0, %v1}, [v+8];\n"
           "ld.shared.b32 %v2, [v+4]; ld.shared.b32 %v3, [more+4];\n"
           "st.global.v4.b32 [%d], {%v2, %v0, %v1, %v3}; ret; }\n");
  CUdeviceptr out = kit_upload(NULL, 16);
  void *params[] = {&out};
  const int expected[4] = {1, 2, 3, 3};
  int found[4];
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 8}, params), 0);
  kit_download(found, out, sizeof found);
  assert_memory_equal(found, expected, sizeof found);
  assert_int_equal(cuModuleUnload(module), 0);
}

static int shared_bytes(CUmodule module, const char *kernel) {
  CUfunction function;
  enum { SHARED_SIZE_BYTES = 1 };
  int bytes;
  assert_int_equal(cuModuleGetFunction(&function, module, kernel), 0);
  assert_int_equal(cuFuncGetAttribute(&bytes, SHARED_SIZE_BYTES, function), 0);
  return bytes;
}

// A kernel has a shared variable of the module only if the kernel, or a
// function that it calls, names the variable; the memory behind them is unused.
// ptxas reports 128 and 40000, too.
static void test_own_shared(void **state) {
  (void)state;
  CUmodule module = kit_load_text(
      HEAD ".shared .align 4 .b8 few[128];\n.shared .align 4 .b8 many[40000];\n"
           ".func f() { .reg .b32 %v; ld.shared.b32 %v, [few+128]; ret; }\n"
           ".entry small() { call f; ret; }\n"
           ".entry large() { .reg .b32 %v; mov.u32 %v, 1;\n"
           "st.shared.b32 [many], %v; ret; }\n");
  assert_int_equal(shared_bytes(module, "small"), 128);
  assert_int_equal(shared_bytes(module, "large"), 40000);

  assert_int_not_equal(kit_run(module, "small", (KitShape){{1}, {1}, 0}, NULL),
                       0);
  assert_string_equal(kit_reports(), "out-of-bounds ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong),       cmocka_unit_test(test_right),
      cmocka_unit_test(test_expressions), cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_masks),       cmocka_unit_test(test_shared),
      cmocka_unit_test(test_label_range), cmocka_unit_test(test_many_labels),
      cmocka_unit_test(test_own_shared),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
