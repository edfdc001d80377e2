// test_sim_refused.c -- forms that do not exist: ptxas refuses them, too.
//
// Backs I3 of runtime/simulator and I4 of runtime/simulator/decode.
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
    "st.shared.u32 [%laneid], %laneid;",
    "ld.shared.u32 %r1, [%tid.x];",
    "cvt.rn.f32.u32 %f1, %tid.x;",
    "mov.u64 %d1, %tid.x;",
    "mov.u16 %h1, %laneid;",
    "mov.v2.u32 {%r1, %r2}, %tid;",
    "mov.u32 %r1, %tid;",
    "mov.u32 %r1, %cluster_ctarank;",
    "mov.u32 %r1, %envreg32;",
    "mov.u32 %r1, %pm08;",
    // Words that have no meaning for the instruction, or missing words
    "cvt.f16.f32 %h1, %f1;",
    "cvt.rn.f32.f16 %f1, %h1;",
    "cvt.rn.f32.f32 %f1, %f2;",
    "cvt.rni.f16.f32 %h1, %f1;",
    "cvt.ftz.f64.f16 %g1, %h1;",
    "cvt.rn.relu.f16.f64 %h1, %g1;",
    "cvt.sat.u32.u16 %r1, %h1;",
    "cvt.ftz.f32.bf16 %f1, %h1;",
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
    // ptxas accepts these two, and computes something else
    "madc.hi.s16 %h1, %h2, %h3, %h4;",
    "fma.rz.bf16 %h1, %h2, %h3, %h4;",
    // Words of other instructions
    "bfind.L1.u32 %r1, %r2;",
    "add.noftz.f32 %f1, %f2, %f3;",
    "atom.global.and.noftz.b32 %r1, [%d1], %r2;",
    "pmevent.uni 3;",
    "pmevent 16;",
    "bar.arrive.add %r1, %r2;",
    "bar.arrive.sync %r1, %r2;",
    "bar.or.pred %p1, %r2, %p3;",
    "bar.warp.sync.and %r1;",
    "bar.cta.warp.sync %r1;",
    "barrier.gpu.sync 0;",
    "mbarrier.init.and.shared.b64 [%r1], %r2;",
    "mbarrier.pending_count.global.b64 %r1, %d2;",
    "vset.equ.u32.u32 %r1, %r2, %r3;",
    "vset.hi.u32.s32 %r1, %r2, %r3;",
    "vset.hi.u32.u32 %r1, %r2, %r3;",
    "vset2.lo.u32.u32 %r1, %r2, %r3, %r4;",
    "vset4.hs.u32.u32 %r1, %r2, %r3, %r4;",
    "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32"
    "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2}, {%r3,%r4},"
    "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};",
    "mma.and.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},"
    "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};",
    "createpolicy.cvt.b64 %d1, %d2;",
    "createpolicy.range.const.L2::evict_last.b64 %d1, [%d2], %r3, %r4;",
    "createpolicy.fractional.L2::evict_first.L2::evict_last.b64 %d1;",
    "st.param::entry.b32 [%d1], %r1;",
    "ld.mmio.relaxed.gpu.global.u32 %r1, [%d1];",
    // Orders and policies of caches are for the global space, or shared memory
    "st.volatile.local.b32 [%d1], %r1;",
    "st.volatile.const.b32 [%d1], %r1;",
    "st.volatile.param.b32 [%d1], %r1;",
    "st.relaxed.gpu.local.b32 [%d1], %r1;",
    "st.relaxed.gpu.const.b32 [%d1], %r1;",
    "st.relaxed.gpu.param.b32 [%d1], %r1;",
    "st.release.gpu.local.b32 [%d1], %r1;",
    "st.release.gpu.const.b32 [%d1], %r1;",
    "st.release.gpu.param.b32 [%d1], %r1;",
    "st.mmio.relaxed.sys.shared.b32 [%r2], %r1;",
    "st.mmio.relaxed.sys.local.b32 [%d1], %r1;",
    "st.shared.L1::evict_first.b32 [%r2], %r1;",
    "st.local.L1::no_allocate.b32 [%d1], %r1;",
    "ld.volatile.const.b32 %r1, [%d1];",
    "ld.volatile.param.b32 %r1, [%d1];",
    "ld.relaxed.gpu.const.b32 %r1, [%d1];",
    "ld.relaxed.gpu.param.b32 %r1, [%d1];",
    "ld.acquire.gpu.const.b32 %r1, [%d1];",
    "ld.acquire.gpu.param.b32 %r1, [%d1];",
    "ld.mmio.relaxed.sys.shared.b32 %r1, [%r2];",
    "ld.local.L1::evict_first.b32 %r1, [%d1];",
    "ld.const.L2::128B.b32 %r1, [%d1];",
    "ld.mmio.relaxed.sys.global.L2::64B.u32 %r1, [%d1];",
    "fence.proxy.alias.gpu;",
    "and.pred %p1|%p2, %p3, %p4;",
    "isspacep.global %p1|%p2, %d1;",
    "set.eq.u32.f32 %r1, %f1, %f2, %p1;",
    "set.eq.and.u32.f32 %r1, %f1, %f2;",
    "atom.global.add.L2::cache_hint.u32 %r1, [%d1], %r2;",
    "atom.global.cas.b32 %r1, [%d1], %r2, %d3;",
    "atom.global.add.L2::cache_hint.u32 %r1, [%d1], %r2, %r3;",
    "red.shared.add.L2::cache_hint.u32 [%r1], %r2, %d3;",
    "cvt.rn.sat.satfinite.f16.f32 %h1, %f1;",
    // Words that exclude each other
    "add.cc.u16 %h1, %h2, %h3;",
    "mad.rn.cc.f32 %f1, %f2, %f3, %f4;",
    "lop3.or.b32 %r1, %r2, %r3, %r4, 0x80, %p2;",
    "rcp.approx.f64 %g1, %g2;",
    "set.lt.ftz.u32.s32 %r1, %r2, %r3;",
    "setp.lt.f16 %p1|%p2, %h1, %h2;",
    "slct.ftz.u32.s32 %r1, %r2, %r3, %r4;",
    "cvt.rn.ftz.relu.f16.f32 %h1, %f1;",
    "mov.f16 %h1, %h2;",
    "ld.weak.global.nc.u32 %r1, [%d1];",
    "ld.global.nc.lu.u32 %r1, [%d1];",
    "ld.volatile.global.L1::evict_last.u32 %r1, [%d1];",
    "ld.mmio.global.u32 %r1, [%d1];",
    "ld.param.L2::cache_hint.u32 %r1, [%d1], %d2;",
    "ld.relaxed.gl.global.u32 %r1, [%d1];",
    "ldu.shared.u32 %r1, [%r2];",
    "prefetch.shared.L1 [%r1];",
    "discard.global.L2 [%d1], 64;",
    "atom.global.min.noftz.u32 %r1, [%d1], %r2;",
    "mbarrier.arrive.release.shared.b64 %d1, [%r1];",
    "mbarrier.arrive.relaxed.cta.shared.b64 %d1, [%r1];",
    "bar.sync.aligned 0;",
    "fence.relaxed.gpu;",
    "cvta.param::func.u64 %d1, %d2;",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f1,%f2,%f3,%f4},"
    "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r1,%r2};",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f32.f32.f32 {%f1,%f2,%f3,%f4},"
    "{%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%f1,%f2,%f3,%f4}, %r8, 0;",
    // Vectors of registers, and names in another space
    ".reg .v4 .f64 v;",
    ".reg .v2 .pred v;",
    ".reg .u32 a[3];",
    ".reg .v4 .b32 v; ld.global.u32 %r1, [v];",
    ".reg .v4 .b32 v; add.u32 %r1, v, v;",
    ".reg .v2 .b32 v; add.u32 %r1, v.z, v.x;",
    ".reg .v4 .b32 v; mov.v2.b32 v, {%r1, %r2};",
    ".shared .u32 s; ld.global.u32 %r1, [s];",
    ".shared .u32 s; mov.u32 %r1, s[1];",
    ".shared .u32 s[4]; add.u32 %r1, %r2, s[1];",
    // `_` is no operand, and a destination only if the instruction has another
    // effect.
    "min.f64 %g1, %g2, _;",
    "cvt.rni.s32.f32 %r2, _;",
    "slct.ftz.u64.f32 %d1, _, %d2, 1.0;",
    "madc.lo.u32 %r1, _, %r2, %r3;",
    "mov.b64 %d1, {_, %r1};",
    "st.global.v2.u32 [%d1], {%r1, _};",
    "atom.global.add.u32 %r1, [%d1], _;",
    "setp.eq.u32 %p1|_, %r1, _;",
    "add.u32 _, %r1, %r2;",
    "ld.global.u32 _, [%d1];",
    "mbarrier.test_wait.shared.b64 _, [%r1], %d1;",
    "match.any.sync.b32 _, %r1, -1;",
    "setp.eq.u32 _|_, %r1, %r2;",
    "shfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1;",
    // Types that do not fit together
    "cvt.pack.sat.s8.s32.u32 %r1, %r2, %r3, %r4;",
    "cvt.pack.sat.s8.s32.b64 %r1, %r2, %r3, %r4;",
    "cvt.pack.sat.s8.s32.pred %r1, %r2, %r3, %r4;",
    "cvt.rna.tf32.f64 %r1, %g1;",
    "cvt.rna.tf32.tf32 %r1, %r2;",
    "cvt.rna.tf32.f32 %r1, %d1;",
    "cvt.rna.tf32.f32 %f1, %f2;",
    "cvt.rna.ftz.tf32.f32 %r1, %f2;",
    "cvt.rn.tf32.f32 %r1, %f2;",
    "cvt.f64.tf32 %g1, %r2;",
    "cvt.rna.f16.f32 %h1, %f1;",
    "cvt.rn.bf16.f32 %r1, %f1;",
    "cvt.f32.bf16 %f1, %r1;",
    "cvt.rn.ftz.f16x2.f32 %r1, %f1, %f2;",
    "cvt.rn.sat.f16x2.f32 %r1, %f1, %f2;",
    "cvt.rn.f16x2.f16x2 %r1, %r2;",
    "set.le.f16x2.s32 %r1, %r2, %r3;",
    "set.le.f16x2.f16 %r1, %h2, %h3;",
    "set.le.f32.f16 %f1, %h2, %h3;",
    "set.le.u16.s32 %h1, %r2, %r3;",
};

