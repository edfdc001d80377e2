// test_sim_refused.c -- forms that there are not: ptxas refuses them, too.
#include <stdio.h>

#include "sim_kit.h"

enum { INVALID_PTX = 218 };

static const char *const forms[] = {
    "and.s32 %r1, %r2, %r3;",
    "not.u64 %d1, %d2;",
    "shl.s16 %h1, %h2, %r1;",
    "popc.u32 %r1, %r2;",
    "bfind.b32 %r1, %r2;",
    "brev.u32 %r1, %r2;",
    "selp.f16 %h1, %h2, %h3, %p1;",
    "slct.f16x2.s32 %r1, %r2, %r3, %r4;",
    "mov.bf16 %h1, %h2;",
    "abs.ftz.s32 %r1, %r2;",
    "neg.ftz.f64 %g1, %g2;",
    "div.ftz.s32 %r1, %r2, %r3;",
    "div.approx.rn.f32 %f1, %f2, %f3;",
    "sqrt.approx.rn.f32 %f1, %f2;",
    "rcp.approx.rz.ftz.f32 %f1, %f2;",
    "ex2.approx.ftz.f16 %h1, %h2;",
    "max.NaN.u32 %r1, %r2, %r3;",
    "setp.lt.ftz.s32 %p1, %r1, %r2;",
    "fma.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;",
    "cvt.relu.u8.s32 %h1, %r1;",
    "cvt.rn.satfinite.f32.s32 %f1, %r1;",
    "ld.gpu.global.u32 %r1, [%d1];",
    "ld.acquire.gpu.global.lu.u32 %r1, [%d1];",
    "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r1,%r2,%r3,%r4}, [%d1];",
    "ld.global.v4.b64 {%d1,%d2,%d3,%d4}, [%d1];",
    "ldu.acquire.gpu.global.u32 %r1, [%d1];",
    "st.cta.global.u32 [%d1], %r1;",
    "atom.local.add.u32 %r1, [%d1], %r2;",
    "atom.global.add.f16 %h1, [%d1], %h2;",
    "atom.global.min.s16 %h1, [%d1], %h2;",
    "red.acquire.gpu.global.add.u32 [%d1], %r1;",
    "fence.acq_rel.cluster;",
    "griddepcontrol.wait;",
    "griddepcontrol.arrive;",
    "add.u32 %r1, %tid.x, 1;",
    "st.global.u32 [%d1], %laneid;",
    "cvt.rn.f32.u32 %f1, %tid.x;",
    "mov.u64 %d1, %tid.x;",
    "mov.u16 %h1, %laneid;",
    "mov.v2.u32 {%r1, %r2}, %tid;",
    "mov.u32 %r1, %tid;",
    "mov.u32 %r1, %cluster_ctarank;",
    "mov.u32 %r1, %envreg32;",
    "mov.u32 %r1, %pm08;",
    // Words that say nothing of this instruction, or not enough
    "cvt.f16.f32 %h1, %f1;",
    "cvt.rn.f32.f16 %f1, %h1;",
    "cvt.rn.f32.f32 %f1, %f2;",
    "cvt.rni.f16.f32 %h1, %f1;",
    "cvt.ftz.f64.f16 %g1, %h1;",
    "cvt.rn.relu.f16.f64 %h1, %g1;",
    "cvt.sat.u32.u16 %r1, %h1;",
    "cvt.rn.f16.f32 %f1, %f2;",
    "setp.lo.s32 %p1, %r1, %r2;",
    "setp.lt.b32 %p1, %r1, %r2;",
    "setp.num.u32 %p1, %r1, %r2;",
    "add.rni.f32 %f1, %f2, %f3;",
    "mad.rn.f16 %h1, %h2, %h3, %h4;",
    "ld.global.f16 %h1, [%d1];",
    "ld.relaxed.global.b32 %r1, [%d1];",
    "ld.volatile.cta.global.b32 %r1, [%d1];",
    "ld.shared.nc.b32 %r1, [%r2];",
    "ld.shared.L1::evict_last.b32 %r1, [%r2];",
    "ld.acquire.gpu.local.b32 %r1, [%r2];",
    "ld.relaxed.cluster.global.b32 %r1, [%d1];",
    "ld.global.wb.b32 %r1, [%d1];",
    "st.global.ca.b32 [%d1], %r1;",
    "st.global.L2::128B.b32 [%d1], %r1;",
    "atom.sc.gpu.global.add.u32 %r1, [%d1], %r2;",
    "atom.global.add.s64 %d1, [%d2], %d3;",
    "atom.global.exch.b16 %h1, [%d1], %h2;",
    "red.global.add.L1::evict_last.f32 [%d1], %f2;",
    "match.any.sync.b32 %r1|%p1, %r2, -1;",
    "bar 0;",
    "bar.red.popc.f16 %r1, 0, %p1;",
    "membar.gpu;",
    "prefetch.global [%d1];",
    "nanosleep.s16 32;",
    "vset2.s32.s32 %r4, %r1, %r2, %r3;",
};

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k() { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<9>;\n"
    ".reg .f32 %f<9>; .reg .f64 %g<9>; .reg .pred %p<9>;\n";

static void test_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[1000], log[400] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    snprintf(text, sizeof text, "%s%s\nret; }\n", head, forms[i]);
    if (cuModuleLoadDataEx(&module, text, 2, options, values) != INVALID_PTX)
      fail_msg("%s loads", forms[i]);
    if (!strstr(log, "line 6")) fail_msg("%s: %s", forms[i], log);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
