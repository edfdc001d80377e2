// test_sim_forms.c -- instructions that few programs use, by value.
//
// The values of a row are worked out by hand from the manual's text.
//
// Backs I2 of runtime/simulator/code.
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

static uint32_t words[128]; // contents of `in`

static void fill_words(void) {
  for (uint32_t i = 0; i < 128; i++) words[i] = i * 0x01010101u;
}

// Runs a body for `threads` threads; out[t] is %r9 after it.
static void run_body(const char *body, unsigned threads, uint32_t *out) {
  char text[4096];
  snprintf(text, sizeof text,
           ".reg .b128 %%q<4>; .reg .b64 %%addr;\n"
           ".shared .align 16 .b8 s[1024];\n"
           "mul.wide.u32 %%addr, %%t, 4; add.u64 %%addr, %%addr, %%out;\n"
           "%s\nst.global.u32 [%%addr], %%r9;",
           body);
  CUmodule module = kit_load_body(text);
  CUdeviceptr address = kit_upload(NULL, 4 * threads);
  CUdeviceptr in = kit_upload(words, sizeof words);
  void *params[] = {&address, &in};
  const KitShape shape = {{1}, {threads}, 0};
  if (kit_run(module, "k", shape, params)) fail_msg("%s", body);
  kit_download(out, address, 4 * threads);
  assert_int_equal(cuMemFree_v2(in), 0);
  assert_int_equal(cuModuleUnload(module), 0);
}

typedef struct {
  const char *body;
  uint32_t result;
} Row;

