// test_codegen_tiles.c -- shapes, products, control flow and blocks of memory
// on the host against the interpreter.
#include "host_tiles.h"

// -- Shapes ------------------------------------------------------------------

static void transposes(void **state) {
  (void)state;
  const HostArg args[] = {data_256, {.count = 256}};
  host_same(
      KERNEL("%x: ptr<f32>, %y: ptr<f32>",
             LOAD("a", "x", 8, 32,
                  "f32") "  %t = trans %a {order = [1, 0]} : tile<32x8xf32>\n"
                         "  %u = addf %t, %t : tile<32x8xf32>\n" STORE(
                             "b", "u", "y", 32, 8, "f32")),
      one, args, 0);
}

// %v is computed in the loops of %r, and reads %a across rows while they do: so
// %r must not take the place of %a.
static void fills_on_the_way(void **state) {
  (void)state;
  const HostArg args[] = {{.count = 256, .low = 1, .high = 2}, {.count = 256}};
  host_same(
      KERNEL(
          "%x: ptr<f32>, %y: ptr<f32>",
          LOAD("a", "x", 16, 16,
               "f32") "  %t = trans %a {order = [1, 0]} : tile<16x16xf32>\n"
                      "  %s = subf %a, %t : tile<16x16xf32>\n"
                      "  %v = exp %s : tile<16x16xf32>\n"
                      "  %r = divf %v, %a : tile<16x16xf32>\n"
                      "  %c = constant {value = 0.0} : tile<16x16xf32>\n"
                      "  %d = dot %r, %v, %c {precision = ieee} : "
                      "tile<16x16xf32>\n" STORE("b", "d", "y", 16, 16, "f32")),
      one, args, 1e-5);
}

static void reshapes(void **state) {
  (void)state;
  const HostArg args[] = {data_256, {.count = 256}};
  host_same(
      KERNEL(
          "%x: ptr<f32>, %y: ptr<f32>",
          LOAD("a", "x", 8, 32,
               "f32") "  %n = negf %a : tile<8x32xf32>\n"
                      "  %t = reshape %n : tile<64x4xf32>\n"
                      "  %q = reshape %t : tile<64x1x4xf32>\n"
                      "  %w = trans %q {order = [2, 1, 0]} : tile<4x1x64xf32>\n"
                      "  %v = reshape %w : tile<4x64xf32>\n" STORE(
                          "b", "v", "y", 4, 64, "f32")),
      one, args, 0);
}

// -- Reductions --------------------------------------------------------------

#define SUM(elem)                                                              \
  " (%u: " elem ", %v: " elem ") {\n    %w = addf %u, %v : " elem              \
  "\n    yield values(%w)\n  }\n"

static void scans(void **state) {
  (void)state;
  const HostArg args[] = {data_256, {.count = 256}, {.count = 256}};
  host_same(
      KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>",
             LOAD("a", "x", 8, 32,
                  "f32") "  %r = scan inputs(%a) {axis = 1} : "
                         "tile<8x32xf32>" SUM(
                             "f32") "  %s = scan inputs(%a) "
                                    "{axis = 0, reverse = "
                                    "true} : "
                                    "tile<8x32xf32>" SUM("f32")
                                        STORE("b", "r", "y", 8, 32, "f32")
                                            STORE("c", "s", "z", 8, 32, "f32")),
      one, args, 1e-6);
}

static void finds_largest(void **state) {
  (void)state;
  const HostArg args[] = {
      {.count = 256, .low = 0, .high = 9}, {.count = 8}, {.count = 8}};
  host_same(
      KERNEL(
          "%x: ptr<i32>, %y: ptr<i32>, %z: ptr<i32>",
          LOAD("a", "x", 8, 32,
               "i32") "  %v, %i = reduce inputs(%a, %ac3) {axis = 1} : "
                      "tile<8xi32>, "
                      "tile<8xi32> (%u: i32, %ui: i32, %v: i32, %vi: i32) {\n"
                      "    %g = cmpi %u, %v {predicate = gt} : i1\n"
                      "    %e = cmpi %u, %v {predicate = eq} : i1\n"
                      "    %l = cmpi %ui, %vi {predicate = lt} : i1\n"
                      "    %t = andi %e, %l : i1\n"
                      "    %c = ori %g, %t : i1\n"
                      "    %w = select %c, %u, %v : i32\n"
                      "    %wi = select %c, %ui, %vi : i32\n"
                      "    yield values(%w, %wi)\n"
                      "  }\n"
                      "  %ys = splat %y : tile<8xptr<i32>>\n"
                      "  %yp = addptr %ys, %ar : tile<8xptr<i32>>\n"
                      "  store %yp, %v\n"
                      "  %zs = splat %z : tile<8xptr<i32>>\n"
                      "  %zp = addptr %zs, %ar : tile<8xptr<i32>>\n"
                      "  store %zp, %i\n"),
      one, args, 0);
}

