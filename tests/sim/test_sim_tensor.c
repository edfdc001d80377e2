// test_sim_tensor.c -- copies of tensors against a model, element by element.
//
// Random maps of every rank, type, swizzle and interleave, with boxes over the
// edges: loads, stores and reductions.  TILE_TEST_SEED draws others, and
// TILE_TEST_FULL=1 ten times as many.
//
// Backs I2 of runtime/simulator/async and I2 of runtime/simulator/tensor.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"
#include "tests/sim/tensor_model.h"

enum { ROOM = 24 * 1024, THREADS = 64, CASES = 300 };

static uint32_t seed = 4711;

static uint32_t draw(uint32_t limit) {
  return kit_random(&seed) / 8 % limit;
}

// -- Cases -------------------------------------------------------------------

static void draw_strides(TensorCase *c) {
  const unsigned unit = c->interleave == 2 ? 32 : 16;
  uint64_t size =
      c->interleave ? unit * c->dims[0] : model_element_bytes(c) * c->dims[0];
  for (unsigned i = 0; i + 1 < c->rank; i++) {
    const uint64_t least = (size + unit - 1) / unit * unit;
    c->strides[i] = least + unit * draw(3);
    size = c->strides[i] * c->dims[i + 1];
  }
}

// The bytes of a row are a multiple of 16, and no more than the swizzle takes.
static unsigned draw_row(const TensorCase *c) {
  const unsigned bytes = (unsigned)model_element_bytes(c);
  const unsigned most = c->swizzle ? 1u << c->swizzle : 16;
  return 16 / bytes * (1 + draw(most < 256 * bytes / 16 ? most : 16));
}

static void draw_box(TensorCase *c) {
  for (unsigned i = 0; i < c->rank; i++) {
    c->steps[i] = draw(3) ? 1 : 1 + draw(8);
    c->box[i] = 1 + draw(i > 2 ? 3 : 9);
  }
  if (!c->interleave) c->box[0] = draw_row(c);
}

static void draw_place(TensorCase *c) {
  for (unsigned i = 0; i < c->rank; i++) {
    const int reach = (int)(c->dims[i] + c->box[i]) + 2;
    c->at[i] = draw(2) ? (int)draw((uint32_t)c->dims[i])
                       : (int)draw((uint32_t)reach) - (int)c->box[i] - 1;
  }
}

static TensorCase draw_tiles(void) {
  TensorCase c = {.type = (int)draw(10), .rank = 1 + draw(5)};
  c.interleave = c.rank >= 3 && !draw(3) ? 1 + (int)draw(2) : 0;
  c.swizzle = c.interleave == 2 ? 1 : (int)draw(4);
  c.start = 128 * draw(9);
  do {
    for (unsigned i = 0; i < c.rank; i++) c.dims[i] = 1 + draw(i ? 12 : 90);
    draw_strides(&c);
    draw_box(&c);
  } while (model_box_room(&c) > ROOM);
  draw_place(&c);
  return c;
}

static TensorCase draw_pixels(void) {
  static const int least[] = {0, 0, 0, -9, -9, -9};
  TensorCase c = {.type = (int)draw(10), .rank = 3 + draw(3)};
  c.swizzle = (int)draw(4);
  c.start = 128 * draw(9);
  for (unsigned i = 0; i < c.rank; i++) c.dims[i] = 3 + draw(i ? 7 : 90);
  draw_strides(&c);
  do {
    c.channels = draw_row(&c);
    c.pixels = 1 + draw(70);
  } while (model_box_room(&c) > ROOM);
  for (unsigned i = 0; i < c.rank; i++) c.steps[i] = 1 + draw(3);
  for (unsigned i = 0; i + 2 < c.rank; i++) {
    c.lower[i] = (int)draw(4) - 2;
    do c.upper[i] = (int)draw(5) - 3;
    while ((int)c.dims[i + 1] - 1 + c.upper[i] < c.lower[i]);
    c.offsets[i] = draw(3);
    const int size = (int)c.dims[i + 1] + c.upper[i] - c.lower[i];
    const int step = (int)c.steps[i + 1];
    c.at[i + 1] =
        c.lower[i] + step * (int)draw((uint32_t)((size + step - 1) / step));
  }
  c.at[0] = (int)draw(100) + least[c.rank];
  c.at[c.rank - 1] = (int)draw((uint32_t)c.dims[c.rank - 1]);
  return c;
}