static const Row rows[] = {
    // Masks and fields
    {"mov.b32 %r1, 5; bmsk.clamp.b32 %r9, %r1, 8;", 0x1fe0},
    {"mov.b32 %r1, 5; bmsk.wrap.b32 %r9, %r1, 40;", 0x1fe0},
    {"mov.b32 %r1, 5; bmsk.clamp.b32 %r9, %r1, 40;", 0xffffffe0},
    {"mov.b32 %r1, 33; bmsk.clamp.b32 %r9, %r1, 3;", 0},
    {"mov.b32 %r1, 33; bmsk.wrap.b32 %r9, %r1, 3;", 0xe},
    {"mov.b32 %r1, 30; bmsk.wrap.b32 %r9, %r1, 3;", 0xc0000000},
    {"mov.b32 %r1, 0xf8; szext.wrap.s32 %r9, %r1, 4;", 0xfffffff8},
    {"mov.b32 %r1, 0xf8; szext.wrap.u32 %r9, %r1, 4;", 8},
    {"mov.b32 %r1, 0xf8; szext.wrap.s32 %r9, %r1, 3;", 0},
    {"mov.b32 %r1, 0xf8; szext.clamp.s32 %r9, %r1, 32;", 0xf8},
    {"mov.b32 %r1, 0xf8; szext.wrap.s32 %r9, %r1, 32;", 0},
    {"mov.b32 %r1, 0xb4; fns.b32 %r9, %r1, 0, 2;", 4},
    {"mov.b32 %r1, 0xb4; fns.b32 %r9, %r1, 7, -2;", 5},
    {"mov.b32 %r1, 0xb4; fns.b32 %r9, %r1, 2, 0;", 2},
    {"mov.b32 %r1, 0xb4; fns.b32 %r9, %r1, 3, 0;", 0xffffffff},
    {"mov.b32 %r1, 0xb4; fns.b32 %r9, %r1, 3, 9;", 0xffffffff},
    // Dot products of halves with bytes: (3, -2) and (4, 5, 6, 7)
    {"mov.b32 %r1, 0xfffe0003; mov.b32 %r2, 0x07060504;"
     "dp2a.lo.s32.s32 %r9, %r1, %r2, 10;",
     12},
    {"mov.b32 %r1, 0xfffe0003; mov.b32 %r2, 0x07060504;"
     "dp2a.hi.s32.u32 %r9, %r1, %r2, 10;",
     14},
    {"mov.b32 %r1, 0xffff0001; mov.b32 %r2, 0x000000ff;"
     "dp2a.lo.u32.s32 %r9, %r1, %r2, 5;",
     4},
    {"mov.b32 %r1, 0x7fffff; mad24.hi.sat.s32 %r9, %r1, %r1, 0x7fffffff;",
     0x7fffffff},
    {"mov.b32 %r1, 0x7fffff; mad24.hi.s32 %r9, %r1, %r1, 1;", 0x3fffff01},
    // Minima and maxima by magnitude: -3 and 2, -3 and -2
    {"mov.b32 %f1, 0fC0400000; min.xorsign.abs.f32 %f2, %f1, 0f40000000;"
     "mov.b32 %r9, %f2;",
     0xc0000000},
    {"mov.b32 %f1, 0fC0400000; max.xorsign.abs.f32 %f2, %f1, 0fC0000000;"
     "mov.b32 %r9, %f2;",
     0x40400000},
    {"mov.b32 %r1, 0xc200c200; mov.b32 %r2, 0xc0004000;"
     "min.xorsign.abs.f16x2 %r9, %r1, %r2;",
     0x4000c000},
    {"mov.b32 %r1, 0xc0403f80; mov.b32 %r2, 0x7fc04000;"
     "max.xorsign.abs.bf16x2 %r9, %r1, %r2;",
     0xc0404000},
    {"mov.b16 %h1, 0x0001; neg.ftz.f16 %h2, %h1; cvt.u32.u16 %r9, %h2;",
     0x8000},
    {"mov.b32 %r1, 0x8001bc00; abs.ftz.f16x2 %r9, %r1;", 0x00003c00},
    {"ld.weak.global.ca.b32 %r9, [%in+8];", 0x02020202},
    {"ld.global.v8.b16 {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}, [%in+16];"
     "st.shared.v8.b16 [s], {%h1,%h2,%h3,%h4,%h5,%h6,%h8,%h7};"
     "ld.shared.v2.b16 {%h1,%h2}, [s+12]; mov.b32 %r9, {%h2,%h1};",
     0x07070707},
    // Special registers; the CTA is of one thread, out of a grid of one.
    {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid; shl.b32 %r2, %r2, 4;"
     "shl.b32 %r3, %r3, 8; shl.b32 %r4, %r4, 12; add.u32 %r9, %r1, %r2;"
     "add.u32 %r9, %r9, %r3; add.u32 %r9, %r9, %r4;",
     0x111},
    {"mov.v4.b16 {%h1, %h2, %h3, %h4}, %nctaid; mov.b32 %r9, {%h4, %h3};",
     0x10000},
    {"mov.u16 %h1, %ntid.y; cvt.u32.u16 %r1, %ntid.z; cvt.u32.u16 %r9, %h1;"
     "add.u32 %r9, %r9, %r1;",
     2},
    {"mov.u32 %r9, %total_smem_size;", 1024},
    // Addresses in registers of 16 bits, and in special ones
    {"st.shared.u32 [s+8], 5; mov.u32 %r1, s; cvt.u16.u32 %h1, %r1;"
     "ld.shared.u32 %r9, [%h1+8];",
     5},
    {"st.shared.u32 [s+4], 6; ld.shared.u32 %r9, [%laneid+4];", 6},
    {"mov.u32 %r1, %gridid; mov.u64 %d1, %gridid; cvt.u32.u64 %r2, %d1;"
     "sub.u32 %r9, %r1, %r2;",
     0},
    {"mov.u32 %r1, %envreg0; mov.u32 %r2, %envreg31; mov.u32 %r3, %pm7;"
     "mov.u64 %d1, %pm0_64; mov.u64 %d2, %current_graph_exec;"
     "cvt.u32.u64 %r4, %d1; or.b32 %r9, %r1, %r2; or.b32 %r9, %r9, %r3;"
     "or.b32 %r9, %r9, %r4;",
     0},
    {"mov.u32 %r1, %reserved_smem_offset_begin;"
     "mov.u32 %r2, %reserved_smem_offset_end; sub.u32 %r1, %r2, %r1;"
     "mov.u32 %r3, %reserved_smem_offset_cap; add.u32 %r9, %r1, %r3;",
     2048},
    // The system's shared memory begins as zeros.
    {"mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [s], 9;"
     "atom.shared.add.u32 %r2, [%r1], 7; ld.shared.u32 %r3, [%r1];"
     "shl.b32 %r2, %r2, 4; cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d1, %d1;"
     "ld.u32 %r4, [%d1+4]; add.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4;",
     7},
    {"mov.u32 %r9, %ntid.r;", 1},
    {"mov.u32 %r9, WARP_SZ*2-1;", 63},
    // Names that say in which space they are, and elements
    {"st.u32 [s+4], 9; ld.u32 %r9, [s+4];", 9},
    {".shared .u32 a[4]; mov.u32 %r1, a; mov.u32 %r2, a[2];"
     "sub.u32 %r9, %r2, %r1;",
     8},
    {".shared .u32 a[4]; st.shared.u32 a[1+2], 7; ld.shared.u32 %r9, [a+12];",
     7},
    // Memory of a function's own
    {".global .u32 g[2] = {5, 6}; { .const .u32 g = 3;"
     "ld.const.u32 %r1, [g]; } atom.global.add.u32 %r2, [g+4], 1;"
     "ld.global.u32 %r3, g[1]; shl.b32 %r2, %r2, 4; shl.b32 %r3, %r3, 8;"
     "or.b32 %r9, %r1, %r2; or.b32 %r9, %r9, %r3;",
     0x763},
    // Vectors of registers
    {".reg .v4 .b32 v, w<3>; ld.global.v4.b32 v, [%in+16];"
     "mov.v4.b32 w1, {v.w, v.z, v.y, v.x};"
     "mov.v4.b32 w1, {w1.y, w1.x, w1.w, w1.z};"
     "shl.b32 w1.y, w1.y, 4; add.u32 %r9, w1.r, w1.g;",
     0x76767676},
    {".reg .v2 .b16 v; mov.b32 v, 0x00050003; add.u16 v.x, v.x, v.y;"
     "mov.b32 %r9, v;",
     0x00050008},
    {".reg .v4 .u16 v; mov.v4.u16 v, %ntid; mov.b64 %d1, v;"
     "{ .reg .b32 v; cvt.u32.u64 v, %d1; mov.b32 %r9, v; }",
     0x00010001},
    // Carries: for 16 bits, and with saturation
    {"add.cc.u32 %r1, 0xffffffff, 1; mov.b16 %h1, 0xfff0;"
     "addc.u16 %h2, %h1, 5; cvt.u32.u16 %r9, %h2;",
     0xfff6},
    {"sub.cc.u32 %r1, 0, 1; mov.b16 %h1, 5; subc.s16 %h2, %h1, 3;"
     "cvt.u32.u16 %r9, %h2;",
     1},
    {"add.cc.u32 %r1, 0xffffffff, 1; mov.b16 %h1, 300;"
     "madc.lo.u16 %h2, %h1, %h1, 1; cvt.u32.u16 %r9, %h2;",
     90002 & 0xffff},
    {"add.cc.u32 %r1, 0xffffffff, 1; mov.b32 %r1, 0x7fffffff;"
     "addc.sat.s32 %r9, %r1, 0;",
     0x7fffffff},
    {"sub.cc.u32 %r1, 0, 1; mov.b32 %r1, 0x80000000;"
     "subc.sat.s32 %r9, %r1, 0;",
     0x80000000},
    {"add.cc.u32 %r1, 0xffffffff, 1; mov.b32 %r1, 0x40000000;"
     "madc.hi.sat.s32 %r9, %r1, -4, 7;",
     7},
    {"add.cc.u32 %r1, 0xffffffff, 1; mov.b32 %r1, 0x40000000;"
     "madc.hi.sat.s32 %r9, %r1, 4, 0x7fffffff;",
     0x7fffffff},
    // Packing
    {"mov.b32 %r1, 300; mov.b32 %r2, -300;"
     "cvt.pack.sat.s8.s32.b32 %r9, %r1, %r2, 0x11223344;",
     0x33447f80},
    {"mov.b32 %r1, 70000; cvt.pack.sat.u16.s32 %r9, %r1, -5;", 0xffff0000},
    {"mov.b32 %r1, 9; cvt.pack.sat.s4.s32.b32 %r9, %r1, -9, 0x11223344;",
     0x22334478},
    {"mov.b64 %d1, 0x1111222233334444; mov.b64 %d2, 0x5555666677778888;"
     "mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, %q1; mov.b128 {%d3, %d4}, %q2;"
     "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r9, %d4;",
     0x55556666},
    {"ld.global.b128 %q1, [%in+16]; st.shared.b128 [s+32], %q1;"
     "ld.shared.b128 %q2, [s+32]; mov.b128 {%d3, %d4}, %q2;"
     "cvt.u32.u64 %r9, %d4;",
     0x06060606},
    {"mov.b32 %r1, 0x3f800000; mov.b32 %r2, 0x40000000; mov.b64 %d1, {%r1, "
     "%r2};"
     "mov.b64 %d2, {%r2, %r1}; cvt.rn.f16x2.f32 %r9, %d1, %d2;",
     0x3c004000},
    // Predicates
    {"setp.eq.u32 %p1, 1, 1; and.pred %p3, !%p1, %p1; selp.b32 %r9, 1, 2, %p3;",
     2},
    {"setp.eq.u32 %p1, 1, 1; xor.pred %p3, %p1, !%p1; selp.b32 %r9, 1, 2, %p3;",
     1},
    {"setp.eq.u32 %p1, 1, 1; or.pred %p3, !%p1, !%p1; selp.b32 %r9, 1, 2, %p3;",
     2},
    // Divisors beyond 2^126 are too large for div.approx, not for div.full
    {"mov.b32 %f1, 0f40000000; mov.b32 %f2, 0f7E800000;"
     "div.approx.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;",
     0x01000000},
    {"mov.b32 %f1, 0fC0000000; mov.b32 %f2, 0f7F000000;"
     "div.approx.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;",
     0x80000000},
    {"mov.b32 %f1, 0f40000000; mov.b32 %f2, 0f7F000000;"
     "div.full.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;",
     0x00800000},
    {"mov.b32 %f1, 0f40000000; mov.b32 %f2, 0fFF800000;"
     "div.approx.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;",
     0x80000000},
    {"mov.b32 %f1, 0f80000001; slct.ftz.u32.f32 %r1, 1, 2, %f1;"
     "slct.u32.f32 %r2, 1, 2, %f1; shl.b32 %r2, %r2, 4; or.b32 %r9, %r1, %r2;",
     0x21},
    {"mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3c003c00; setp.eq.u32 %p1, 1, 1;"
     "set.le.and.f16x2.f16x2 %r9, %r1, %r2, %p1;",
     0x00003c00},
    {"mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3c003c00; setp.eq.u32 %p1, 1, 1;"
     "set.le.xor.u32.f16x2 %r9, %r1, %r2, %p1;",
     0xffff0000},
    {"mov.b32 %r1, 12; lop3.or.b32 %r2|%p1, %r1, 10, 6, 0x80, 0;"
     "selp.b32 %r9, %r2, 77, %p1;",
     77},
    {"mov.b32 %r1, 12; setp.eq.u32 %p2, %r1, 12;"
     "lop3.and.b32 %r2|%p1, %r1, 10, 6, 0xfe, %p2; selp.b32 %r9, %r2, 77, %p1;",
     14},
    {"mov.b32 %r1, 12; setp.eq.u32 %p2, %r1, 12;"
     "lop3.or.b32 %r2|%p1, %r1, 10, 6, 0, %p2; selp.b32 %r9, %r2, 77, %p1;",
     0},
    {"mov.b32 %r1, 12; setp.eq.u32 %p2, %r1, 12;"
     "lop3.and.b32 %r2|%p1, %r1, 10, 6, 0xff, %p2; selp.b32 %r9, %r2, 77, %p1;",
     0xffffffff},
    {"isspacep.const %p1, %in; selp.b32 %r9, 1, 2, %p1;", 2},
    // mbarriers: two arrivals, of which one is the last ever
    {"mbarrier.init.shared.b64 [s], 2; mbarrier.arrive.shared.b64 %d1, [s];"
     "mbarrier.arrive_drop.shared.b64 %d2, [s];"
     "mbarrier.pending_count.b64 %r1, %d1; mbarrier.pending_count.b64 %r2, %d2;"
     "mbarrier.arrive.shared.b64 %d3, [s]; mbarrier.pending_count.b64 %r3, %d3;"
     "mbarrier.test_wait.shared.b64 %p1, [s], %d3; selp.b32 %r4, 1, 0, %p1;"
     "shl.b32 %r2, %r2, 4; shl.b32 %r3, %r3, 8; shl.b32 %r4, %r4, 12;"
     "or.b32 %r9, %r1, %r2; or.b32 %r9, %r9, %r3; or.b32 %r9, %r9, %r4;",
     0x1112},
};

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t out[1];
    run_body(rows[i].body, 1, out);
    if (out[0] != rows[i].result)
      fail_msg("0x%x, not 0x%x: %s", out[0], rows[i].result, rows[i].body);
  }
}