// Instructions of fp8 want sm_89.
static const char *const newer_forms[] = {
    "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
    "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
    "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;",
    "cvt.rn.satfinite.e4m3x2.e5m2x2 %h1, %h2;",
    "cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r2;",
    "cvt.rn.bf16x2.e5m2x2 %r1, %h2;",
    "cvt.rn.f16x2.e4m3x2 %r1, %r2;",
    "cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h2;",
    "cvt.rna.tf32.e5m2 %r1, %r2;",
    "cvt.rni.s32.e5m2 %r1, %r2;",
    "cvt.f32.e5m2 %f1, %r1;",
    "cvt.rn.e4m3.f32 %h1, %f1;",
};

// sm_90 has vectors of atomics, and others of these forms.
static const char *const hopper_forms[] = {
#include "tests/sim/refused_hopper.def"
};

// sm_90a has others of these forms.
static const char *const own_forms[] = {
    "setmaxnreg.dec.sync.aligned.u32 20;",
    "setmaxnreg.inc.sync.aligned.u32 264;",
    "setmaxnreg.inc.sync.aligned.u32 100;",
    "setmaxnreg.dec.aligned.u32 24;",
    "setmaxnreg.dec.sync.u32 24;",
    "setmaxnreg.dec.sync.aligned.u32 %r1;",
    "setmaxnreg.add.sync.aligned.u32 24;",
    "setmaxnreg.dec.sync.aligned.s32 24;",
    "tensormap.replace.tile.rank.global.b1024.b64 [%d1], %d2;",
    "tensormap.replace.tile.rank.global.b32 [%d1], %r2;",
    "tensormap.replace.tile.global_address.shared.b1024.b64 [%r1], %d2;",
    "tensormap.replace.tile.global_address.global.b1024.b32 [%d1], %r2;",
    "tensormap.replace.tile.box_dim.global.b1024.b32 [%d1], 5, %r2;",
    "tensormap.replace.tile.elemtype.global.b1024.b32 [%d1], 13;",
    "tensormap.replace.tile.elemtype.global.b1024.b32 [%d1], %r1;",
    "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d1], 5;",
    "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d1], 0;",
};

