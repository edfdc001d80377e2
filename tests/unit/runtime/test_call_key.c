// test_call_key.c -- launches with the same words are bound in the same way.
//
// Launches are made at random from few values. call_key_make() and
// bind_arguments() must agree about each two launches: if the words are equal,
// they have the same variant, or both are wrong; and the values are those of
// the slots.
#include "runtime/compile/argument.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source_text[] =
    "@triton.jit(do_not_specialize=['plain'],\n"
    "            do_not_specialize_on_alignment=['odd'])\n"
    "def k(a, p: *fp16, n: i64, b: i8, s: fp32, h: fp16, d: tl.float64, u: u64,"
    "\n      t: i1, plain, odd, c: tl.constexpr, e: tl.constexpr = 3, "
    "z=None,\n"
    "      desc=None):\n"
    "    return\n";

enum { MAX_ARGS = 16, NUM_LAUNCHES = 3000, NUM_BYTES = 4096 };

typedef struct {
  TileContext *context;
  TileDevice *device, *other;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *buffer, *strange;
  uint64_t random;
} World;

// -- Launches at random ------------------------------------------------------

static unsigned draw(World *w, unsigned count) {
  w->random = w->random * 6364136223846793005U + 1442695040888963407U;
  return (unsigned)(w->random >> 33) % count;
}

static int64_t draw_int(World *w) {
  static const int64_t values[] = {
      0,         1,         2,         16,        -16, 127, 128, -129, 48,
      INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 17,  256, 255, -1};
  if (draw(w, 4) == 0) return INT64_C(1) << draw(w, 63);
  return values[draw(w, sizeof values / sizeof *values)];
}

static double draw_float(World *w) {
  static const double values[] = {0,    -0.0,   1,     0.1,   1e300, -1e-300,
                                  3e38, 3.5e38, 1e-40, 65519, 65520, 0x1p-149};
  const double zero = 0;
  const unsigned i = draw(w, 16);
  if (i == 12) return 1 / zero;
  if (i == 13) return zero / zero;
  if (i > 13) return (double)draw_int(w) / (1 + draw(w, 1000));
  return values[i];
}

static TileDtype draw_type(World *w) {
  return draw(w, 3) ? TILE_DTYPE_NONE : (TileDtype)draw(w, TILE_FP8E4B15 + 2);
}

typedef struct {
  TileArg args[MAX_ARGS], items[4], inner[2], constant;
  TileTensorDescriptor descriptor;
  TileConstant constants[3];
  TileLaunch launch;
} Random;

static TileArg draw_arg(World *w, Random *r, int depth);

static TileArg draw_tuple(World *w, Random *r, int depth) {
  static const char *const names[] = {"x", "y", "z", "w"};
  static const char *const others[] = {"x", "y", "zz", NULL};
  TileArg *items = depth ? r->inner : r->items;
  const size_t count = draw(w, depth ? 3 : 5);
  for (size_t i = 0; i < count; i++) items[i] = draw_arg(w, r, depth + 1);
  TileArg arg = tile_tuple_arg(draw(w, 20) ? items : NULL, count);
  if (draw(w, 3) == 0) arg.as.tuple.names = draw(w, 2) ? names : others;
  return arg;
}

static TileArg draw_buffer(World *w) {
  TileArg arg = tile_buffer_arg(draw(w, 20) ? w->buffer : w->strange,
                                draw(w, 2) ? TILE_FP32 : draw_type(w));
  if (!draw(w, 20)) arg.as.buffer.buffer = NULL;
  arg.as.buffer.offset = draw(w, 2) ? 16 * draw(w, 4) : draw(w, 40);
  if (!draw(w, 20)) arg.as.buffer.offset = NUM_BYTES + draw(w, 2);
  return arg;
}

static TileArg draw_descriptor(World *w, Random *r) {
  TileTensorDescriptor *d = &r->descriptor;
  *d = (TileTensorDescriptor){
      .buffer = draw(w, 3) ? w->buffer : NULL,
      .address = (void *)(uintptr_t)(16 * draw(w, 8) + !draw(w, 9)),
      .offset = draw(w, 9) ? 16 * draw(w, 9) : draw(w, 2 * NUM_BYTES),
      .dtype = draw(w, 9) ? TILE_FP16 + draw(w, 3) : draw_type(w),
      .rank = draw(w, 9) ? 1 + (int)draw(w, 3) : (int)draw(w, 8),
      .pads_with_nan = draw(w, 2)};
  for (int i = 0; i < TILE_MAX_DESCRIPTOR_RANK; i++) {
    d->shape[i] = draw(w, 60) ? 8 * draw(w, 9) : draw_int(w);
    d->strides[i] = i == d->rank - 1 ? !!draw(w, 20) : 16 * draw(w, 9);
    d->block[i] = draw(w, 30) ? 8 << draw(w, 2) : (int)draw(w, 3);
  }
  TileArg arg = tile_descriptor_arg(draw(w, 30) ? d : NULL);
  if (!draw(w, 30)) d->buffer = w->strange;
  return arg;
}