// Element (r, c) is 8 r + c; a lane holds two of a row.
static void test_movmatrix(void **state) {
  (void)state;
  uint32_t out[32];
  run_body("shl.b32 %r1, %t, 1; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16;"
           "or.b32 %r1, %r1, %r2;"
           "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r1;",
           32, out);
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t row = lane / 4, column = lane % 4 * 2;
    assert_int_equal(out[lane] & 0xffff, column * 8 + row);
    assert_int_equal(out[lane] >> 16, (column + 1) * 8 + row);
  }
}

// Copies that an mbarrier awaits, each of one thread for the next.
static void test_copies_arrive(void **state) {
  (void)state;
  static const char *const arrivals[2] = {
      // 64 arrivals of copies, or 64 of threads that copies are added to
      "cp.async.mbarrier.arrive.noinc.shared.b64 [s];",
      "cp.async.mbarrier.arrive.shared.b64 [s];"
      "mbarrier.arrive.shared.b64 %d5, [s];"};
  for (int i = 0; i < 2; i++) {
    char body[1024];
    uint32_t out[64];
    snprintf(body, sizeof body,
             "setp.ne.u32 %%p1, %%t, 0;"
             "@!%%p1 mbarrier.init.shared.b64 [s], 64; bar.sync 0;"
             "shl.b32 %%r1, %%t, 2; cvt.u64.u32 %%d1, %%r1;"
             "add.u64 %%d2, %%in, %%d1; mov.b32 %%r2, s;"
             "add.u32 %%r3, %%r2, %%r1; xor.b32 %%r4, %%r1, 252;"
             "add.u32 %%r4, %%r4, %%r2;"
             "cp.async.ca.shared.global [%%r3+64], [%%d2], 4; %s"
             "W: mbarrier.test_wait.parity.shared.b64 %%p2, [s], 0;"
             "@!%%p2 bra W; ld.shared.b32 %%r9, [%%r4+64];",
             arrivals[i]);
    run_body(body, 64, out);
    for (uint32_t t = 0; t < 64; t++)
      assert_int_equal(out[t], (63 - t) * 0x01010101u);
    assert_string_equal(kit_reports(), "");
  }
}