static void show(const TensorCase *c) {
  print_message(
      "type %d, interleave %d, swizzle %d, start %u, pixels %u of %u\n",
      c->type, c->interleave, c->swizzle, c->start, c->pixels, c->channels);
  for (unsigned i = 0; i < c->rank; i++)
    print_message("  dimension %llu, stride %llu, box %u, step %u, at %d\n",
                  (unsigned long long)c->dims[i],
                  i ? (unsigned long long)c->strides[i - 1] : 0ull, c->box[i],
                  c->steps[i], c->at[i]);
}

static int encode(const TensorCase *c, CUdeviceptr tensor, void *map) {
  void *const address = (void *)(uintptr_t)tensor;
  if (c->channels)
    return cuTensorMapEncodeIm2col(map, c->type, c->rank, address, c->dims,
                                   c->strides, c->lower, c->upper, c->channels,
                                   c->pixels, c->steps, c->interleave,
                                   c->swizzle, 0, c->fill);
  return cuTensorMapEncodeTiled(map, c->type, c->rank, address, c->dims,
                                c->strides, c->box, c->steps, c->interleave,
                                c->swizzle, 0, c->fill);
}

// -- Kernels -----------------------------------------------------------------

// The box is at `start` of s, the mbarrier behind everything; %r20 and so on
// have the coordinates.
#define HEAD                                                                   \
  ".version 8.7\n.target sm_90a\n.address_size 64\n"                           \
  ".extern .shared .align 1024 .b8 s[];\n"                                     \
  ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 data_p, "      \
  ".param .u32 start_p, .param .u32 bytes_p, .param .u32 room_p, "             \
  ".param .align 4 .b8 at_p[20], .param .align 4 .b8 offsets_p[8]) {\n"        \
  ".reg .b32 %r<40>; .reg .b64 %d<9>; .reg .b16 %h<5>; .reg .pred %p<9>;\n"    \
  "mov.b64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [data_p];\n"   \
  "ld.param.u32 %r1, [start_p]; ld.param.u32 %r2, [bytes_p];\n"                \
  "ld.param.u32 %r3, [room_p]; mov.u32 %r4, s; add.u32 %r1, %r1, %r4;\n"       \
  "mov.u32 %r5, %tid.x; setp.eq.u32 %p1, %r5, 0; add.u32 %r6, %r4, 32768;\n"   \
  "ld.param.u32 %r20, [at_p]; ld.param.u32 %r21, [at_p+4];\n"                  \
  "ld.param.u32 %r22, [at_p+8]; ld.param.u32 %r23, [at_p+12];\n"               \
  "ld.param.u32 %r24, [at_p+16]; ld.param.u16 %h0, [offsets_p];\n"             \
  "ld.param.u16 %h1, [offsets_p+2]; ld.param.u16 %h2, [offsets_p+4];\n"
// Each thread accesses its words of the box.
#define EACH(name, body)                                                       \
  "shl.b32 %r7, %r5, 2;\n" name ": setp.ge.u32 %p2, %r7, %r3; @%p2 bra " name  \
  "E; add.u32 %r8, %r1, %r7; cvt.u64.u32 %d3, %r7; add.u64 %d3, %d2, "         \
  "%d3;\n" body "add.u32 %r7, %r7, 256; bra " name ";\n" name "E:\n"
#define READY "fence.proxy.async.shared::cta; bar.sync 0;\n"

static const char *const coordinates[] = {NULL,
                                          "{%r20}",
                                          "{%r20, %r21}",
                                          "{%r20, %r21, %r22}",
                                          "{%r20, %r21, %r22, %r23}",
                                          "{%r20, %r21, %r22, %r23, %r24}"};
static const char *const offsets[] = {NULL,    NULL,         NULL,
                                      "{%h0}", "{%h0, %h1}", "{%h0, %h1, %h2}"};

// The text before and behind the copy.
static CUmodule kernel(const char *before, const char *copy,
                       const char *after) {
  static char text[8000];
  snprintf(text, sizeof text, "%s%s%s%s", HEAD, before, copy, after);
  return kit_load_text(text);
}

static CUmodule load_kernel(const TensorCase *c) {
  char copy[300];
  snprintf(copy, sizeof copy,
           "cp.async.bulk.tensor.%ud.shared::cluster.global%s"
           ".mbarrier::complete_tx::bytes [%%r1], [%%d1, %s], [%%r6]%s%s;\n",
           c->rank, c->channels ? ".im2col" : ".tile", coordinates[c->rank],
           c->channels ? ", " : "", c->channels ? offsets[c->rank] : "");
  return kernel(
      EACH(
          "A",
          "mov.u32 %r9, 0x5a5a5a5a; st.shared.u32 [%r8], %r9;") "@%p1 "
                                                                "mbarrier.init."
                                                                "shared.b64 "
                                                                "[%r6], "
                                                                "1;\n" READY
                                                                "@!%p1 bra W;\n"
                                                                "mbarrier."
                                                                "arrive.expect_"
                                                                "tx.shared.b64 "
                                                                "_, [%r6], "
                                                                "%r2;\n",
      copy,
      "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r6], 0;\n@!%p3 bra "
      "W;\n" EACH(
          "B",
          "ld.shared.u32 %r9, [%r8]; st.global.u32 [%d3], %r9;") "ret; }\n");
}

static CUmodule store_kernel(const TensorCase *c, const char *reduce) {
  char copy[300];
  snprintf(copy, sizeof copy,
           "cp%s.async.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group "
           "[%%d1, %s], [%%r1];\n",
           *reduce ? ".reduce" : "", c->rank, *reduce ? "." : "", reduce,
           c->channels ? ".im2col_no_offs" : "", coordinates[c->rank]);
  return kernel(
      EACH("A", "ld.global.u32 %r9, [%d3]; st.shared.u32 [%r8], %r9;") READY
      "@!%p1 exit;\n",
      copy,
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret; }\n");
}

// `data` has the contents of the box, at first or at the end.
static int run(const TensorCase *c, CUmodule module, CUdeviceptr tensor,
               CUdeviceptr data) {
  _Alignas(64) uint8_t map[128];
  if (encode(c, tensor, map)) {
    show(c);
    fail_msg("the map is refused: %s", kit_report_text());
  }
  uint32_t start = c->start, bytes = (uint32_t)model_box_bytes(c),
           room = (uint32_t)model_box_room(c);
  int at[MAX_DIMS];
  uint16_t pixel_offsets[4] = {0};
  memcpy(at, c->at, sizeof at);
  for (int i = 0; i < MAX_DIMS - 2; i++)
    pixel_offsets[i] = (uint16_t)c->offsets[i];
  void *params[] = {map, &data, &start, &bytes, &room, at, pixel_offsets};
  return kit_run(module, "k", (KitShape){{1}, {THREADS}, 40 * 1024}, params);
}

static void fill(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)draw(256);
}