#define ACCUMULATE(types) "wgmma.mma_async.sync.aligned.m64n8" types " "
#define FLOATS            "{%f1, %f2, %f3, %f4}"
#define WORDS             "{%r1, %r2, %r3, %r4}"
static const char *const operands[] = {
#include "tests/sim/refused_operands.def"
};

// Others that ptxas takes.
static const char *const taken_operands[] = {
    "bar.sync 15, 64;",
    "bar.sync 1, 0;",
    "bar.red.popc.u32 %r1, 15, 96, %p1;",
    "mbarrier.arrive.shared.b64 %d1, [%r1], 1;",
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 0;",
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1, 0x989680;",
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 1048560;",
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 0;",
    "cp.async.bulk.global.shared::cta.bulk_group [%r1], [%r1], 16;",
    "ld.const.b32 %r1, [%r2];",
    "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%r2];",
    "st.async.mbarrier::complete_tx::bytes.b32 [%r1], %r3, [%r2];",
    "prefetch.tensormap [%r1];",
    ACCUMULATE("k16.f32.f16.f16") WORDS ", " WORDS ", %d2, 1, 1, 1, 0;",
    ACCUMULATE("k32.s32.s8.s8") WORDS ", " FLOATS ", %d2, 1;",
    ".reg .f16x2 %u<4>;" ACCUMULATE(
        "k16.f16.f16.f16") "{%u0, %u1}, %d1, %d2, 1, 1, 1, 0, 0;",
    "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " FLOATS
    ", %d1, %d2, %f5, 0, 1, 1, 1, 0, 0;",
    "setmaxnreg.inc.sync.aligned.u32 104; setmaxnreg.dec.sync.aligned.u32 104;",
    "setmaxnreg.dec.sync.aligned.u32 256;",
};