// -- mma.sync.m8n8k4 of f16 --------------------------------------------------

static uint16_t small_half(int v) { // 0..7
  static const uint16_t halves[] = {0,      0x3c00, 0x4000, 0x4200,
                                    0x4400, 0x4500, 0x4600, 0x4700};
  return halves[v];
}

// The element that the manual's tables give to lane and index.
static void place_a(bool is_row, int lane, int i, int *row, int *column) {
  const int high = lane < 16 ? 0 : 4;
  *row = (is_row ? lane % 4 : i % 4) + high;
  *column = is_row ? i : lane % 4;
}

static void place_b(bool is_row, int lane, int i, int *row, int *column) {
  const int high = lane < 16 ? 0 : 4;
  *row = is_row ? lane % 4 : i;
  *column = (is_row ? i : lane % 4) + high;
}

static void place_c(int lane, int i, int *row, int *column) {
  *row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
  *column = (i & 4) + (lane & 2) + (i & 1);
}

typedef struct {
  int a[4][8][4], b[4][4][8];
} Quads;

static void make_quads(Quads *q, bool a_row, bool b_row) {
  uint32_t state = 7;
  for (int lane = 0; lane < 32; lane++) {
    uint16_t *halves = (uint16_t *)(void *)&words[lane * 4];
    for (int i = 0; i < 4; i++) {
      const int quad = lane % 16 / 4;
      const int x = (int)(kit_random(&state) % 8);
      const int y = (int)(kit_random(&state) % 8);
      int row, column;
      place_a(a_row, lane, i, &row, &column);
      q->a[quad][row][column] = x;
      halves[i] = small_half(x);
      place_b(b_row, lane, i, &row, &column);
      q->b[quad][row][column] = y;
      halves[4 + i] = small_half(y);
    }
  }
}

