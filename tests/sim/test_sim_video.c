// test_sim_video.c -- the video instructions, against results computed from the
// manual's formulas, and forms that do not exist.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *text; // %r1, %r2 and %r3 to %r4
  uint32_t result;
} Case;

static const char inputs[] =
    "mov.u32 %r1, 0x80ff017f; mov.u32 %r2, 0x7f01ff80;\n"
    "mov.u32 %r3, 0x11223344;\n";

static const Case cases[] = {
    {"vadd.s32.s32.s32 %r4, %r1, %r2;", 0x000100ff},
    {"vadd.s32.u32.u32.sat %r4, %r1, %r2;", 0x7fffffff},
    {"vadd.u32.s32.s32.sat %r4, %r1.b2, %r2.h0;", 0x00000000},
    {"vsub.s32.u32.s32 %r4, %r1.h1, %r2.b3;", 0x00008080},
    {"vsub.s32.u32.u32.add %r4, %r1.b0, %r2.b1, %r3;", 0x112232c4},
    {"vsub.u32.u32.u32.sat %r4.b2, %r1.b0, %r2.b1, %r3;", 0x11003344},
    {"vabsdiff.u32.s32.s32 %r4, %r1.b3, %r2.b3;", 0x000000ff},
    {"vabsdiff.u32.u32.u32.max %r4, %r1.h0, %r2.h0, %r3;", 0x11223344},
    {"vmin.s32.s32.u32 %r4, %r1, %r2;", 0x80ff017f},
    {"vmax.u32.u32.u32.min %r4, %r1, %r2, %r3;", 0x11223344},
    {"vmax.s32.s32.s32 %r4.h1, %r1.b1, %r2.b0, %r3;", 0x00013344},
    {"vshl.u32.u32.u32.clamp %r4, %r1, %r2.b2;", 0x01fe02fe},
    {"vshl.s32.s32.u32.sat.clamp %r4, %r1, %r2.b2;", 0x80000000},
    {"vshr.s32.s32.u32.clamp %r4, %r1, %r2;", 0xffffffff},
    {"vshr.u32.u32.u32.wrap %r4, %r1, %r3;", 0x080ff017},
    {"vset.s32.u32.lt %r4, %r1.b3, %r2.b3;", 0x00000001},
    {"vset.u32.u32.gt.add %r4, %r1, %r2, %r3;", 0x11223345},
    {"vmad.s32.s32.s32 %r4, %r1.h0, %r2.h1, %r3;", 0x11e035c3},
    {"vmad.u32.u32.u32.po.shr7 %r4, %r1.b3, %r2.b3, %r3;", 0x002244e5},
    {"vmad.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x80000000},
    {"vmad.s32.s32.s32.shr15 %r4, %r1, %r2.b0, %r3;", 0x007f2342},
    {"vadd2.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x000000ff},
    {"vadd2.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x000000ff},
    {"vsub2.u32.u32.u32.sat %r4.h1, %r1, %r2, %r3;", 0x01fe3344},
    {"vadd2.u32.u32.u32 %r4, %r1.h02, %r2.h31, %r3;", 0x8080807f},
    {"vabsdiff2.s32.s32.s32.add %r4, %r1, %r2, %r3;", 0x11233345},
    {"vavrg2.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x80008080},
    {"vset2.s32.s32.lt %r4, %r1, %r2, %r3;", 0x00010000},
    {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x01fefe01},
    {"vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0x11223542},
    {"vmin4.s32.s32.s32 %r4.b31, %r1, %r2, %r3;", 0x8022ff44},
    {"vsub4.u32.u32.u32 %r4, %r1.b0527, %r2.b4613, %r3;", 0xfffefeff},
    {"vmax4.u32.u32.u32.add %r4.b10, %r1, %r2, %r3;", 0x112234c3},
    {"vavrg4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x80808080},
    {"vadd4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0xff0000ff},
    {"vset4.u32.u32.ge.add %r4, %r1, %r2, %r3;", 0x11223346},
};

static void test_results(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[1000];
    uint32_t found;
    snprintf(body, sizeof body, "%s%s\nst.global.u32 [%%out], %%r4;\n", inputs,
             cases[i].text);
    CUmodule module = kit_load_body(body);
    CUdeviceptr out = kit_upload(NULL, 4), in = kit_upload(NULL, 4);
    void *params[] = {&out, &in};
    assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 0);
    kit_download(&found, out, 4);
    assert_int_equal(cuMemFree_v2(in), 0);
    cuModuleUnload(module);
    if (found != cases[i].result)
      fail_msg("%s gave 0x%08x, not 0x%08x", cases[i].text, found,
               cases[i].result);
  }
}

static void test_refused(void **state) {
  static const char *const wrong[] = {
      "vadd.s32.s32.s32 %r4.b0, %r1, %r2;",  // nothing to merge with
      "vadd.s32.s32.s32 %r4, %r1.b01, %r2;", // two parts
      "vadd.s32.s32.s32 %r4, %r1.b4, %r2;",  // no such byte
      "vadd.s32.s32.s32 %r4, -%r1, %r2;",    // only numbers have a sign
      "vadd.s32.s32.s16 %r4, %r1, %r2;",     // no such type
      "vshl.s32.s32.u32 %r4, %r1, %r2;",     // clamp or wrap?
      "vadd2.s32.s32.s32.sat.add %r4, %r1, %r2, %r3;", // not both
      "vadd2.s32.s32.s32.min %r4, %r1, %r2, %r3;",     // sums only
      "vadd2.s32.s32.s32 %r4, %r1.h0, %r2, %r3;",      // one half
      "vadd4.s32.s32.s32 %r4.b5, %r1, %r2, %r3;",      // no such byte
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[1000];
    CUmodule module;
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k() { .reg .b32 %%r<9>;\n%s\nret; }\n",
             wrong[i]);
    if (cuModuleLoadDataEx(&module, text, 0, NULL, NULL) != 218)
      fail_msg("%s loads", wrong[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