static void compare(const TensorCase *c, const char *what, const uint8_t *got,
                    const uint8_t *want, size_t size) {
  if (memcmp(got, want, size) == 0 && !*kit_reports()) return;
  size_t i = 0;
  while (i < size && got[i] == want[i]) i++;
  show(c);
  fail_msg("%s: byte %zu of %zu is %02x, not %02x", what, i, size, got[i],
           want[i]);
}

static void check_load(const TensorCase *c) {
  const size_t size = model_tensor_bytes(c), room = model_box_room(c);
  uint8_t *tensor = malloc(size), *got = malloc(room), *want = malloc(room);
  fill(tensor, size);
  CUmodule module = load_kernel(c);
  CUdeviceptr from = kit_upload(tensor, size), out = kit_upload(NULL, room);
  if (run(c, module, from, out)) {
    show(c);
    fail_msg("load: %s", kit_report_text());
  }
  kit_download(got, out, room);
  memset(want, 0x5a, room);
  model_load(c, tensor, want);
  compare(c, "load", got, want, room);
  cuMemFree_v2(from);
  cuModuleUnload(module);
  free(tensor), free(got), free(want);
}

static void check_store(const TensorCase *c) {
  const size_t size = model_tensor_bytes(c), room = model_box_room(c);
  uint8_t *tensor = malloc(size), *got = malloc(size), *box = malloc(room);
  fill(tensor, size);
  fill(box, room);
  CUmodule module = store_kernel(c, "");
  CUdeviceptr to = kit_upload(tensor, size), in = kit_upload(box, room);
  if (run(c, module, to, in)) {
    show(c);
    fail_msg("store: %s", kit_report_text());
  }
  kit_download(got, to, size);
  model_store(c, tensor, box);
  compare(c, "store", got, tensor, size);
  cuMemFree_v2(in);
  cuModuleUnload(module);
  free(tensor), free(got), free(box);
}