static TileArg draw_string(World *w, TileArgKind kind) {
  static const char *const texts[] = {
      "", "a", "b", "relu", "longer than eight", "longer than sight", NULL};
  TileArg arg = tile_int_arg(0);
  arg.kind = kind;
  arg.as.string = texts[draw(w, 7)];
  return arg;
}

static TileArg draw_arg(World *w, Random *r, int depth) {
  const TileArgKind kind = (TileArgKind)draw(w, TILE_ARG_UINT + 2);
  TileArg arg = tile_int_arg(draw_int(w));
  arg.kind = kind;
  arg.dtype = draw_type(w);
  switch (kind) {
  case TILE_ARG_BUFFER: return draw_buffer(w);
  case TILE_ARG_POINTER: arg.as.u = 8 * draw(w, 8) + !draw(w, 4); return arg;
  case TILE_ARG_FLOAT: arg.as.f = draw_float(w); return arg;
  case TILE_ARG_STRING:
  case TILE_ARG_FUNCTION: return draw_string(w, kind);
  case TILE_ARG_TUPLE:
    return depth < 2 ? draw_tuple(w, r, depth) : tile_none_arg();
  case TILE_ARG_CONSTANT:
    if (depth) return tile_none_arg();
    r->constant = draw_arg(w, r, 1);
    arg.as.constant = draw(w, 20) ? &r->constant : NULL;
    return arg;
  case TILE_ARG_DESCRIPTOR:
    return depth ? tile_none_arg() : draw_descriptor(w, r);
  default: return arg;
  }
}

// Mostly an argument of the kind that the parameter has.
static TileArg draw_wanted(World *w, Random *r, size_t parameter) {
  TileArg buffer = tile_buffer_arg(w->buffer, TILE_FP16);
  switch (draw(w, 20) ? parameter : MAX_ARGS) {
  case 1: buffer.as.buffer.offset = 2 * draw(w, 20); return buffer;
  case 2:
  case 9:
  case 10: return tile_int_arg(draw_int(w));
  case 3: return tile_int_arg((int)draw(w, 5) * 16 - 20);
  case 4:
  case 5:
  case 6: return tile_float_arg(draw_float(w));
  case 7: return tile_uint_arg(draw(w, 2) ? 5 : UINT64_MAX - draw(w, 20));
  case 8: return tile_bool_arg(draw(w, 2));
  case 14: return draw_descriptor(w, r);
  case 11:
  case 12: return tile_int_arg(draw(w, 4));
  default: return draw_arg(w, r, 0);
  }
}

// One argument is changed a little, again and again, so that many launches are
// alike.
static void draw_launch(World *w, Random *r, bool anew) {
  static const char *const names[] = {"a", "odd", "c", "e", "z", "nothing"};
  const size_t count = anew ? 12 + draw(w, 4) : r->launch.num_args;
  for (size_t i = 0; i < count; i++) {
    if (anew || !draw(w, 12)) r->args[i] = draw_wanted(w, r, i);
  }
  const size_t constants = draw(w, 6) ? 0 : draw(w, 3);
  for (size_t i = 0; i < constants; i++)
    r->constants[i] = (TileConstant){names[draw(w, 6)], draw_arg(w, r, 0)};
  r->launch = (TileLaunch){.kernel = w->kernel,
                           .args = r->args,
                           .num_args = count,
                           .constants = r->constants,
                           .num_constants = constants};
}

// -- Both answers ------------------------------------------------------------

typedef struct {
  bool is_made, is_right;
  CallKey key;
  unsigned char bound[2048];
  size_t num_bytes;
  size_t num_values;
  uint64_t values[MAX_KEY_VALUES];
  uint64_t seen[MAX_ARGS]; // by heuristics
} Said;

static void add_values(const BoundArg *bound, Said *said) {
  const ArgSpec *spec = &bound->spec;
  if (spec->kind == ARG_RUNTIME)
    said->values[said->num_values++] = bound->value;
  const int count = spec->kind == ARG_TUPLE        ? spec->num_items
                    : spec->kind == ARG_DESCRIPTOR ? 2 * spec->num_items
                                                   : 0;
  for (int i = 0; i < count; i++) add_values(&bound->items[i], said);
}

static uint64_t seen_of(const ArgSpec *spec) {
  uint64_t seen = (uint64_t)spec->i;
  if (spec->kind != ARG_RUNTIME || !spec->known) return 0;
  if (!strncmp(spec->text, "fp", 2) || !strcmp(spec->text, "bf16"))
    memcpy(&seen, &spec->f, sizeof seen);
  return seen;
}