// -- Products ----------------------------------------------------------------

// Only matrix instructions truncate fp32, so that fp32 must have `ieee`.
static void dot_case(const char *text, double tolerance) {
  const HostArg args[] = {{.count = 1024, .low = -2, .high = 2},
                          {.count = 1024, .low = -2, .high = 2},
                          {.count = 1024, .low = -2, .high = 2}};
  host_same(text, one, args, tolerance);
}

#define DOT(m, n, k, in, out, tail)                                            \
  KERNEL("%x: ptr<" in ">, %y: ptr<" in ">, %z: ptr<" out ">",                 \
         LOAD("a", "x", m, k, in) LOAD("b", "y", k, n, in)                     \
             LOAD("c", "z", m, n,                                              \
                  out) "  %d = dot %a, %b, %c {precision = ieee} : tile<" #m   \
                       "x" #n "x" out                                          \
                       ">\n" tail STORE("e", "d", "z", m, n, out))

static void multiplies(void **state) {
  (void)state;
  dot_case(DOT(16, 16, 16, "f32", "f32", ""), 1e-5);
  dot_case(DOT(32, 16, 32, "f16", "f32", ""), 1e-5);
  dot_case(DOT(16, 32, 16, "f64", "f64", ""), 1e-13);
  dot_case(DOT(16, 16, 32, "i8", "i32", ""), 0);
  dot_case(DOT(16, 16, 16, "bf16", "f32", ""), 1e-5);
  dot_case(DOT(16, 16, 16, "f16", "f16", ""), 1e-2);
  dot_case(DOT(1, 32, 8, "f32", "f32", ""), 1e-5);
  dot_case(DOT(8, 1, 16, "f32", "f32", ""), 1e-5);
  dot_case(DOT(2, 4, 2, "f32", "f32", ""), 1e-5);
  // The operand is used again, so the product cannot take its place.
  dot_case(DOT(16, 16, 16, "f32", "f32",
               "  %f = addf %d, %c : tile<16x16xf32>\n" STORE("g", "f", "x", 16,
                                                              16, "f32")),
           1e-5);
}

static void multiplies_transposed(void **state) {
  (void)state;
  dot_case(
      KERNEL(
          "%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>",
          LOAD("a", "x", 32, 16, "f32") LOAD(
              "b", "y", 16, 32,
              "f32") "  %at = trans %a {order = [1, 0]} : tile<16x32xf32>\n"
                     "  %bt = trans %b {order = [1, 0]} : tile<32x16xf32>\n"
                     "  %c = constant {value = 0.0} : tile<16x16xf32>\n"
                     "  %d = dot %at, %bt, %c {precision = ieee} : "
                     "tile<16x16xf32>\n" STORE("e", "d", "z", 16, 16, "f32")),
      1e-5);
}

static void multiplies_batches(void **state) {
  (void)state;
  dot_case(KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>",
                  LOAD("a", "x", 32, 16, "f32") LOAD(
                      "b", "y", 64, 8,
                      "f32") "  %a3 = reshape %a : tile<4x8x16xf32>\n"
                             "  %b3 = reshape %b : tile<4x16x8xf32>\n"
                             "  %c = constant {value = 1.0} : tile<4x8x8xf32>\n"
                             "  %d = dot %a3, %b3, %c {precision = ieee} : "
                             "tile<4x8x8xf32>\n"
                             "  %f = reshape %d : tile<32x8xf32>\n" STORE(
                                 "e", "f", "z", 32, 8, "f32")),
           1e-5);
}

