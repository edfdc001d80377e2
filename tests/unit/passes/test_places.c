// test_places.c -- places that are said to be apart share no address.
//
// Random pairs of tiles of pointers, whose addresses are counted out here.
#include "ir/builder.h"
#include "passes/analysis/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { AXES = 2, MAX_SIZE = 16, PAIRS = 3000 };

// A tile of p + extsi(sum) + far, where sum wraps in 32 bits:
// factors[0] * n + factors[1] * m + strides[0] * row + strides[1] * column +
// near.
typedef struct {
  int64_t sizes[AXES], strides[AXES], factors[2], near, far;
} Sum;

static uint64_t state = 1;

static int pick(int count) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int)((state >> 33) % (uint64_t)count);
}

static int64_t any_stride(void) {
  static const int64_t strides[] = {0,  1,  1,   2,   3,       4,
                                    8,  16, 32,  64,  128,     -1,
                                    -4, 24, 100, 256, 1 << 29, INT32_MIN};
  return strides[pick((int)(sizeof strides / sizeof *strides))];
}

static int64_t any_constant(void) {
  static const int64_t constants[] = {0,  0,  1,  2,   4,       8,
                                      16, 64, -1, -64, 1 << 30, 1 << 29};
  return constants[pick((int)(sizeof constants / sizeof *constants))];
}

static Sum any_sum(void) {
  Sum s = {.near = any_constant(), .far = any_constant()};
  for (int i = 0; i < AXES; i++) {
    s.sizes[i] = 1 << pick(5);
    s.strides[i] = any_stride();
  }
  for (int i = 0; i < 2; i++) s.factors[i] = any_stride();
  return s;
}

// Makes a sum, often equal to `x` except for constants.
static Sum other_sum(const Sum *x) {
  Sum s = any_sum();
  if (pick(4)) memcpy(s.factors, x->factors, sizeof s.factors);
  if (!pick(8)) s.factors[1] = x->factors[0], s.factors[0] = x->factors[1];
  if (!pick(4)) return s;
  memcpy(s.sizes, x->sizes, sizeof s.sizes);
  memcpy(s.strides, x->strides, sizeof s.strides);
  return s;
}

// -- In IR -------------------------------------------------------------------

static const Type *tile_type(Builder *b, const Sum *s, Elem elem) {
  return type_tile(&b->m->types, AXES, s->sizes,
                   type_scalar(&b->m->types, elem), NULL);
}

static Value *build_axis(Builder *b, const Sum *s, int axis) {
  const Type *tile = tile_type(b, s, ELEM_i32);
  const int64_t thin_sizes[] = {axis ? 1 : s->sizes[0], axis ? s->sizes[1] : 1};
  const Type *thin =
      type_tile(&b->m->types, AXES, thin_sizes, tile->element, NULL);
  Value *x = build_arange(b, 0, s->sizes[axis]);
  x = build_expand_dims(b, thin, x);
  op_set_int(b->m, x->def, ATTR_axis, !axis);
  x = build_muli(b, thin, x, build_int(b, thin, s->strides[axis]));
  return build_broadcast(b, tile, x);
}

static Value *build_sum(Builder *b, const Sum *s, Value *args) {
  Value *p = &args[0], *n = &args[1], *m = &args[2];
  const Type *i32 = n->type, *narrow = tile_type(b, s, ELEM_i32);
  const Type *wide = tile_type(b, s, ELEM_i64);
  Value *row = build_axis(b, s, 0), *column = build_axis(b, s, 1);
  Value *scalar = build_muli(b, i32, build_int(b, i32, s->factors[0]), n);
  Value *other = build_muli(b, i32, m, build_int(b, i32, s->factors[1]));
  scalar = build_addi(b, i32, scalar, other);
  scalar = build_addi(b, i32, scalar, build_int(b, i32, s->near));
  Value *sum = build_addi(b, narrow, row, column);
  sum = build_addi(b, narrow, sum, build_splat(b, narrow, scalar));
  sum = build_extsi(b, wide, sum);
  sum = build_subi(b, wide, sum, build_int(b, wide, -s->far));
  const Type *pointers = type_tile(&b->m->types, AXES, s->sizes, p->type, NULL);
  return build_addptr(b, pointers, build_splat(b, pointers, p), sum);
}

static bool said_apart(const Sum *x, const Sum *y) {
  Arena arena;
  DiagList diags;
  arena_init(&arena, &system_allocator);
  diag_init(&diags, &arena);
  Module *m = module_create(&arena, &diags);
  const Type *f32 = type_scalar(&m->types, ELEM_f32);
  const Type *types[] = {type_pointer(&m->types, f32, SPACE_GLOBAL),
                         type_scalar(&m->types, ELEM_i32),
                         type_scalar(&m->types, ELEM_i32)};
  Function *f = function_create(m, "k", (SrcLoc){0}, 3, types);
  Builder b = builder_at_end(m, f->body, (SrcLoc){0});
  const AddressSum *a = place_of(&arena, build_sum(&b, x, f->body->args));
  const AddressSum *c = place_of(&arena, build_sum(&b, y, f->body->args));
  assert_true(a && c);
  const bool apart = places_apart(a, c);
  assert_int_equal(apart, places_apart(c, a));
  arena_free(&arena);
  return apart;
}

// -- Counted out -------------------------------------------------------------

static int list(const Sum *s, const uint32_t *numbers, int64_t *out) {
  int count = 0;
  for (uint32_t i = 0; i < s->sizes[0]; i++) {
    for (uint32_t j = 0; j < s->sizes[1]; j++) {
      const uint32_t sum =
          (uint32_t)s->strides[0] * i + (uint32_t)s->strides[1] * j +
          (uint32_t)s->factors[0] * numbers[0] +
          (uint32_t)s->factors[1] * numbers[1] + (uint32_t)s->near;
      out[count++] = (int32_t)sum + s->far;
    }
  }
  return count;
}

