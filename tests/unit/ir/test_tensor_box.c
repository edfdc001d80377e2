// test_tensor_box.c -- boxes of tensor maps, against the byte that the manual's
// tables of swizzles give for each element.
#include "ir/tensor_box.h"

#include "tests/unit/ir/layout_family.h"

typedef struct {
  int64_t shape[3];
  int rank;
  Elem elem;
  // Wanted: bytes of a line, boxes, and elements of a row of a box; no box: -1.
  int swizzle, copies, row;
} Case;

static const Case cases[] = {
    {{128, 64}, 2, ELEM_f16, 128, 1, 64},
    {{64, 128}, 2, ELEM_f16, 128, 2, 64},
    {{256, 1024}, 2, ELEM_i8, 128, 8, 128},
    {{32, 32}, 2, ELEM_f16, 64, 1, 32},
    {{8, 16}, 2, ELEM_f16, 32, 1, 16},
    {{16, 32}, 2, ELEM_f32, 128, 1, 32},
    {{2, 16, 32}, 3, ELEM_f32, 128, 1, 32},
    {{16, 8}, 2, ELEM_f16, 0, 1, 8},
    {{4, 64}, 2, ELEM_f16, 0, 1, 64}, // less than a pattern of eight lines
    {{256}, 1, ELEM_f32, 0, 1, 256},
    {{512}, 1, ELEM_f32, -1, 0, 0},
    {{512, 64}, 2, ELEM_f16, -1, 0, 0},
    {{2, 8}, 2, ELEM_f16, -1, 0, 0}, // a box starts at a multiple of 128 bytes
    {{64, 4}, 2, ELEM_f16, -1, 0, 0},
};

// The offset in bytes of the element at `row` (of `rows`) and `column`.
static int64_t byte_by_hand(const Case *b, int64_t rows, int64_t row,
                            int64_t column) {
  const int64_t bytes = elem_info[b->elem].bits / 8, line = b->row * bytes;
  const int64_t box = column / b->row, inside = column % b->row * bytes;
  const int64_t byte = (box * rows + row) * line + inside;
  if (!b->swizzle) return byte;
  const int64_t chunks = b->swizzle / 16;
  return byte ^ (byte / 128 % chunks) * 16;
}

static void check_places(const Case *b, const Layout *layout) {
  const LinearMap offset = linear_inverse(&layout->map);
  const int64_t columns = b->shape[b->rank - 1];
  const int64_t count = layout_num_elements(layout), rows = count / columns;
  const int64_t bytes = elem_info[b->elem].bits / 8;
  for (int64_t i = 0; i < count; i++) {
    const int64_t found = linear_apply(&offset, (uint32_t)i) * bytes;
    assert_int_equal(found, byte_by_hand(b, rows, i / columns, i % columns));
  }
}

static void check_block(Module *m, const Case *b) {
  const Type *elem = type_scalar(&m->types, b->elem);
  const Type *tile = type_tile(&m->types, b->rank, b->shape, elem, NULL);
  const Layout *layout = tensor_box_layout(&m->layouts, tile);
  TensorBox box;
  assert_int_equal(layout != NULL, b->swizzle >= 0);
  if (!layout) return;
  check_places(b, layout);
  const Type *buffer =
      type_memdesc(&m->types, b->rank, b->shape, elem, layout, SPACE_SHARED);
  assert_true(tensor_box_of(&m->layouts, buffer, &box));
  assert_int_equal(box.rank, b->rank);
  assert_int_equal(box.swizzle, b->swizzle);
  assert_int_equal(box.copies, b->copies);
  assert_int_equal(box.box[b->rank - 1], b->row);
  for (int i = 0; i < b->rank - 1; i++)
    assert_int_equal(box.box[i], b->shape[i]);
}

// Columns first: a box contains all of them.
static void check_turned(Module *m) {
  const int64_t shape[] = {64, 64};
  const int order[] = {0, 1};
  const Type *buffer = type_memdesc(
      &m->types, 2, shape, type_scalar(&m->types, ELEM_f16),
      layout_tma(&m->layouts, 2, shape, order, 128, 16), SPACE_SHARED);
  TensorBox box;
  assert_false(tensor_box_of(&m->layouts, buffer, &box));
}

static void check_all(void *data) {
  Arena *arena = data;
  DiagList diags;
  diag_init(&diags, arena);
  Module *m = module_create(arena, &diags);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_block(m, &cases[i]);
  check_turned(m);
}

static void test_boxes(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, check_all, &arena));
  arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