// -- Control flow ------------------------------------------------------------

static void carries_tiles(void **state) {
  (void)state;
  const HostArg args[] = {data_256, data_256, {.count = 256}, {.scalar = 5}};
  host_same(
      KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32",
             LOAD("a", "x", 16, 16, "f32") LOAD(
                 "b", "y", 16, 16,
                 "f32") "  %z0 = constant {value = 0} : i32\n"
                        "  %o = constant {value = 1} : i32\n"
                        "  %c = constant {value = 0.0} : tile<16x16xf32>\n"
                        // Two tiles change places, and a third takes a product.
                        "  %p, %q, %s = for %z0, %n, %o init(%a, %b, %c) : "
                        "tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32> "
                        "(%i: i32, "
                        "%u: tile<16x16xf32>, %v: tile<16x16xf32>, "
                        "%w: tile<16x16xf32>) {\n"
                        "    %h = constant {value = 0.25} : tile<16x16xf32>\n"
                        "    %w1 = mulf %w, %h : tile<16x16xf32>\n"
                        "    %w2 = dot %u, %v, %w1 {precision = ieee} : "
                        "tile<16x16xf32>\n"
                        "    yield values(%v, %u, %w2)\n"
                        "  }\n"
                        "  %r = subf %p, %q : tile<16x16xf32>\n"
                        "  %t = addf %r, %s : tile<16x16xf32>\n" STORE(
                            "d", "t", "z", 16, 16, "f32")),
      one, args, 1e-4);
}

static void branches(void **state) {
  (void)state;
  const HostArg args[] = {data_256, data_256, {.count = 256}, {.scalar = 0}};
  const char *text =
      KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32",
             LOAD("a", "x", 16, 16, "f32")
                 LOAD("b", "y", 16, 16,
                      "f32") "  %z0 = constant {value = 0} : i32\n"
                             "  %c = cmpi %n, %z0 {predicate = gt} : i1\n"
                             "  %p, %q, %s = if %c : tile<16x16xf32>, "
                             "tile<16x16xf32>, i32 () "
                             "{\n"
                             "    %u = addf %a, %b : tile<16x16xf32>\n"
                             "    yield values(%u, %a, %n)\n"
                             "  } () {\n"
                             "    %u = mulf %a, %b : tile<16x16xf32>\n"
                             "    yield values(%b, %u, %z0)\n"
                             "  }\n"
                             "  %t = subf %p, %q : tile<16x16xf32>\n"
                             "  %v = addf %t, %a : tile<16x16xf32>\n" STORE(
                                 "d", "v", "z", 16, 16, "f32"));
  host_same(text, one, args, 0);
  const HostArg other[] = {data_256, data_256, {.count = 256}, {.scalar = 3}};
  host_same(text, one, other, 0);
}

// A tile that one branch passes on unchanged, and that is used afterwards.
static void branches_keep(void **state) {
  (void)state;
  const HostArg args[] = {data_256, data_256, {.count = 256}, {.scalar = 0}};
  host_same(KERNEL("%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32",
                   LOAD("a", "x", 16, 16, "f32")
                       LOAD("b", "y", 16, 16,
                            "f32") "  %z0 = constant {value = 0} : i32\n"
                                   "  %c = cmpi %n, %z0 {predicate = gt} : i1\n"
                                   "  %p = if %c : tile<16x16xf32> () {\n"
                                   "    yield values(%a)\n"
                                   "  } () {\n"
                                   "    %u = mulf %a, %b : tile<16x16xf32>\n"
                                   "    yield values(%u)\n"
                                   "  }\n" STORE("e", "a", "x", 16, 16, "f32")
                                       STORE("d", "p", "z", 16, 16, "f32")),
            one, args, 0);
}