// Forms that the chip has, but only in a later version of PTX.
typedef struct {
  const char *chip, *before, *since, *form;
} Version;

static const Version versions[] = {
    {"sm_89", "8.0", "8.1", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"},
    {"sm_89", "8.0", "8.1", "cvt.rn.f16x2.e5m2x2 %r1, %h2;"},
    {"sm_90", NULL, "7.8", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"},
    {"sm_80", "8.0", "8.1", "cvt.rn.satfinite.bf16x2.f32 %r1, %f1, %f2;"},
    {"sm_80", "7.0", "7.1", "cvt.f32.bf16 %f1, %h1;"},
    {"sm_80", NULL, "7.0", "cvt.rn.bf16.f32 %h1, %f1;"},
    {"sm_80", NULL, "7.0", "cvt.rm.ftz.bf16.f32 %h1, %f1;"},
    {"sm_89", "8.3", "8.4",
     "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4},"
     "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"},
    {"sm_89", "8.6", "8.7",
     "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r7,%r8},"
     "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8};"},
    {"sm_90", "8.6", "8.7",
     "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 {%f1,%f2,%f3,%f4},"
     "{%r1,%r2}, {%r5}, {%f1,%f2,%f3,%f4};"},
    {"sm_90", "8.0", "8.1", "red.global.add.v2.f32 [%d1], {%r1, %r2};"},
    {"sm_90", "7.8", "8.0", "add.s16x2 %r1, %r2, %r3;"},
    {"sm_90", "8.5", "8.6", "fence.acquire.gpu;"},
    {"sm_90", "7.8", "8.0", "elect.sync %r1|%p1, -1;"},
    {"sm_90", NULL, "7.8", "barrier.cluster.arrive.aligned;"},
    {"sm_90", "7.8", "8.0", "barrier.cluster.wait.acquire;"},
    {"sm_90", NULL, "7.8", "mapa.u64 %d1, %d2, 1;"},
    {"sm_90", NULL, "7.8", "getctarank.shared::cluster.u32 %r1, %r2;"},
    {"sm_90", "8.0", "8.1",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r1, "
     "[%r2];"},
    {"sm_90", "7.8", "8.0", "cp.async.bulk.commit_group;"},
    {"sm_90", NULL, "8.0", "cp.async.bulk.wait_group.read 3;"},
    {"sm_90", "7.8", "8.0", "cp.async.bulk.prefetch.L2.global [%d1], 16;"},
    {"sm_90", NULL, "8.0",
     "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d1], %r1, %d2;"},
    {"sm_90", NULL, "8.0",
     "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], %r1;"},
    {"sm_90", NULL, "8.0",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[%r2], [%d1], 16, [%r2];"},
    {"sm_90", "8.5", "8.6",
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
     "[%r2], [%d1], 16, [%r2];"},
    {"sm_90", "8.2", "8.3", "fence.proxy.tensormap::generic.release.gpu;"},
    {"sm_90", "8.2", "8.3",
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
     ".sync.aligned [%d1], [%r2], 128;"},
    {"sm_90", "7.8", "8.0", "prefetch.tensormap [%d1];"},
    {"sm_90", "7.8", "8.0", TENSOR_LOAD("1d", "") " [%r2], [%d1, {1}], [%r2];"},
    {"sm_90", "7.8", "8.0", "fence.proxy.async;"},
    {"sm_90", NULL, "8.0", "fence.proxy.async.global;"},
    {"sm_90", NULL, "8.0", "fence.proxy.async.shared::cta;"},
    {"sm_90", NULL, "8.0", "fence.proxy.async.shared::cluster;"},
    {"sm_90", "7.8", "8.0", "fence.mbarrier_init.release.cluster;"},
    {"sm_90", "7.8", "8.0", "mbarrier.expect_tx.shared.b64 [%r2], 16;"},
    {"sm_90", NULL, "8.0",
     "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r2], 16;"},
    {"sm_90", "7.8", "8.0", "mbarrier.arrive.shared::cluster.b64 _, [%r2];"},
    {"sm_90", "8.5", "8.6",
     "mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 _, [%r2], %r1;"},
    {"sm_90", NULL, "7.8",
     "mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r1, 100;"},
    {"sm_80", "7.3", "7.4", "ld.global.L1::evict_last.b32 %r1, [%d1];"},
    {"sm_80", "7.4", "7.5", "cp.async.ca.shared.global [%r1], [%d1], 4, %p1;"},
    {"sm_80", "7.7", "7.8", "ld.shared::cta.b32 %r1, [%r2];"},
    {"sm_80", "7.7", "7.8",
     "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];"},
    {"sm_75", "6.4", "6.5",
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16"
     "{%r1}, [%r2];"},
    {"sm_75", "6.5", "7.0", "tanh.approx.f32 %f1, %f2;"},
};

static const char frame[] =
    ".version %s\n.target %s\n.address_size 64\n"
    ".visible .entry k() { .reg .b32 %%r<9>; .reg .b64 %%d<9>;\n"
    ".reg .b16 %%h<9>; .reg .f32 %%f<9>; .reg .f64 %%g<9>; .reg .pred %%p<9>;\n"
    "%s\nret; }\n";

static int load(const char *version, const char *target, const char *form,
                char log[400]) {
  char text[1000];
  int options[] = {5, 6};
  void *values[] = {log, (void *)(uintptr_t)400};
  CUmodule module;
  log[0] = '\0';
  snprintf(text, sizeof text, frame, version, target, form);
  const int error = cuModuleLoadDataEx(&module, text, 2, options, values);
  if (!error) cuModuleUnload(module);
  return error;
}

static void check_refused(const char *target, const char *form) {
  char log[400];
  if (load("8.7", target, form, log) != INVALID_PTX) fail_msg("%s loads", form);
  if (!strstr(log, "line 6")) fail_msg("%s: %s", form, log);
}

static void test_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    check_refused("sm_80", forms[i]);
}

static void test_newer_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof newer_forms / sizeof *newer_forms; i++)
    check_refused("sm_89", newer_forms[i]);
}

