// test_codegen_host.c -- host code against the interpreter, kernel by kernel.
#include "host_kit.h"

static const int64_t one[] = {1, 1, 1};

static void adds_vectors(void **state) {
  (void)state;
  const char *text =
      "kernel @add(%x: ptr<f32>, %y: ptr<f32>, %out: ptr<f32>, %n: i32) {\n"
      "  %pid = program_id {axis = 0} : i32\n"
      "  %size = constant {value = 64} : i32\n"
      "  %start = muli %pid, %size : i32\n"
      "  %lanes = arange {start = 0, end = 64} : tile<64xi32>\n"
      "  %starts = splat %start : tile<64xi32>\n"
      "  %offs = addi %starts, %lanes : tile<64xi32>\n"
      "  %ns = splat %n : tile<64xi32>\n"
      "  %mask = cmpi %offs, %ns {predicate = lt} : tile<64xi1>\n"
      "  %xs = splat %x : tile<64xptr<f32>>\n"
      "  %xp = addptr %xs, %offs : tile<64xptr<f32>>\n"
      "  %a = load %xp mask(%mask) : tile<64xf32>\n"
      "  %ys = splat %y : tile<64xptr<f32>>\n"
      "  %yp = addptr %ys, %offs : tile<64xptr<f32>>\n"
      "  %b = load %yp mask(%mask) : tile<64xf32>\n"
      "  %sum = addf %a, %b : tile<64xf32>\n"
      "  %os = splat %out : tile<64xptr<f32>>\n"
      "  %op = addptr %os, %offs : tile<64xptr<f32>>\n"
      "  store %op, %sum mask(%mask)\n"
      "  return\n"
      "}\n";
  const HostArg args[] = {{.count = 1000, .low = -1, .high = 1},
                          {.count = 1000, .low = -1, .high = 1},
                          {.count = 1000},
                          {.scalar = 999}};
  host_same(text, (int64_t[]){16, 1, 1}, args, 0);
}

static void reduces_rows(void **state) {
  (void)state;
  const char *text =
      "kernel @rows(%x: ptr<f32>, %out: ptr<f32>) {\n"
      "  %r = arange {start = 0, end = 8} : tile<8xi32>\n"
      "  %c = arange {start = 0, end = 32} : tile<32xi32>\n"
      "  %r1 = expand_dims %r {axis = 1} : tile<8x1xi32>\n"
      "  %c1 = expand_dims %c {axis = 0} : tile<1x32xi32>\n"
      "  %k = constant {value = 32} : tile<8x1xi32>\n"
      "  %r2 = muli %r1, %k : tile<8x1xi32>\n"
      "  %r3 = broadcast %r2 : tile<8x32xi32>\n"
      "  %c3 = broadcast %c1 : tile<8x32xi32>\n"
      "  %offs = addi %r3, %c3 : tile<8x32xi32>\n"
      "  %xs = splat %x : tile<8x32xptr<f32>>\n"
      "  %p = addptr %xs, %offs : tile<8x32xptr<f32>>\n"
      "  %v = load %p : tile<8x32xf32>\n"
      "  %m = reduce inputs(%v) {axis = 1} : tile<8xf32> (%a: f32, %b: f32) {\n"
      "    %s = maxf %a, %b : f32\n"
      "    yield values(%s)\n"
      "  }\n"
      "  %m1 = expand_dims %m {axis = 1} : tile<8x1xf32>\n"
      "  %m2 = broadcast %m1 : tile<8x32xf32>\n"
      "  %d = subf %v, %m2 : tile<8x32xf32>\n"
      "  %s0 = reduce inputs(%d) {axis = 0} : tile<32xf32> (%a: f32, %b: f32)"
      " {\n"
      "    %s = addf %a, %b : f32\n"
      "    yield values(%s)\n"
      "  }\n"
      "  %os = splat %out : tile<32xptr<f32>>\n"
      "  %op = addptr %os, %c : tile<32xptr<f32>>\n"
      "  store %op, %s0\n"
      "  return\n"
      "}\n";
  const HostArg args[] = {{.count = 256, .low = -1, .high = 1}, {.count = 32}};
  host_same(text, one, args, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds_vectors),
      cmocka_unit_test(reduces_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