static void loops_while(void **state) {
  (void)state;
  const HostArg args[] = {data_256, {.count = 256}, {.scalar = 7}};
  host_same(KERNEL("%x: ptr<f32>, %z: ptr<f32>, %n: i32",
                   LOAD("a", "x", 16, 16,
                        "f32") "  %z0 = constant {value = 0} : i32\n"
                               "  %o = constant {value = 1} : i32\n"
                               "  %e, %f, %g = while init(%z0, %a, %a) : i32, "
                               "tile<16x16xf32>, tile<16x16xf32> (%i: i32, "
                               "%u: tile<16x16xf32>, %v: tile<16x16xf32>) {\n"
                               "    %c = cmpi %i, %n {predicate = lt} : i1\n"
                               "    %w = negf %u : tile<16x16xf32>\n"
                               "    condition %c values(%i, %v, %w)\n"
                               "  } (%i: i32, %u: tile<16x16xf32>, %v: "
                               "tile<16x16xf32>) {\n"
                               "    %j = addi %i, %o : i32\n"
                               "    %s = addf %u, %v : tile<16x16xf32>\n"
                               "    yield values(%j, %s, %u)\n"
                               "  }\n"
                               "  %t = subf %f, %g : tile<16x16xf32>\n" STORE(
                                   "d", "t", "z", 16, 16, "f32")),
            one, args, 1e-5);
}

// -- Blocks ------------------------------------------------------------------

#define SIZES                                                                  \
  "  %rows = constant {value = 13} : i64\n"                                    \
  "  %cols = constant {value = 19} : i64\n"                                    \
  "  %unit = constant {value = 1} : i64\n"                                     \
  "  %zero = constant {value = 0} : i32\n"                                     \
  "  %four = constant {value = 4} : i32\n"                                     \
  "  %back = constant {value = -3} : i32\n"

static void moves_blocks(void **state) {
  (void)state;
  const HostArg args[] = {{.count = 13 * 19, .low = -2, .high = 2},
                          {.count = 13 * 19},
                          {.count = 128}};
  host_same(
      KERNEL("%x: ptr<f16>, %y: ptr<f16>, %z: ptr<f16>", SIZES
             "  %b = make_block_ptr %x shape(%rows, %cols) strides(%cols, "
             "%unit) offsets(%back, %back) {order = [1, 0]} : "
             "block_ptr<8x16xf16>\n"
             "  %b1 = advance %b offsets(%four, %zero) : block_ptr<8x16xf16>\n"
             "  %v = load_block %b1 {boundary = [0, 1], padding = nan} : "
             "tile<8x16xf16>\n" STORE(
                 "d", "v", "z", 8, 16,
                 "f16") "  %o = make_block_ptr %y shape(%rows, %cols) "
                        "strides(%cols, "
                        "%unit) offsets(%four, %four) {order = [1, 0]} : "
                        "block_ptr<8x16xf16>\n"
                        "  %o1 = advance %o offsets(%four, %back) : "
                        "block_ptr<8x16xf16>\n"
                        "  store_block %o1, %v {boundary = [0, 1]}\n"),
      one, args, 0);
}

static void transposes_blocks(void **state) {
  (void)state;
  const HostArg args[] = {{.count = 13 * 19, .low = -2, .high = 2},
                          {.count = 13 * 19},
                          {.count = 512}};
  host_same(
      KERNEL(
          "%x: ptr<f16>, %y: ptr<f16>, %z: ptr<f16>", SIZES
          "  %b = make_block_ptr %x shape(%cols, %rows) strides(%unit, "
          "%cols) offsets(%back, %four) {order = [0, 1]} : "
          "block_ptr<32x16xf16>\n"
          "  %v = load_block %b {boundary = [0, 1]} : tile<32x16xf16>\n" STORE(
              "d", "v", "z", 32, 16,
              "f16") "  %o = make_block_ptr %y shape(%cols, %rows) "
                     "strides(%unit, "
                     "%cols) offsets(%zero, %back) {order = [0, 1]} : "
                     "block_ptr<32x16xf16>\n"
                     "  store_block %o, %v {boundary = [0, 1]}\n"),
      one, args, 0);
}