static void ask(World *w, const TileLaunch *launch, uint64_t looked_at,
                Said *said) {
  BoundArg bound[MAX_ARGS + 64];
  ArgSpec specs[64];
  BoundItems items = {bound + MAX_ARGS, specs, 0, 0};
  const Report report = {&system_allocator, NULL, 0};
  memset(said, 0, sizeof *said);
  said->is_made = call_key_make(w->device, launch, looked_at, &said->key);
  said->is_right = !bind_arguments(&report, w->device, launch, &items, bound);
  if (!said->is_right) return;
  const size_t count = w->kernel->num_params;
  said->num_bytes = bound_key(bound, count, said->bound, sizeof said->bound);
  assert_true(said->num_bytes <= sizeof said->bound);
  for (size_t i = 0; i < count; i++) {
    const size_t first = said->num_values;
    add_values(&bound[i], said);
    if (said->is_made && said->num_values > first)
      assert_int_equal(said->key.first_value[i], first);
    if (looked_at >> i & 1) said->seen[i] = seen_of(&bound[i].spec);
  }
}

static bool same_words(const Said *a, const Said *b) {
  return a->is_made && b->is_made && a->key.hash == b->key.hash &&
         a->key.num_words == b->key.num_words &&
         !memcmp(a->key.words, b->key.words, a->key.num_words * 8);
}

static void check_values(const Said *a) {
  if (!a->is_made || !a->is_right) return;
  // A constant that a launch names comes first, and has no slot.
  assert_int_equal(a->key.num_values, a->num_values);
  assert_memory_equal(a->key.values, a->values, a->num_values * 8);
}

static void check_pair(const Said *a, const Said *b) {
  assert_int_equal(a->is_right, b->is_right);
  if (!a->is_right) return;
  assert_int_equal(a->num_bytes, b->num_bytes);
  assert_memory_equal(a->bound, b->bound, a->num_bytes);
  assert_memory_equal(a->seen, b->seen, sizeof a->seen);
}

// -- Tests -------------------------------------------------------------------

static void test_pairs(void **state) {
  World *w = *state;
  static Said said[NUM_LAUNCHES];
  static Random r, before;
  int pairs = 0, right = 0, missed = 0;
  const uint64_t looked_at = 1 << 0 | 1 << 4 | 1 << 9 | 1 << 11;
  for (int i = 0; i < NUM_LAUNCHES; i++) {
    before = r;
    draw_launch(w, &r, i % 100 == 0);
    ask(w, &r.launch, i < NUM_LAUNCHES / 2 ? 0 : looked_at, &said[i]);
    check_values(&said[i]);
    if (!said[i].is_right && i % 100) r = before;
    right += said[i].is_right;
    missed += said[i].is_right && !said[i].is_made;
    for (int j = i < NUM_LAUNCHES / 2 ? 0 : NUM_LAUNCHES / 2; j < i; j++) {
      if (!same_words(&said[i], &said[j])) continue;
      check_pair(&said[i], &said[j]);
      pairs += said[i].is_right;
    }
  }
  print_message("%d right of %d, %d of them without words; %d pairs\n", right,
                NUM_LAUNCHES, missed, pairs);
  assert_true(right > NUM_LAUNCHES / 20 && pairs > NUM_LAUNCHES / 20);
  assert_true(missed < right / 10);
}

// Floats have the bits that element_encode() gives, in any mode of rounding.
static void test_floats(void **state) {
  World *w = *state;
  static const TileDtype types[] = {TILE_FP32, TILE_FP64, TILE_FP16, TILE_BF16};
  for (int i = 0; i < 100000; i++) {
    CallKey key;
    TileArg arg = tile_float_arg(draw_float(w));
    uint64_t bits = w->random ^ w->random << 31;
    arg.dtype = types[draw(w, 4)];
    if (draw(w, 2))
      bits = (bits & ~(UINT64_C(0xfff) << 52)) | (uint64_t)(890 + draw(w, 270))
                                                     << 52;
    if (draw(w, 4) == 0) bits &= ~UINT64_C(0xfffffff); // ties
    if (draw(w, 3)) memcpy(&arg.as.f, &bits, sizeof bits);
    const TileLaunch launch = {
        .kernel = w->kernel, .args = &arg, .num_args = 1};
    assert_true(call_key_make(w->device, &launch, 0, &key));
    assert_int_equal(key.num_values, 1);
    assert_int_equal(key.values[0], element_encode(arg.dtype, arg.as.f));
  }
}

static int set_up(void **state) {
  static World w;
  const TileSource source = {.text = source_text};
  w = (World){.random = 1};
  *state = &w;
  return tile_context_create(NULL, &w.context) ||
         tile_device_open(w.context, "null", &w.device, NULL) ||
         tile_device_open(w.context, "null", &w.other, NULL) ||
         tile_program_create(w.context, &source, &w.program, NULL) ||
         tile_program_kernel(w.program, NULL, &w.kernel, NULL) ||
         tile_buffer_create(w.device, NUM_BYTES, &w.buffer) ||
         tile_buffer_create(w.other, NUM_BYTES, &w.strange);
}

static int tear_down(void **state) {
  World *w = *state;
  tile_buffer_destroy(w->buffer);
  tile_buffer_destroy(w->strange);
  tile_program_destroy(w->program);
  tile_device_destroy(w->device);
  tile_device_destroy(w->other);
  tile_context_destroy(w->context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_floats),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