static void check_quads(const Quads *q, int i, const uint32_t out[32]) {
  for (int lane = 0; lane < 32; lane++) {
    int row, column, sum = 100;
    place_c(lane, i, &row, &column);
    for (int k = 0; k < 4; k++)
      sum += q->a[lane % 16 / 4][row][k] * q->b[lane % 16 / 4][k][column];
    const float value = (float)sum;
    assert_int_equal(out[lane], single_bits(value));
  }
}

static void test_quads(void **state) {
  (void)state;
  static const char *const names[2] = {"col", "row"};
  for (int i = 0; i < 32; i++) {
    Quads q;
    char body[1024];
    uint32_t out[32];
    make_quads(&q, i & 8, i & 16);
    snprintf(body, sizeof body,
             "shl.b32 %%r1, %%t, 4; cvt.u64.u32 %%d1, %%r1;"
             "add.u64 %%d1, %%d1, %%in; mov.f32 %%f20, 0f42C80000;"
             "ld.global.v4.b32 {%%r1,%%r2,%%r3,%%r4}, [%%d1];"
             "mma.sync.aligned.m8n8k4.%s.%s.f32.f16.f16.f32"
             "{%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7}, {%%r1,%%r2},"
             "{%%r3,%%r4}, {%%f20,%%f20,%%f20,%%f20,%%f20,%%f20,%%f20,%%f20};"
             "mov.b32 %%r9, %%f%d;",
             names[i >> 3 & 1], names[i >> 4], i & 7);
    run_body(body, 32, out);
    check_quads(&q, i & 7, out);
  }
  fill_words();
}