static bool share_one(const Sum *x, const Sum *y, const uint32_t *n) {
  int64_t a[MAX_SIZE * MAX_SIZE], b[MAX_SIZE * MAX_SIZE];
  const int num_a = list(x, n, a), num_b = list(y, n, b);
  for (int i = 0; i < num_a; i++) {
    for (int j = 0; j < num_b; j++) {
      if (a[i] == b[j]) return true;
    }
  }
  return false;
}

static bool share_some(const Sum *x, const Sum *y) {
  static const uint32_t ns[][2] = {
      {0, 0}, {1, 4}, {2, 0}, {0, 1}, {1000, 8}, {1 << 29, 7}, {0x7fffffff, 2}};
  for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
    if (share_one(x, y, ns[i])) return true;
  }
  return false;
}

static void apart_shares_nothing(void **unused) {
  (void)unused;
  int apart = 0, missed = 0;
  for (int i = 0; i < PAIRS; i++) {
    const Sum x = any_sum(), y = other_sum(&x);
    const bool said = said_apart(&x, &y), share = share_some(&x, &y);
    assert_false(said && share);
    apart += said;
    missed +=
        !said && !share && !memcmp(x.factors, y.factors, sizeof x.factors);
  }
  assert_true(apart > PAIRS / 8);
  assert_true(missed < PAIRS / 8); // large strides that may wrap
}

// -- From one trip to the next -----------------------------------------------

// factors[0] times the counter and factors[1] times a carried number, which
// move by steps[0] and steps[1]; a step is a constant unless it is `open`.
typedef struct {
  int64_t factors[2], steps[2], size, stride;
  bool open[2];
} Motion;

static Motion any_motion(void) {
  Motion x = {.size = 1 << pick(5), .stride = pick(4)};
  for (int i = 0; i < 2; i++) {
    x.factors[i] = pick(9) - 4;
    x.steps[i] = i ? pick(64) - 32 : 1 + pick(16);
    x.open[i] = !pick(6);
  }
  return x;
}

typedef struct {
  Arena arena;
  DiagList diags;
  Op *loop;
  Value *scalar, *ptr; // of the loop's body
} Moving;

static Value *build_moves(Builder *b, const Motion *x, Value *counter,
                          Value *carried) {
  const Type *i32 = counter->type;
  return build_addi(
      b, i32, build_muli(b, i32, counter, build_int(b, i32, x->factors[0])),
      build_muli(b, i32, build_int(b, i32, x->factors[1]), carried));
}

static void open_moving(Moving *m, const Motion *x) {
  arena_init(&m->arena, &system_allocator);
  diag_init(&m->diags, &m->arena);
  Module *module = module_create(&m->arena, &m->diags);
  const Type *f32 = type_scalar(&module->types, ELEM_f32);
  const Type *i32 = type_scalar(&module->types, ELEM_i32);
  const Type *pointer = type_pointer(&module->types, f32, SPACE_GLOBAL);
  Function *f = function_create(module, "k", (SrcLoc){0}, 4,
                                (const Type *[]){pointer, i32, i32, i32});
  Value *args = f->body->args, *steps[2];
  Builder b = builder_at_end(module, f->body, (SrcLoc){0});
  for (int i = 0; i < 2; i++)
    steps[i] = x->open[i] ? &args[1 + i] : build_int(&b, i32, x->steps[i]);
  m->loop = build_for(&b, build_int(&b, i32, 7), &args[3], steps[0], 1,
                      (Value *[]){&args[3]});
  b = builder_at_end(module, m->loop->regions[0], (SrcLoc){0});
  Value *carried = for_arg(m->loop, 0);
  m->scalar = build_moves(&b, x, for_counter(m->loop), carried);
  const Type *tile = type_tile(&module->types, 1, &x->size, i32, NULL);
  const Type *pointers = type_tile(&module->types, 1, &x->size, pointer, NULL);
  Value *at = build_muli(&b, tile, build_arange(&b, 0, x->size),
                         build_int(&b, tile, x->stride));
  at = build_addi(&b, tile, at, build_splat(&b, tile, m->scalar));
  m->ptr = build_addptr(&b, pointers, build_splat(&b, pointers, &args[0]), at);
  build_yield(&b, 1, (Value *[]){build_addi(&b, i32, carried, steps[1])});
}

static int64_t distance(const Motion *x) {
  return x->factors[0] * x->steps[0] + x->factors[1] * x->steps[1];
}

// Is an address of the first trip another one of the next trip?
static bool meet(const Motion *x) {
  if (!distance(x)) return false;
  for (int64_t i = 0; i < x->size; i++)
    for (int64_t j = 0; j < x->size; j++)
      if (i * x->stride == j * x->stride + distance(x)) return true;
  return false;
}

static void moves_as_its_steps_say(void **unused) {
  (void)unused;
  for (int i = 0; i < PAIRS; i++) {
    const Motion x = any_motion();
    const bool is_open = x.open[0] || (x.open[1] && x.factors[1]);
    Moving m;
    int64_t step = 0;
    open_moving(&m, &x);
    const bool known = place_step(&m.arena, m.scalar, m.loop, &step);
    if (!is_open) assert_true(known && step == distance(&x));
    if (x.open[0] && x.factors[0]) assert_false(known);
    if (x.open[1] && x.factors[1]) assert_false(known);
    const bool meets = place_meets_next(&m.arena, m.ptr, m.loop);
    assert_int_equal(meets, !is_open && meet(&x));
    arena_free(&m.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(apart_shares_nothing),
      cmocka_unit_test(moves_as_its_steps_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
