// test_sim_spaces.c -- every instruction with an address, with addresses of
// each space: its own spaces work, and others are refused.
#include <stdio.h>

#include "sim_kit.h"

// The kinds of addresses that %d5 or %r5 holds.
typedef enum { GLOBAL, SHARED, LOCAL, CONSTANT, OFFSET, NUM_KINDS } Kind;

static const struct {
  const char *name, *make; // the address of 64 aligned bytes
} kinds[NUM_KINDS] = {
    [GLOBAL] = {"a global address", "mov.u64 %d5, %in; mov.u64 %d6, %out;"},
    [SHARED] = {"the generic address of shared memory",
                "mov.u64 %d5, s; cvta.shared.u64 %d5, %d5;"},
    [LOCAL] = {"the generic address of local memory",
               "mov.u64 %d5, a; cvta.local.u64 %d5, %d5;"},
    [CONSTANT] = {"the generic address of a constant",
                  "mov.u64 %d5, c; cvta.const.u64 %d5, %d5;"},
    [OFFSET] = {"an offset in shared memory",
                "mov.u64 %d5, s; add.u64 %d5, %d5, 128;"},
};

#define IS(kind) (1u << (kind))
enum {
  IN_SHARED = IS(OFFSET),
  GENERIC = IS(GLOBAL) | IS(SHARED) | IS(LOCAL),
  GENERIC_READ = GENERIC | IS(CONSTANT),
  IN_GLOBAL = IS(GLOBAL) | IS(CONSTANT), // constants lie in global memory
};

typedef struct {
  const char *text;
  unsigned good; // kinds whose addresses it takes
} Row;

static const Row rows[] = {
    {"ld.u32 %r9, [%d5];", GENERIC_READ},
    {"ld.global.u32 %r9, [%d5];", IN_GLOBAL},
    {"ld.global.nc.u32 %r9, [%d5];", IN_GLOBAL},
    {"ld.volatile.global.u32 %r9, [%d5];", IN_GLOBAL},
    {"ld.relaxed.gpu.global.u32 %r9, [%d5];", IN_GLOBAL},
    {"ld.acquire.gpu.u32 %r9, [%d5];", GENERIC_READ},
    {"ld.shared.u32 %r9, [%d5];", IN_SHARED},
    {"ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%d5];", IN_SHARED},
    {"st.u32 [%d5], 1;", GENERIC},
    {"st.u8 [%d5], 1;", GENERIC},
    {"st.v2.u64 [%d5], {%d1, %d1};", GENERIC},
    {"st.global.u32 [%d5], 1;", IS(GLOBAL)},
    {"st.release.gpu.global.u32 [%d5], 1;", IS(GLOBAL)},
    {"st.shared.u32 [%d5], 1;", IN_SHARED},
    {"st.volatile.shared.u64 [%d5], %d1;", IN_SHARED},
    {"atom.add.u32 %r9, [%d5], 1;", IS(GLOBAL) | IS(SHARED)},
    {"atom.global.cas.b64 %d9, [%d5], 1, 2;", IS(GLOBAL)},
    {"atom.shared.exch.b32 %r9, [%d5], 1;", IN_SHARED},
    {"red.max.s32 [%d5], 1;", IS(GLOBAL) | IS(SHARED)},
    {"red.global.add.f32 [%d5], 0f3F800000;", IS(GLOBAL)},
    {"red.shared.and.b32 [%d5], 1;", IN_SHARED},
    {"@%p1 cp.async.ca.shared.global [%d5], [%in], 16; cp.async.wait_all;",
     IN_SHARED},
    {"@%p1 cp.async.ca.shared.global [s+128], [%d5], 16; cp.async.wait_all;",
     IN_GLOBAL},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%d5];", IN_SHARED},
    {"ldmatrix.sync.aligned.m8n8.x1.b16 {%r9}, [%d5];", IS(SHARED)},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d5], {%t};", IN_SHARED},
    {"@%p1 mbarrier.init.shared.b64 [%d5], 1;", IN_SHARED},
    {"@%p1 mbarrier.init.b64 [%d5], 1;", IS(SHARED)},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
     "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d5], 16;",
     IN_GLOBAL},
    {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
     "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d5], 16;",
     IN_SHARED},
};

static void run(const Row *row, Kind kind) {
  char body[2048];
  snprintf(body, sizeof body,
           ".const .align 16 .b8 c[1024]; .shared .align 128 .b8 s[1024]; "
           ".local .align 16 .b8 a[1024];\n"
           "setp.eq.u32 %%p1, %%t, 0; mov.u64 %%d1, 0; mov.u32 %%r1, s;\n"
           "mov.u32 %%r2, 0; shl.b32 %%r3, %%t, 5; add.u32 %%r1, %%r1, %%r3;\n"
           "st.shared.v4.u32 [%%r1], {%%r2, %%r2, %%r2, %%r2};\n"
           "st.shared.v4.u32 [%%r1+16], {%%r2, %%r2, %%r2, %%r2};\n"
           "st.local.v4.u32 [a], {%%r2, %%r2, %%r2, %%r2}; bar.sync 0;\n"
           "%s\n%s",
           kinds[kind].make, row->text);
  static char zeros[1024];
  CUdeviceptr at = kit_upload(zeros, sizeof zeros);
  void *params[] = {&at, &at};
  CUmodule module = kit_load_body(body);
  const int error = kit_run(module, "k", (KitShape){{1}, {32}, 0}, params);
  const char *found = kit_reports();
  // All threads store to one place.
  const bool is_refused =
      *found && !kit_only_kinds(found, "race race-same-value");
  if (is_refused == !!(row->good & IS(kind)))
    fail_msg("%s with %s: '%s'", row->text, kinds[kind].name, found);
  if (error) {
    kit_reopen();
  } else {
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
  }
}

static void test_spaces(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int kind = 0; kind < NUM_KINDS; kind++) run(&rows[i], (Kind)kind);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spaces)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