static void test_hopper_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof hopper_forms / sizeof *hopper_forms; i++)
    check_refused("sm_90", hopper_forms[i]);
}

static void test_own_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof own_forms / sizeof *own_forms; i++)
    check_refused("sm_90a", own_forms[i]);
}

static void test_operands(void **state) {
  (void)state;
  char log[400];
  for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
    check_refused("sm_90a", operands[i]);
  for (size_t i = 0; i < sizeof taken_operands / sizeof *taken_operands; i++)
    if (load("8.7", "sm_90a", taken_operands[i], log))
      fail_msg("%s: %s", taken_operands[i], log);
  // The message is about the row that fits best.
  load("8.7", "sm_90a", "bar.sync 1, 48;", log);
  assert_non_null(strstr(log, "operand 2 is 48, no multiple of 32"));
  load("8.7", "sm_90a", ACCUMULATE("k8.f32.tf32.tf32") FLOATS ", 1;", log);
  assert_non_null(strstr(log, "too few operands"));
}

static void test_versions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    const Version *v = &versions[i];
    char log[400];
    if (v->before && load(v->before, v->chip, v->form, log) != INVALID_PTX)
      fail_msg("%s loads as %s", v->form, v->before);
    if (v->before && !strstr(log, "wants PTX")) fail_msg("%s", log);
    if (load(v->since, v->chip, v->form, log)) fail_msg("%s", log);
  }
}

// sm_90a is of PTX 8.0; sm_90 has no other suffix, and chips before it none.
static void test_targets(void **state) {
  (void)state;
  char log[400];
  assert_int_equal(load("8.0", "sm_90a", "", log), 0);
  assert_int_equal(load("9.4", "sm_90a", "", log), 0);
  assert_int_equal(load("7.8", "sm_90", "", log), 0);
  assert_int_equal(load("7.8", "sm_90a", "", log), INVALID_PTX);
  assert_non_null(strstr(log, "PTX 7.8 has no sm_90a"));
  assert_int_equal(load("8.7", "sm_80a", "", log), INVALID_PTX);
  assert_non_null(strstr(log, "unknown target 'sm_80a'"));
  assert_int_equal(load("8.8", "sm_90f", "", log), INVALID_PTX);
  assert_non_null(strstr(log, "unknown target 'sm_90f'"));
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),        cmocka_unit_test(test_newer_forms),
      cmocka_unit_test(test_hopper_forms), cmocka_unit_test(test_own_forms),
      cmocka_unit_test(test_operands),     cmocka_unit_test(test_versions),
      cmocka_unit_test(test_targets)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