static int num_cases(void) {
  return getenv("TILE_TEST_FULL") ? 10 * CASES : CASES;
}

static void test_tiles(void **state) {
  (void)state;
  for (int i = 0; i < num_cases(); i++) {
    TensorCase c = draw_tiles();
    check_load(&c);
    check_store(&c);
  }
}

static void test_pixels(void **state) {
  (void)state;
  for (int i = 0; i < num_cases() / 2; i++) {
    TensorCase c = draw_pixels();
    check_load(&c);
    memset(c.offsets, 0, sizeof c.offsets);
    check_store(&c);
  }
}

// -- Fills and types ---------------------------------------------------------

enum { U32 = 2, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };

// A row of 64 elements, the first 16 of which are in the tensor.
static TensorCase row_of(int type) {
  const TensorCase c = {
      .type = type, .rank = 1, .box = {64}, .steps = {1}, .dims = {16}};
  return c;
}

static void load(const TensorCase *c, const void *tensor, void *box) {
  CUmodule module = load_kernel(c);
  CUdeviceptr from = kit_upload(tensor, model_tensor_bytes(c)),
              out = kit_upload(NULL, model_box_room(c));
  assert_int_equal(run(c, module, from, out), 0);
  kit_download(box, out, model_box_room(c));
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

// Elements outside are NaN: an exponent of ones, and not infinity.
static void test_nan(void **state) {
  (void)state;
  static const struct {
    int type;
    uint64_t infinity;
  } rows[] = {{F16, 0x7c00},
              {BF16, 0x7f80},
              {F32, 0x7f800000},
              {F64, 0x7ff0000000000000}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TensorCase c = row_of(rows[i].type);
    const size_t bytes = model_element_bytes(&c);
    uint8_t tensor[16 * 8] = {0}, box[64 * 8];
    c.fill = 1;
    load(&c, tensor, box);
    for (size_t j = 0; j < 64; j++) {
      uint64_t value = 0;
      memcpy(&value, box + j * bytes, bytes);
      if (j < 16) assert_int_equal(value, 0);
      if (j < 16) continue;
      assert_true((value & rows[i].infinity) == rows[i].infinity);
      assert_true(value & (rows[i].infinity ^ ((1ull << (8 * bytes - 1)) - 1)));
    }
  }
}

static void test_conversions(void **state) {
  (void)state;
  const float tiny = 1e-40f, fine = 1 + 0x3p-12f;
  static const int types[] = {F32, F32_FTZ, TF32, TF32_FTZ};
  for (int i = 0; i < 4; i++) {
    TensorCase c = row_of(types[i]);
    float in[16] = {tiny, fine, -fine, 3}, out[64];
    load(&c, in, out);
    const float rounded = i >= 2 ? 1 + 0x1p-10f : fine;
    assert_true(i % 2 ? out[0] == 0 : fabsf(out[0] - tiny) < 0x1p-136f);
    assert_true(out[1] == rounded && out[2] == -rounded && out[3] == 3);
  }
}

// -- Reductions --------------------------------------------------------------

static uint64_t bits_of(int type, int64_t value) {
  const uint32_t bits = single_bits((float)value);
  switch (type) {
  case F16: return half_bits((float)value);
  case BF16: return bits >> 16;
  case F32: return bits;
  case F64: return double_bits((double)value);
  case U32:
  case S32: return (uint32_t)value;
  default: return (uint64_t)value;
  }
}

static int64_t reduced(const char *op, int64_t a, int64_t b) {
  if (strcmp(op, "add") == 0) return a + b;
  if (strcmp(op, "min") == 0) return a < b ? a : b;
  if (strcmp(op, "max") == 0) return a < b ? b : a;
  if (strcmp(op, "inc") == 0) return a >= b ? 0 : a + 1;
  if (strcmp(op, "dec") == 0) return !a || a > b ? b : a - 1;
  if (strcmp(op, "and") == 0) return a & b;
  return strcmp(op, "or") == 0 ? a | b : a ^ b;
}

// Box elements outside the tensor are not reduced.
static int reduce(int type, const char *op) {
  const bool is_signed = type != U32 && type != U64;
  TensorCase c = row_of(type);
  const size_t bytes = model_element_bytes(&c);
  uint8_t tensor[16 * 8], box[64 * 8] = {0}, got[16 * 8];
  int64_t olds[16], values[16];
  for (int i = 0; i < 16; i++) {
    olds[i] = (int64_t)draw(40) - (is_signed ? 20 : 0);
    values[i] = (int64_t)draw(40) - (is_signed ? 20 : 0);
    const uint64_t before = bits_of(type, olds[i]);
    const uint64_t value = bits_of(type, values[i]);
    memcpy(tensor + (size_t)i * bytes, &before, bytes);
    memcpy(box + (size_t)i * bytes, &value, bytes);
  }
  CUmodule module = store_kernel(&c, op);
  CUdeviceptr to = kit_upload(tensor, 16 * bytes),
              in = kit_upload(box, model_box_room(&c));
  const int error = run(&c, module, to, in);
  if (error) return error;
  kit_download(got, to, 16 * bytes);
  for (int i = 0; i < 16; i++) {
    const uint64_t want = bits_of(type, reduced(op, olds[i], values[i]));
    if (memcmp(got + (size_t)i * bytes, &want, bytes))
      fail_msg("%s of type %d, element %d of %lld and %lld", op, type, i,
               (long long)olds[i], (long long)values[i]);
  }
  cuMemFree_v2(in);
  cuModuleUnload(module);
  return 0;
}

static void test_reductions(void **state) {
  (void)state;
  static const struct {
    const char *op;
    int types[8]; // 0: no more
  } rows[] = {{"add", {U32, S32, U64, S64, F16, BF16, F32, F64}},
              {"min", {U32, S32, U64, S64, F16, BF16}},
              {"max", {U32, S32, U64, S64, F16, BF16}},
              {"inc", {U32}},
              {"dec", {U32}},
              {"and", {U32, S32, U64, S64}},
              {"or", {U32, S32, U64, S64}},
              {"xor", {U32, S32, U64, S64}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int type = 0; type <= TF32_FTZ; type++) {
      bool exists = false;
      for (int j = 0; j < 8; j++) exists |= type && rows[i].types[j] == type;
      const bool is_one_of_f32 = type == F32_FTZ && i == 0;
      if (is_one_of_f32) continue;
      const int error = reduce(type, rows[i].op);
      assert_int_equal(error, exists ? 0 : 715);
      assert_string_equal(kit_reports(), exists ? "" : "tensor-map ");
      if (error) kit_reopen();
    }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  if (getenv("TILE_TEST_SEED"))
    seed = (uint32_t)strtoul(getenv("TILE_TEST_SEED"), NULL, 10);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiles), cmocka_unit_test(test_pixels),
      cmocka_unit_test(test_nan), cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_reductions)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