static void walks_blocks(void **state) {
  (void)state;
  const HostArg args[] = {{.count = 1024, .low = -2, .high = 2},
                          {.count = 128}};
  host_same(
      KERNEL("%x: ptr<f32>, %z: ptr<f32>",
             "  %n = constant {value = 64} : i64\n"
             "  %m = constant {value = 16} : i64\n"
             "  %u = constant {value = 1} : i64\n"
             "  %0 = constant {value = 0} : i32\n"
             "  %1 = constant {value = 16} : i32\n"
             "  %2 = constant {value = 64} : i32\n"
             "  %b = make_block_ptr %x shape(%m, %n) strides(%n, %u) "
             "offsets(%0, %0) {order = [1, 0]} : block_ptr<8x16xf32>\n"
             "  %c = constant {value = 0.0} : tile<8x16xf32>\n"
             "  %e, %s = for %0, %2, %1 init(%b, %c) : block_ptr<8x16xf32>, "
             "tile<8x16xf32> (%i: i32, %p: block_ptr<8x16xf32>, "
             "%t: tile<8x16xf32>) {\n"
             "    %v = load_block %p : tile<8x16xf32>\n"
             "    %w = addf %t, %v : tile<8x16xf32>\n"
             "    %q = advance %p offsets(%0, %1) : block_ptr<8x16xf32>\n"
             "    yield values(%q, %w)\n"
             "  }\n" STORE("d", "s", "z", 8, 16, "f32")),
      one, args, 1e-6);
}

static void moves_descriptors(void **state) {
  (void)state;
  const HostArg args[] = {{.count = 13 * 19, .low = -2, .high = 2},
                          {.count = 13 * 19}};
  host_same(
      KERNEL("%x: ptr<f32>, %y: ptr<f32>", SIZES
             "  %d = make_desc %x shape(%rows, %cols) strides(%cols, %unit) "
             ": desc<8x16xf32>\n"
             "  %v = load_desc %d offsets(%back, %four) : tile<8x16xf32>\n"
             "  %o = make_desc %y shape(%rows, %cols) strides(%cols, %unit) "
             ": desc<8x16xf32>\n"
             "  store_desc %o, %v offsets(%four, %back)\n"),
      one, args, 0);
}

// -- Atomics -----------------------------------------------------------------

#define UPDATE(kind, elem)                                                     \
  KERNEL("%x: ptr<" elem ">, %y: ptr<" elem ">, %z: ptr<" elem ">",            \
         LOAD("a", "x", 8, 16, elem) PLACE(                                    \
             "d", "y", 8, 16,                                                  \
             elem) "  %s = constant {value = 7} : tile<8x16xi32>\n"            \
                   "  %m = cmpi %dc3, %s {predicate = lt} : tile<8x16xi1>\n"   \
                   "  %o = atomic_rmw %dp, %a mask(%m) {kind = " kind          \
                   "} : tile<8x16x" elem                                       \
                   ">\n" STORE("e", "o", "z", 8, 16, elem))

static void updates(void **state) {
  (void)state;
  const HostArg args[] = {data_256, data_256, {.count = 256}};
  host_same(UPDATE("add", "i32"), one, args, 0);
  host_same(UPDATE("umax", "i64"), one, args, 0);
  host_same(UPDATE("xor", "i32"), one, args, 0);
  host_same(UPDATE("xchg", "f32"), one, args, 0);
  host_same(UPDATE("fadd", "f32"), one, args, 0);
  host_same(UPDATE("fadd", "f16"), one, args, 0);
  host_same(UPDATE("fadd", "bf16"), one, args, 0);
  host_same(UPDATE("fmax", "f32"), one, args, 0);
  host_same(UPDATE("fmin", "f64"), one, args, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transposes),
      cmocka_unit_test(fills_on_the_way),
      cmocka_unit_test(reshapes),
      cmocka_unit_test(scans),
      cmocka_unit_test(finds_largest),
      cmocka_unit_test(multiplies),
      cmocka_unit_test(multiplies_transposed),
      cmocka_unit_test(multiplies_batches),
      cmocka_unit_test(carries_tiles),
      cmocka_unit_test(branches),
      cmocka_unit_test(branches_keep),
      cmocka_unit_test(loops_while),
      cmocka_unit_test(moves_blocks),
      cmocka_unit_test(transposes_blocks),
      cmocka_unit_test(walks_blocks),
      cmocka_unit_test(moves_descriptors),
      cmocka_unit_test(updates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