// Every instruction of the manual's that is not refused; ptxas accepts it, too.
static void test_isa(void **state) {
  (void)state;
  assert_int_equal(cuModuleUnload(kit_load("isa.ptx")), 0);
}

// Ones of e4m3 by twos of e5m2.
static void test_mixed_fp8(void **state) {
  (void)state;
  uint32_t out[32];
  run_body("mov.b32 %r1, 0x38383838; mov.b32 %r2, 0x40404040; mov.f32 %f9, 0.0;"
           "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"
           "{%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r2,%r2},"
           "{%f9,%f9,%f9,%f9}; mov.b32 %r9, %f3;",
           32, out);
  for (int i = 0; i < 32; i++) assert_int_equal(out[i], 0x42800000); // 64
}

// 1 + 2^-60, once or four times, in each rounding.
static void test_double_rounding(void **state) {
  (void)state;
  static const char *const modes[] = {"", ".rn", ".rz", ".rm", ".rp"};
  for (uint32_t i = 0; i < 10; i++) {
    char body[1024];
    uint32_t out[32];
    const bool up = i / 2 == 4, is_wmma = i % 2;
    snprintf(body, sizeof body,
             "and.b32 %%r1, %%t, %d; setp.eq.u32 %%p1, %%r1, 0;"
             "selp.f64 %%g1, 1.0, 0.0, %%p1;"
             "selp.f64 %%g2, 0d3c30000000000000, 0.0, %%p1; mov.f64 %%g3, 1.0;"
             "%s.aligned%s.f64.f64.f64.f64 {%%g5,%%g6}, {%%g1}, {%%g2},"
             "{%%g3,%%g3}; mov.b64 {%%r9, %%r2}, %%g6;",
             is_wmma ? 0 : 3, is_wmma ? "wmma.mma.sync" : "mma.sync",
             is_wmma ? ".row.col.m8n8k4" : ".m8n8k4.row.col");
    char *place = strstr(body, ".f64.f64.f64.f64");
    memmove(place + strlen(modes[i / 2]), place, strlen(place) + 1);
    memcpy(place, modes[i / 2], strlen(modes[i / 2]));
    run_body(body, 32, out);
    for (int lane = 0; lane < 32; lane++)
      assert_int_equal(out[lane], !up ? 0 : is_wmma ? 4 : 1);
  }
}

int main(void) {
  fill_words();
  setenv("TILE_SIM_CHIP", "sm_89", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),          cmocka_unit_test(test_movmatrix),
      cmocka_unit_test(test_copies_arrive),   cmocka_unit_test(test_quads),
      cmocka_unit_test(test_mixed_fp8),       cmocka_unit_test(test_isa),
      cmocka_unit_test(test_double_rounding),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
