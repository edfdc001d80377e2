// workloads.h -- loops of one kind of instruction each, for bench_sim.
#ifndef TILE_TESTS_WORKLOADS_H
#define TILE_TESTS_WORKLOADS_H

typedef struct {
  const char *name, *body; // four instructions
  unsigned trips;
} Workload;

static const Workload workloads[] = {
    {"integer",
     "mad.lo.s32 %r1, %r2, %r3, %r4; add.s32 %r2, %r1, %r5;\n"
     "xor.b32 %r3, %r2, %r1; shl.b32 %r4, %r3, 3;\n",
     6000},
    {"float",
     "fma.rn.f32 %f1, %f2, %f3, %f4; add.f32 %f2, %f1, %f3;\n"
     "mul.f32 %f3, %f1, %f4; max.f32 %f4, %f2, %f5;\n",
     6000},
    {"half",
     "fma.rn.f16x2 %r1, %r2, %r3, %r4; add.f16x2 %r2, %r1, %r3;\n"
     "mul.f16x2 %r3, %r1, %r4; sub.f16x2 %r4, %r2, %r5;\n",
     300},
    {"special",
     "ex2.approx.ftz.f32 %f1, %f2; lg2.approx.ftz.f32 %f2, %f1;\n"
     "rcp.approx.ftz.f32 %f3, %f1; sqrt.approx.f32 %f4, %f2;\n",
     1000},
    {"convert and select",
     "cvt.rn.f32.s32 %f1, %r1; cvt.rzi.s32.f32 %r1, %f2;\n"
     "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r3, %r1, %r2, %p1;\n",
     1000},
    {"shared memory",
     "st.shared.b32 [%a], %r1; ld.shared.b32 %r1, [%a];\n"
     "st.shared.v4.b32 [%b], {%r1, %r2, %r3, %r4};\n"
     "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%b];\n",
     1000},
    {"global memory",
     "ld.global.b32 %r1, [%g]; st.global.b32 [%h], %r1;\n"
     "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%g];\n"
     "st.global.v4.b32 [%h], {%r1, %r2, %r3, %r4};\n",
     1000},
    {"shuffle and barrier",
     "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; bar.sync 0;\n"
     "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
     "vote.sync.ballot.b32 %r3, %p1, -1;\n",
     1000},
    {"ldmatrix",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%b];\n"
     "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16\n"
     "  {%r1, %r2, %r3, %r4}, [%b];\n"
     "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%b];\n"
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%b];\n",
     500},
#define MMA(shape, types, a, b)                                                \
  "mma.sync.aligned." shape ".row.col." types "\n"                             \
  "  {%f1, %f2, %f3, %f4}, " a ", " b ", {%f1, %f2, %f3, %f4};\n"
#define FOUR(text) text text text text
    {"mma f16",
     FOUR(MMA("m16n8k16", "f32.f16.f16.f32", "{%r1, %r2, %r3, %r4}",
              "{%r5, %r6}")),
     200},
    {"mma tf32",
     FOUR(MMA("m16n8k8", "f32.tf32.tf32.f32", "{%r1, %r2, %r3, %r4}",
              "{%r5, %r6}")),
     200},
};

#undef MMA
#undef FOUR

#endif
